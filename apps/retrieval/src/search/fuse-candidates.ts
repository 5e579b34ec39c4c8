import type { Candidate } from '@candor/search-index/read';
import { FUSION } from './fusion-settings.js';

export type Fused<Each extends Candidate> = Each & {
  /** 0–1 within one set of candidates; means nothing across queries. */
  fused: number;
};

/**
 * Min-max normalized linear fusion, best first. Every candidate has an exact cosine, so what only the lexical leg
 * found takes part with its true similarity; what only the dense leg found has a lexical part of 0.
 * The order depends on the set alone: ties go by cosine, then by chunk id.
 *
 * Bruch, Gai, Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval" (2023).
 */
export function fuseCandidates<Each extends Candidate>(
  candidates: readonly Each[],
  denseWeight: number = FUSION.denseWeight,
): Fused<Each>[] {
  const dense = normalizerOf(candidates.map((candidate) => candidate.cosine));
  const lexical = normalizerOf(candidates.flatMap((candidate) => candidate.lexicalScore ?? []));
  return candidates
    .map((candidate) => ({
      ...candidate,
      fused:
        denseWeight * dense(candidate.cosine) +
        (1 - denseWeight) * (candidate.lexicalScore === null ? 0 : lexical(candidate.lexicalScore)),
    }))
    .sort((left, right) => right.fused - left.fused || compareSimilarity(left, right));
}

/** By cosine, then by chunk id. */
export function compareSimilarity(left: Candidate, right: Candidate): number {
  return right.cosine - left.cosine || (left.chunk.chunkId < right.chunk.chunkId ? -1 : 1);
}

function normalizerOf(values: readonly number[]): (value: number) => number {
  let lowest = Infinity;
  let highest = -Infinity;
  for (const value of values) {
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  const range = highest - lowest;
  // One value, or all the same: all of them are the best there is.
  return range > 0 ? (value) => (value - lowest) / range : () => 1;
}
