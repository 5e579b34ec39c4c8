import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';

/** A refresh makes a segment of what was written, and segments are merged, graphs and all: many small ones cost more than the writes. */
const REST_FACTOR = 4;
const MAX_REST_MS = 1_000;

/**
 * One index as its writer sees it: writes go one after the other, and those that wait to be seen share a refresh. After
 * one, the next waits four times as long as it took, at most a second; after a pause it comes at once.
 */
export class WritePlace {
  private last: Promise<unknown> = Promise.resolve();
  /** Counts writes that ended; what was written before this process is unknown, and so not known to be visible. */
  private written = 1;
  private seen = 0;
  private refreshing: Promise<void> = Promise.resolve();
  /** The refresh that has not begun yet: it sees all that is written by then. */
  private next: Promise<void> | undefined;
  private restUntil = 0;
  /** Somebody can't wait: the next refresh takes no rest, whichever is under way now. */
  private urgent = false;
  private rest = new AbortController();

  constructor(
    private readonly refreshIndex: () => Promise<void>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Runs the work when those before it are over; it is told whether everything written so far is visible. */
  write<Result>(work: (isVisible: boolean) => Promise<Result>): Promise<Result> {
    // One that fails may have written some of it.
    const result = this.last.then(() => work(this.seen >= this.written)).finally(() => (this.written += 1));
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all that was written before the call is visible; `urgent` ends the rest between two refreshes. */
  refresh({ urgent = false } = {}): Promise<void> {
    if (urgent) {
      this.urgent = true;
      this.rest.abort();
    }
    if (!this.next) {
      this.next = this.refreshAfter(this.refreshing);
      this.refreshing = this.next.catch(() => undefined);
    }
    return this.next;
  }

  private async refreshAfter(before: Promise<void>): Promise<void> {
    // One turn of the event loop lets calls made together share the first one too.
    await Promise.all([before, turn()]);
    await this.takeRest();
    this.next = undefined;
    this.urgent = false;
    const written = this.written;
    const began = this.now();
    await this.refreshIndex();
    this.restUntil = this.now() + Math.min(MAX_REST_MS, (this.now() - began) * REST_FACTOR);
    this.seen = Math.max(this.seen, written);
  }

  private async takeRest(): Promise<void> {
    const milliseconds = this.restUntil - this.now();
    if (this.urgent || milliseconds <= 0) return;
    this.rest = new AbortController();
    await delay(milliseconds, undefined, { signal: this.rest.signal }).catch(() => undefined);
  }
}
