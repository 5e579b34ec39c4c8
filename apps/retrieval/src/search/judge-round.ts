import type { RelevanceRule } from '@candor/reasoning/relevance';
import type { Candidate } from '@candor/search-index/read';
import { FUSION } from './fusion-settings.js';
import { isExhausted } from './is-exhausted.js';
import { isStale, type Rejection } from './judge-candidate.js';
import type { ReadWords, SelectedPage } from './select-page.js';

/** `index_behind`: the page is short because of what the index hasn't let go of yet, and is not to pass for whole. */
export type RoundOutcome = 'finished' | 'unfinished' | 'index_behind';

/** Of a leg: from here on the recheck, and not the floor, is what keeps the page short. */
const MOST = 0.5;
/** Of a leg: so much of it is stale that the rest is not what was asked for. */
const LARGE_MAJORITY = 0.75;

export interface Round {
  /** Of this round, in which each leg was asked for `k`. */
  found: readonly Candidate[];
  k: number;
  /** Up to now, this one included. */
  rounds: number;
}

/**
 * The page is full, nothing is left to find, or the effort is spent. More than the usual effort is for an index that is full of
 * what may not be shown any more, and never for a query that nothing is near to.
 */
export function judgeRound(
  { found, k, rounds }: Round,
  selected: Pick<SelectedPage, 'isFull' | 'threshold' | 'rejected'>,
  rule: RelevanceRule | null,
  words: ReadWords,
): RoundOutcome {
  const { isFull, threshold, rejected } = selected;
  if (isFull || isExhausted(found, k, threshold, rule, words)) return 'finished';
  if (rounds < FUSION.maxRounds) return 'unfinished';
  const isMostlyRejected = shareOf(() => true) > MOST;
  if (isMostlyRejected && rounds < FUSION.maxRoundsPastRejected) return 'unfinished';
  return shareOf(isStale) > LARGE_MAJORITY ? 'index_behind' : 'finished';

  /** Of the leg that lost more, among those that could still bring something: one that ended has brought it. */
  function shareOf(counts: (verdict: Rejection) => boolean): number {
    const isLost = ({ chunk }: Candidate): boolean => {
      const verdict = rejected.get(chunk.chunkId);
      return verdict !== undefined && counts(verdict);
    };
    const isNear = ({ cosine }: Candidate): boolean => threshold === null || cosine >= threshold;
    const dense = found.filter((candidate) => candidate.denseRank !== null && isLost(candidate) && isNear(candidate));
    const lexical = found.filter((candidate) => candidate.lexicalRank !== null);
    // By the cosine alone, or down to its end, no more words let anything in.
    const isOpen = lexical.length >= k && (threshold === null || rule !== null);
    return Math.max(dense.length, isOpen ? lexical.filter(isLost).length : 0) / k;
  }
}
