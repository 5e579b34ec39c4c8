/** Words as Unicode segments them, also where no spaces stand between them. */
export function countWords(text: string): number {
  let words = 0;
  for (const segment of segmenter.segment(text)) if (segment.isWordLike) words += 1;
  return words;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
