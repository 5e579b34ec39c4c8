import type { TextRange } from './split-at-ranges.js';

/** What is quoted of a passage; `place` null = to be looked up. */
export interface PassageQuotation {
  quotation: string;
  place: TextRange | null;
}

export interface Passage {
  chunkId: string;
  documentId: string;
  /** None = the passage as a whole. */
  quotations: readonly PassageQuotation[];
}

/** Says of two passages whether they are the same, by what they mark. */
export function passageKey({ chunkId, quotations }: Passage): string {
  return JSON.stringify([chunkId, ...quotations.map(({ quotation, place }) => [quotation, place?.start, place?.end])]);
}
