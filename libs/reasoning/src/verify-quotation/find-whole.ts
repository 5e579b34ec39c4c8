import type { MappedText } from './mapped-text.js';

/** In the mapped text. */
export interface Place {
  at: number;
  length: number;
}

/** Places within other words that are looked at before a text counts as one that doesn't hold what is wanted. */
const MOST_PLACES = 10_000;

/**
 * The first place that begins within [from, until] where the wanted text begins and ends with a word: what was folded must not be found within
 * another word, nor take half a letter (`e` of `é`).
 */
export function findWhole({ text }: MappedText, wanted: string, from = 0, until = text.length): Place | null {
  if (!/[\p{L}\p{N}]/u.test(wanted)) return null;
  const within = text.slice(0, until + wanted.length);
  let places = 0;
  for (let at = within.indexOf(wanted, from); at >= 0 && places < MOST_PLACES; at = within.indexOf(wanted, at + 1)) {
    if (isWhole(text, at, at + wanted.length)) return { at, length: wanted.length };
    places += 1;
  }
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
