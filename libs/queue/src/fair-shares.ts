/** Time after which what a party got counts half. */
const HALF_LIFE_MS = 30_000;
/** Who got more than this lately gives way to the others in the queues too. */
const HEAVY_LEVEL = 500;
/** So much of a round is shared evenly, whatever anybody got before: a stream of newcomers stops nobody. */
const EVEN_PART = 0.25;

/**
 * Shares rounds of work out to parties, that is tenants or the lanes of one: who got little lately goes first, until it has caught up with the others. So a
 * small backlog takes hardly longer beside a huge one than alone, and the huge one loses only what the small one takes.
 */
export class FairShares {
  private readonly levels = new Map<string, { amount: number; at: number }>();

  constructor(private readonly now: () => number = Date.now) {}

  /** How many of `limit` places each party may take, in the order given; they add up to `limit`. */
  allocate(parties: readonly string[], limit: number): number[] {
    const count = parties.length;
    if (count === 0) return [];
    const even = Math.floor((limit * EVEN_PART) / count);
    const lowestFirst = parties
      .map((party, index) => ({ index, level: this.levelOf(party) }))
      .sort((left, right) => left.level - right.level || left.index - right.index);
    const shares = new Array<number>(count).fill(even);
    for (const { index, amount } of raiseLowest(lowestFirst, limit - even * count)) shares[index] = even + amount;
    return shares;
  }

  record(party: string, amount: number): void {
    const now = this.now();
    this.levels.set(party, { amount: this.levelOf(party) + amount, at: now });
    // Whoever got next to nothing is like a newcomer.
    for (const [other] of this.levels) if (this.levelOf(other) < 1) this.levels.delete(other);
  }

  isHeavy(party: string): boolean {
    return this.levelOf(party) > HEAVY_LEVEL;
  }

  private levelOf(party: string): number {
    const level = this.levels.get(party);
    return level ? level.amount * 0.5 ** ((this.now() - level.at) / HALF_LIFE_MS) : 0;
  }
}

/** Fills the lowest levels up to one height; whole numbers, what doesn't divide goes to the lowest. */
function raiseLowest(
  lowestFirst: readonly { index: number; level: number }[],
  total: number,
): { index: number; amount: number }[] {
  let raised = 0;
  let sum = 0;
  let height = 0;
  for (const { level } of lowestFirst) {
    if (raised > 0 && level >= height) break;
    raised += 1;
    sum += level;
    height = (total + sum) / raised;
  }
  let left = total;
  const amounts = lowestFirst.slice(0, raised).map(({ index, level }) => {
    const amount = Math.min(left, Math.max(0, Math.floor(height - level)));
    left -= amount;
    return { index, amount };
  });
  for (let next = 0; left > 0; next = (next + 1) % amounts.length) {
    const entry = amounts[next];
    if (entry) entry.amount += 1;
    left -= 1;
  }
  return amounts;
}
