import type { LocatedStatement } from '@candor/contracts';
import type { AdmittedChunk } from './build-evidence-packet.js';
import type { KeptStatement } from './validate-citations.js';
import { QuotationSource } from './verify-quotation/quotation-source.js';

/**
 * Where the quotations of an answer stand in the chunks that were shown, in the chunks' own words. Takes what
 * `validateCitations` kept of these very chunks, so each is there; the same place is told once a statement.
 */
export function locateQuotations(
  kept: readonly KeptStatement[],
  admitted: readonly AdmittedChunk[],
): LocatedStatement[] {
  const sources = new Map<string, QuotationSource>();
  for (const { chunkId, content } of admitted)
    if (!sources.has(chunkId)) sources.set(chunkId, new QuotationSource(content));

  return kept.map(({ text, references }) => {
    const places = new Map<string, LocatedStatement['quotations'][number]>();
    for (const reference of references) {
      const found = sources.get(reference.chunkId)?.find(reference.quotation);
      if (!found) throw new Error('a quotation that was kept does not occur in its chunk');
      const { start, end, quotation } = found;
      places.set(`${reference.chunkId} ${start} ${end}`, { chunkId: reference.chunkId, quotation, start, end });
    }
    return { text, quotations: [...places.values()] };
  });
}
