import { tokenizeWords } from '../relevance/tokenize-words.js';

/** Share of common words, of all words of both, from which two passages say the same. */
const SAME_WORDS = 0.9;

/** Whether two passages hold nearly the same content words. A differing number or name is a differing passage. */
export function saysTheSame(left: string, right: string): boolean {
  const leftWords = new Set(tokenizeWords(left));
  const rightWords = new Set(tokenizeWords(right));
  if (leftWords.size === 0 || rightWords.size === 0) return left.trim() === right.trim();
  const differing = [...leftWords, ...rightWords].filter((word) => !(leftWords.has(word) && rightWords.has(word)));
  if (differing.some((word) => /\p{N}/u.test(word))) return false;
  const all = new Set([...leftWords, ...rightWords]).size;
  return (all - differing.length) / all >= SAME_WORDS;
}
