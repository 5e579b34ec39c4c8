import { trimRange } from '../extracting/trim-range.js';

/** As extraction gives it, or as it comes back from the database. */
export interface SourceBlock {
  kind: string;
  level?: number;
  headingText?: string;
  start: number;
  end: number;
}

/**
 * The blocks, trimmed, in order and without overlaps, and between them whatever text none of them holds: nothing of
 * a document may be missing from its chunks.
 */
export function coverText(text: string, blocks: readonly SourceBlock[]): SourceBlock[] {
  const units: SourceBlock[] = [];
  let covered = 0;
  const add = (block: Omit<SourceBlock, 'start' | 'end'>, start: number, end: number): void => {
    const range = trimRange(text, start, end);
    if (range) units.push({ ...block, ...range });
  };
  for (const block of blocks.toSorted((left, right) => left.start - right.start)) {
    const start = Math.max(block.start, covered);
    const end = Math.min(block.end, text.length);
    if (start >= end) continue;
    add({ kind: 'paragraph' }, covered, start);
    add(block, start, end);
    covered = end;
  }
  add({ kind: 'paragraph' }, covered, text.length);
  return units;
}
