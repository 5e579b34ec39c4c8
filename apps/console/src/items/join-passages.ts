import type { ChunkReading } from '@candor/contracts';

export interface Stretch {
  /** Offset of the text in its item. */
  start: number;
  text: string;
}

/**
 * Passages of one version as stretches of its text: what overlaps or touches is one stretch, so that nothing is shown twice.
 * Only white space between two passages is filled in; where more is missing, a new stretch begins.
 */
export function joinPassages(passages: readonly ChunkReading[]): Stretch[] {
  const sorted = passages
    .map(({ content, metadata }) => ({ start: metadata.startIndex, text: content }))
    .sort((a, b) => a.start - b.start || b.text.length - a.text.length);
  const stretches: Stretch[] = [];
  for (const { start, text } of sorted) {
    const last = stretches.at(-1);
    const end = last ? last.start + last.text.length : 0;
    if (last && start <= end) last.text += text.slice(Math.min(text.length, end - start));
    else if (last && start - end <= LONGEST_GAP) last.text += `${'\n'.repeat(start - end)}${text}`;
    else stretches.push({ start, text });
  }
  return stretches;
}

/** Passages are cut at blank lines, and their edges trimmed: so much white space may lie between two neighbours. */
const LONGEST_GAP = 2;
