import type { MappedText } from './mapped-text.js';

/** In the mapped text. */
export interface Place {
  at: number;
  length: number;
}

/**
 * The first place that begins within [from, until] where the wanted text begins and ends with a word: what was folded must not be found within
 * another word, nor take half a letter (`e` of `é`).
 */
export function findWhole({ text }: MappedText, wanted: string, from = 0, until = text.length): Place | null {
  if (!/[\p{L}\p{N}]/u.test(wanted)) return null;
  const within = text.slice(0, until + wanted.length);
  for (let at = within.indexOf(wanted, from); at >= 0; at = within.indexOf(wanted, at + 1))
    if (isWhole(text, at, at + wanted.length)) return { at, length: wanted.length };
  return null;
}

const WORD_BEFORE = /[\p{L}\p{N}\p{M}]$/u;
const WORD_AFTER = /^[\p{L}\p{N}\p{M}]/u;

function isWhole(text: string, start: number, end: number): boolean {
  const beginsInWord =
    WORD_BEFORE.test(text.slice(Math.max(0, start - 2), start)) && WORD_AFTER.test(text.slice(start, start + 2));
  const next = text.slice(end, end + 2);
  const endsInWord = WORD_BEFORE.test(text.slice(Math.max(start, end - 2), end)) && WORD_AFTER.test(next);
  return !beginsInWord && !endsInWord && !/^\p{M}/u.test(next);
}
