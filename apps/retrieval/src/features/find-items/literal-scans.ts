import pLimit from 'p-limit';
import { AppError } from '@candor/contracts';
import { throwIfCancelled, untilCancelled } from '@candor/runtime/cancellation';

/** Each holds a connection while it reads a batch: most of the pool stays free for searches. */
const SCANS_AT_ONCE = 4;
/** A search has up to three: prompts, documents, collections. */
const MAX_WAITING = 24;
const RETRY_AFTER_SECONDS = 2;

/** The searches of one process that read whole texts: a few at a time, a few more in line, no others. */
export class LiteralScans {
  private readonly limit = pLimit(SCANS_AT_ONCE);
  /** Of the scans under way and in line. */
  private readonly places = new Set<symbol>();

  /**
   * Who goes away is let go at once and leaves the line; a scan that runs keeps its place until it has noticed.
   *
   * @throws AppError RETRIEVAL.BUSY when the line is full, REQUEST.CANCELLED; what the scan throws.
   */
  async run<Result>(scan: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    throwIfCancelled(signal);
    if (this.places.size >= SCANS_AT_ONCE + MAX_WAITING)
      throw new AppError('RETRIEVAL.BUSY', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    const place = Symbol('place');
    this.places.add(place);
    const progress = { isRunning: false };
    const work = this.limit(async () => {
      progress.isRunning = true;
      try {
        throwIfCancelled(signal);
        return await scan();
      } finally {
        this.places.delete(place);
      }
    });
    try {
      return await untilCancelled(work, signal);
    } finally {
      if (!progress.isRunning) this.places.delete(place);
    }
  }
}
