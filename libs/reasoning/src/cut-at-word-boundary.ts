import { segmentInWindows } from './segment-in-windows.js';

/** A run of non-whitespace up to this long is one word (`well-known`, a short URL); a longer one is text without spaces. */
const LONGEST_WORD = 64;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/**
 * Ends (UTF-16 offsets, ascending) at which the text may be cut: before whitespace, or, inside a run without spaces
 * longer than 64 characters (Chinese, Thai…), between the words that the Unicode segmentation finds.
 */
export function findCutPositions(text: string): number[] {
  const positions: number[] = [];
  for (const { 0: run, index } of text.matchAll(/\S+/gu)) {
    if (run.length > LONGEST_WORD) {
      for (const segment of segmentInWindows(segmenter, run)) {
        const end = segment.index + segment.segment.length;
        if (end < run.length) positions.push(index + end);
      }
    }
    positions.push(index + run.length);
  }
  return positions;
}

/** The longest prefix that ends at a word boundary and passes `fits`; null when not even the first word does. */
export function cutAtWordBoundary(text: string, fits: (prefix: string) => boolean): string | null {
  const positions = findCutPositions(text);
  let low = 0;
  let high = positions.length - 1;
  let longest: string | null = null;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const prefix = text.slice(0, positions[middle]);
    if (fits(prefix)) {
      longest = prefix;
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return longest;
}
