import { FOREIGN_WORDS, SHARED_WORDS, UNCERTAIN_WORDS } from './function-words.js';
import { isStopWord } from './tokenize-words.js';

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)?/gu;
/** A single Greek letter is a symbol (TNF-α, Π2). */
const OTHER_SCRIPT = /[^\P{L}\p{Script=Latin}\p{Script=Greek}]|\p{Script=Greek}\p{M}*\p{Script=Greek}/u;
const MARKED_LETTER = /(?![a-z])\p{Script=Latin}|\p{M}/u;

const CLEAR_POINTS = 2;
const UNCERTAIN_POINTS = 1;

/**
 * Whether a query is surely not English: a word of another script or another language's function word counts against
 * English, an uncertain one or a letter with a mark counts half, an English function word counts for it. A query without
 * any evidence (bare keywords, names, identifiers) isn't called foreign.
 *
 * In XQuAD: 97.4 % of the German questions, all of the Chinese and Arabic ones; none of 2,621 English ones (SciFact,
 * SQuAD, XQuAD, HotpotQA). That is the opposite error of `QueryTerms.wordsDecide`, which is true only where English is sure.
 */
export function looksForeign(query: string): boolean {
  let foreign = 0;
  let english = 0;
  for (const word of query.toLowerCase().match(WORD) ?? []) {
    if (SHARED_WORDS.has(word)) continue;
    if (isStopWord(word)) english += CLEAR_POINTS;
    else if (FOREIGN_WORDS.has(word) || OTHER_SCRIPT.test(word)) foreign += CLEAR_POINTS;
    else if (UNCERTAIN_WORDS.has(word) || MARKED_LETTER.test(word)) foreign += UNCERTAIN_POINTS;
  }
  return foreign >= CLEAR_POINTS && foreign > english;
}
