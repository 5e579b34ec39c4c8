import { errors } from '@elastic/elasticsearch';
import { AppError } from '@candor/contracts';
import { RowBreaker, type AttemptVerdict } from '@candor/runtime/circuit-breaker';
import { indexUnavailable } from './map-elasticsearch-error.js';

/** Searches in a row that didn't reach the server, or weren't answered by it, until none is sent for a while. */
export const FAILURES_UNTIL_OPEN = 5;
const DEFAULT_RESET_MS = 2_000;
/** A deadline that comes sooner after the request was sent says more about the caller than about the server. */
const SILENCE_MS = 1_000;

/**
 * Keeps searches from waiting one after the other for a server that is away. Parts of an answer that are missing don't
 * count: they are one index's trouble, and the others are answered.
 */
export class SearchCircuit {
  private readonly breaker: RowBreaker;

  constructor(resetMs = DEFAULT_RESET_MS) {
    this.breaker = new RowBreaker({
      name: 'search-index',
      failuresUntilOpen: FAILURES_UNTIL_OPEN,
      resetMs,
      judge: judgeFailure,
      refuse: (retryAfterSeconds) =>
        indexUnavailable(new Error('The server did not answer the searches before.'), retryAfterSeconds),
    });
  }

  /**
   * A search is several requests, and shows by its signal which are its own: they share the try, so that a search finds all or
   * nothing when the server is back.
   *
   * @throws what the attempt throws; DEPENDENCY.INDEX_UNAVAILABLE without an attempt while the circuit is open.
   */
  run<Result>(attempt: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
    return this.breaker.run(async () => {
      const started = Date.now();
      try {
        return await attempt();
      } catch (error) {
        // An abort with a reason of our own comes out of the client as a connection that failed.
        if (signal?.aborted !== true) throw error;
        const wasSilent = isDeadline(signal) && Date.now() - started >= SILENCE_MS;
        throw wasSilent
          ? new errors.TimeoutError('No answer until the deadline.')
          : new errors.RequestAbortedError('The caller went away.');
      }
    }, signal);
  }

  close(): void {
    this.breaker.close();
  }
}

function isDeadline(signal: AbortSignal): boolean {
  const reason: unknown = signal.reason;
  return reason instanceof AppError && reason.code === 'DEADLINE.EXCEEDED';
}

function judgeFailure(error: unknown): AttemptVerdict {
  if (error instanceof errors.ResponseError) return (error.statusCode ?? 0) >= 500 ? 'transport_failure' : 'answered';
  if (error instanceof errors.RequestAbortedError) return 'unknown';
  return error instanceof errors.ElasticsearchClientError ? 'transport_failure' : 'unknown';
}
