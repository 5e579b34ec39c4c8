import { AppError } from '@candor/contracts';
import { cancelledError, throwIfCancelled } from '@candor/runtime/cancellation';

export type Lane = 'query' | 'passage';

interface Waiting {
  start: () => void;
  reject: (error: AppError) => void;
}

/**
 * Runs at most `width` tasks at a time; a waiting query starts before every waiting passage, so that a search
 * never stands behind an ingestion backlog. Within a lane: first come, first served.
 */
export class PriorityLanes {
  private readonly waiting: Record<Lane, Set<Waiting>> = { query: new Set(), passage: new Set() };
  private readonly running = new Set<Promise<unknown>>();
  private closed = false;

  constructor(readonly width: number) {
    if (!Number.isInteger(width) || width < 1) throw new RangeError('width must be a positive integer');
  }

  /**
   * Rejects as soon as the signal aborts: a waiting task then never starts; a running one keeps its place until it
   * ends, for its work is still going on.
   *
   * @throws AppError REQUEST.CANCELLED on abort, DEPENDENCY.EMBEDDINGS_UNAVAILABLE once closed.
   */
  async run<T>(lane: Lane, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    throwIfCancelled(signal);
    if (this.closed) throw closedError();
    return new Promise<T>((resolve, reject) => {
      const onAbort = (): void => {
        this.waiting[lane].delete(entry);
        reject(cancelledError(signal));
      };
      const entry: Waiting = {
        start: () => {
          const work = task()
            .then(resolve, reject)
            .finally(() => {
              signal?.removeEventListener('abort', onAbort);
              this.running.delete(work);
              this.startNext();
            });
          this.running.add(work);
        },
        reject: (error) => {
          signal?.removeEventListener('abort', onAbort);
          reject(error);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.waiting[lane].add(entry);
      this.startNext();
    });
  }

  /** Refuses what waits and what comes; resolves when the running tasks have ended. */
  async close(): Promise<void> {
    this.closed = true;
    for (const lane of Object.values(this.waiting)) {
      for (const entry of lane) entry.reject(closedError());
      lane.clear();
    }
    await Promise.all(this.running);
  }

  private startNext(): void {
    while (this.running.size < this.width) {
      const lane = this.waiting.query.size > 0 ? this.waiting.query : this.waiting.passage;
      const [entry] = lane;
      if (!entry) return;
      lane.delete(entry);
      entry.start();
    }
  }
}

function closedError(): AppError {
  return new AppError('DEPENDENCY.EMBEDDINGS_UNAVAILABLE', { message: 'The embedder was closed.' });
}
