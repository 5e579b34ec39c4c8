import type { TextBlock } from './text-block.js';
import { trimRange } from './trim-range.js';

/** Paragraphs are parted by blank lines; lines in a row stay together, as those of a chat do. */
export function findParagraphs(text: string, from = 0, to = text.length): TextBlock[] {
  const blocks: TextBlock[] = [];
  let open: TextBlock | null = null;
  for (let lineStart = from; lineStart < to;) {
    const newline = text.indexOf('\n', lineStart);
    const lineEnd = newline === -1 ? to : Math.min(newline, to);
    const line = trimRange(text, lineStart, lineEnd);
    if (!line) open = null;
    else if (open) open.end = line.end;
    else blocks.push((open = { kind: 'paragraph', ...line }));
    lineStart = lineEnd + 1;
  }
  return blocks;
}
