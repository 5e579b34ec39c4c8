import type { TextRange } from './trim-range.js';

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Cuts a long source where a block surely begins at top level: after a blank line, at a line without indentation,
 * outside fenced code. So one document never makes the parser hold millions of tokens at a time.
 */
export function splitMarkdown(text: string, from: number, minLength: number): TextRange[] {
  const segments: TextRange[] = [];
  let segmentStart = from;
  let fence: string | null = null;
  let afterBlank = false;
  for (let lineStart = from; lineStart < text.length;) {
    const newline = text.indexOf('\n', lineStart);
    const lineEnd = newline === -1 ? text.length : newline;
    const isIndented = /\s/.test(text[lineStart] ?? '\n');
    if (afterBlank && !isIndented && fence === null && lineStart - segmentStart >= minLength) {
      segments.push({ start: segmentStart, end: lineStart });
      segmentStart = lineStart;
    }
    const line = text.slice(lineStart, Math.min(lineEnd, lineStart + 1_000));
    fence = followFence(fence, line);
    afterBlank = line.trim() === '';
    lineStart = lineEnd + 1;
  }
  if (segmentStart < text.length) segments.push({ start: segmentStart, end: text.length });
  return segments;
}

function followFence(open: string | null, line: string): string | null {
  const marks = FENCE.exec(line)?.[1];
  if (marks === undefined) return open;
  if (open === null) return marks;
  const closes = marks[0] === open[0] && marks.length >= open.length && line.trim() === marks;
  return closes ? null : open;
}
