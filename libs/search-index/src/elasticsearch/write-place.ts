import { Coalescer } from '@candor/runtime/coalescer';

/** One index as its writer sees it: writes go one after the other, and those that wait to be seen share a refresh. */
export class WritePlace {
  private readonly refreshes: Coalescer<void, void>;
  private last: Promise<unknown> = Promise.resolve();
  /** Counts writes that are over; what was written before this process is unknown, and so not known to be visible. */
  private written = 1;
  private seen = 0;

  constructor(refreshIndex: () => Promise<void>) {
    this.refreshes = new Coalescer({
      maxInputs: Infinity,
      run: async (calls) => {
        const written = this.written;
        await refreshIndex();
        this.seen = Math.max(this.seen, written);
        return calls;
      },
    });
  }

  /** Runs the work when those before it are over; it is told whether everything written so far is visible. */
  write<Result>(work: (isVisible: boolean) => Promise<Result>): Promise<Result> {
    const result = this.last.then(async () => {
      try {
        return await work(this.seen >= this.written);
      } finally {
        // At the end, also of a failure: a refresh that began before did not see all of it.
        this.written += 1;
      }
    });
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all that was written before the call is visible. */
  refresh(): Promise<void> {
    return this.refreshes.call();
  }
}
