import { segmentInWindows } from '@candor/reasoning/relevance';

/** Words as Unicode segments them, also where no spaces stand between them. */
export function countWords(text: string): number {
  let words = 0;
  for (const segment of segmentInWindows(segmenter, text)) if (segment.isWordLike) words += 1;
  return words;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
