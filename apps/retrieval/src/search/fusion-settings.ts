/**
 * How many candidates are fetched and how the two legs are weighed. Changed by measurement only:
 * `docs/reference/fusion.md` has the table, `tools/bench/tune-fusion.mjs` makes it.
 */
export const FUSION = {
  /** Share of the dense leg; the lexical one has the rest. */
  denseWeight: 0.7,
  /** The same for a query in a language that the model doesn't know. */
  foreignDenseWeight: 0.3,
  /** Candidates a leg in the first round, for a page of `limit`: enough that best-of-item still fills the page. */
  candidatesPerLeg: (limit: number): number => Math.max(40, limit * 3),
  /** Growth of the candidates from one refill round to the next. */
  refillGrowth: 4,
  /** Rounds in all, the first included. */
  maxRounds: 3,
  /** The same while most of what a round finds may not be shown any more: an index that lags far behind gives a page, too. */
  maxRoundsPastRejected: 5,
} as const;

/** Said in contract 1.1 (`retrieval.strategy`), so that an archived contract tells which recipe ranked it. */
export function nameStrategy(denseWeight: number): string {
  return `hybrid:min-max-linear:dense=${denseWeight}`;
}
