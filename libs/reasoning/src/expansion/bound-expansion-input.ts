import type { AnswerSlot } from '../evidence/evidence-policy.js';
import { MOST_INPUT_CHARACTERS, MOST_INPUT_ITEMS, type ExpansionInput } from './expansion.js';

/**
 * What an expansion provider may see: at most 5 items and 12,000 characters, counted before serialization. The query comes
 * first, then the slots, then the items in order; the text that doesn't fit any more is cut, and what follows it left out.
 */
export function boundExpansionInput(
  query: string,
  reason: string,
  missingSlots: readonly AnswerSlot[],
  items: readonly { chunkId: string; documentTitle: string; text: string }[],
): ExpansionInput {
  let left = MOST_INPUT_CHARACTERS;
  const take = (text: string): string => {
    const taken = text.slice(0, left);
    left -= taken.length;
    return taken;
  };
  const bounded: ExpansionInput = { query: take(query), gap: { reason: take(reason), missingSlots: [] }, items: [] };
  for (const { name, terms } of missingSlots) {
    if (left === 0) break;
    bounded.gap.missingSlots.push({ name: take(name), terms: terms.map(take).filter((term) => term !== '') });
  }
  for (const { chunkId, documentTitle, text } of items.slice(0, MOST_INPUT_ITEMS)) {
    // An id is of use whole or not at all.
    if (left <= chunkId.length) break;
    bounded.items.push({ chunkId: take(chunkId), documentTitle: take(documentTitle), text: take(text) });
  }
  return bounded;
}
