const HORIZON_MS = 1_000;

/**
 * How many jobs may wait in a queue: what went through it in the last second. A fast queue never runs dry between two
 * rounds; behind a slow one the backlog waits in the outbox, where it can be shared out. Running jobs don't count: how
 * long each takes says nothing about how many can be done at once.
 */
export class QueueWindow {
  private sent: { at: number; count: number }[] = [];

  constructor(
    private readonly minimum: number,
    private readonly now: () => number = Date.now,
  ) {}

  record(count: number): void {
    this.sent.push({ at: this.now(), count });
  }

  get size(): number {
    const since = this.now() - HORIZON_MS;
    this.sent = this.sent.filter(({ at }) => at > since);
    return Math.max(
      this.minimum,
      this.sent.reduce((sum, { count }) => sum + count, 0),
    );
  }
}
