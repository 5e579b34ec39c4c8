import { tokenizeWords } from '../relevance/tokenize-words.js';
import type { AnswerSlot } from './evidence-policy.js';

/** Slots that no single item fills: it has to hold all words of one of the slot's terms, in any form and order. */
export function findMissingSlots(
  slots: readonly AnswerSlot[],
  items: readonly { documentTitle: string; text: string }[],
): AnswerSlot[] {
  if (slots.length === 0) return [];
  const words = items.map((item) => new Set(tokenizeWords(`${item.documentTitle}\n${item.text}`)));
  return slots.filter((slot) => !slot.terms.some((term) => words.some((present) => holdsAll(present, term))));
}

function holdsAll(present: ReadonlySet<string>, term: string): boolean {
  const wanted = tokenizeWords(term);
  return wanted.length > 0 && wanted.every((word) => present.has(word));
}
