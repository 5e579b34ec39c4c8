import { clearsFloor, type RelevanceRule } from '@candor/reasoning/relevance';
import type { Candidate } from '@candor/search-index/read';
import type { ReadWords } from './select-page.js';

/**
 * Whether no further round could add to the page: everything permitted was compared, or what is left is too far from the
 * query and lacks the words that would let it in all the same.
 *
 * @param found of the last round, in which each leg was asked for `k`.
 * @param threshold cosine below which a candidate is let in by its words alone; null = nothing is too far.
 * @param rule null = the cosine alone decides.
 */
export function isExhausted(
  found: readonly Candidate[],
  k: number,
  threshold: number | null,
  rule: RelevanceRule | null,
  words: ReadWords,
): boolean {
  const dense = found.filter((candidate) => candidate.denseRank !== null);
  if (dense.length < k) return true;
  // What the dense leg left out is less similar still.
  if (threshold === null || dense.every((candidate) => candidate.cosine >= threshold)) return false;
  if (rule === null) return true;
  const lexical = found.filter((candidate) => candidate.lexicalRank !== null);
  if (lexical.length < k) return true;
  // A rare word may stand in a long text, far down the lexical leg.
  if (words.terms.identifiers.length > 0) return false;
  // Where none of those with the most of the words is in by them, none of the others is.
  return lexical.every(
    ({ cosine, chunk }) =>
      cosine >= threshold || !clearsFloor({ cosine, match: words.matchOf(chunk) }, threshold, rule),
  );
}
