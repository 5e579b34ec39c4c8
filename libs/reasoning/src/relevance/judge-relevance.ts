import type { WordMatch } from './match-words.js';
import type { QueryTerms } from './read-query-terms.js';

/** Constants of one embedding model: cosines mean nothing across models. Measured in `docs/reference/relevance-floor.md`. */
export interface RelevanceRule {
  /** Cosine below which a passage alone isn't shown. */
  relevanceFloor: number;
  /** Best cosine at which a query passes whose words can't be judged. */
  cosineGuard: number;
  /** What holding all of the query's words is worth, as an addition to the cosine. */
  wordWeight: number;
  /** Cosine and words of one passage, added, at which the query passes. */
  evidenceGuard: number;
}

export interface JudgedPassage {
  cosine: number;
  match: WordMatch;
}

/**
 * Whether a passage may be shown: near enough to the query, or holding an identifier that it names, or all of its words
 * in its own content while not too far away.
 * @param threshold cosine; the rule's floor or a stricter one.
 */
export function clearsFloor(passage: JudgedPassage, threshold: number, rule: RelevanceRule): boolean {
  const { cosine, match } = passage;
  if (cosine >= threshold || match.hasIdentifier) return true;
  return match.isComplete && weighEvidence(passage, rule) >= rule.evidenceGuard;
}

/**
 * Whether anything relevant was found. One passage must bring both, nearness and the query's words: "policy" in one and
 * "leave" in another is how a question about an absent subject looks. A query whose words can't be judged passes by its
 * best cosine alone; a passage with an identifier the query names always passes.
 *
 * Monotone: a higher cosine, another of the query's words or another passage never turns true into false. That is why
 * words aren't weighed by their rarity among the candidates, which gained two points of refusals at best.
 */
export function judgeRelevance(passages: readonly JudgedPassage[], terms: QueryTerms, rule: RelevanceRule): boolean {
  return passages.some(
    (passage) =>
      passage.match.hasIdentifier ||
      (!terms.wordsDecide && passage.cosine >= rule.cosineGuard) ||
      (clearsFloor(passage, rule.relevanceFloor, rule) && weighEvidence(passage, rule) >= rule.evidenceGuard),
  );
}

function weighEvidence({ cosine, match }: JudgedPassage, { wordWeight }: RelevanceRule): number {
  return cosine + wordWeight * match.coverage;
}
