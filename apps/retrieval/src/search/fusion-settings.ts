/**
 * How many candidates are fetched and how the two legs are weighed. Changed by measurement only:
 * `docs/reference/fusion.md` has the table (SciFact train, nDCG@10: dense alone 0.748, BM25 alone 0.696, reciprocal
 * ranks 0.753–0.760, min-max linear 0.769 / 0.770 / 0.766 at a dense weight of 0.5 / 0.6 / 0.7).
 */
export const FUSION = {
  /** Share of the dense leg; the lexical one has the rest. */
  denseWeight: 0.6,
  /** Candidates a leg in the first round, for a page of `limit`: enough that best-of-item still fills the page. */
  candidatesPerLeg: (limit: number): number => Math.max(60, limit * 3),
  /** Growth of the candidates from one refill round to the next. */
  refillGrowth: 4,
  /** Rounds in all, the first included. */
  maxRounds: 3,
} as const;

/** Said in contract 1.1 (`retrieval.strategy`), so that an archived contract tells which recipe ranked it. */
export const RETRIEVAL_STRATEGY = `hybrid:min-max-linear:dense=${FUSION.denseWeight}`;
