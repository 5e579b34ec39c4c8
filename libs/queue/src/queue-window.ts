const HORIZON_MS = 1_000;
/** So many seconds of work may lie in a queue; less than about one, and it could never grow to a faster pace. */
const SECONDS_AHEAD = 1.5;

/**
 * How many jobs may be in a queue, waiting or running: one and a half times what went through it in the last second. A fast queue
 * never runs dry between two rounds; behind a slow one the backlog waits in the outbox, where it can be shared out.
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
    const perSecond = this.sent.reduce((sum, { count }) => sum + count, 0);
    return Math.max(this.minimum, SECONDS_AHEAD * perSecond);
  }
}
