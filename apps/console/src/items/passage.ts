import type { ReasonQuotation } from '@candor/contracts';
import type { TextRange } from './split-at-ranges.js';

/** What is quoted of a passage; `place` null = to be looked up. */
export type PassageQuotation = Pick<ReasonQuotation, 'quotation'> & { place: TextRange | null };

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
