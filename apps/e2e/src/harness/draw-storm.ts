import fc from 'fast-check';

export interface DrawnStrike<Failure> {
  failure: Failure;
  /** It strikes once so many items of the newest batch are under way. */
  after: number;
}

/** All failures, in an order and at points that follow from the seed. */
export function drawStorm<Failure>(
  failures: readonly Failure[],
  itemsABatch: number,
  seed: number,
): DrawnStrike<Failure>[] {
  const count = failures.length;
  const order = fc.shuffledSubarray([...failures], { minLength: count, maxLength: count });
  // Else most points were near the ends, where programs are wrong most often; here all are alike.
  const point = fc.noBias(fc.integer({ min: 1, max: itemsABatch }));
  const [storm] = fc.sample(fc.tuple(order, fc.array(point, { minLength: count, maxLength: count })), {
    seed,
    numRuns: 1,
  });
  const [drawn, points] = storm ?? [[], []];
  return drawn.map((failure, index) => ({ failure, after: points[index] ?? 1 }));
}

/**
 * `CANDOR_FAULT_SEED`, or one of its own.
 *
 * @throws when the variable holds something else than a whole number from 0 to 2147483647.
 */
export function chooseSeed(given: string | undefined): number {
  if (given === undefined || given === '') return Math.floor(Math.random() * 2 ** 31);
  const seed = Number(given);
  if (!/^\d+$/.test(given) || seed >= 2 ** 31)
    throw new Error(`CANDOR_FAULT_SEED must be a whole number from 0 to ${2 ** 31 - 1}`);
  return seed;
}
