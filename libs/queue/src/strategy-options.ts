import type { AppError } from '@candor/contracts';
import type { CatalogueJob } from './catalogue-job.js';
import type { FailureOutcome } from './decide-failure.js';
import type { JobContext } from './job-context.js';
import type { QueueBackendOptions } from './queue-backend.js';

/** A job that is over without having been done. */
export interface DeadLetter {
  job: string;
  jobId: string;
  queue: string;
  /** As it was in the queue: not validated if the error is `JOB.INVALID_PAYLOAD`. */
  payload: unknown;
  /** `type` is an error code, `message` its public message. */
  error: { type: string; message: string };
  attemptsMade: number;
}

export interface JobFailure {
  job: string;
  jobId: string;
  queue: string;
  attempt: number;
  outcome: FailureOutcome;
  error: AppError;
  /** As it was in the queue. */
  payload: unknown;
  /** When a job that is retried or parked runs again; null when it doesn't. */
  nextAttemptAt: Date | null;
}

export interface QueueConcurrency {
  /** Jobs at once. */
  concurrency: number;
  /** So many while they flow, see `adaptConcurrency`. Default: `concurrency`. */
  maxConcurrency?: number;
}

export interface BullMqStrategyOptions {
  backend: QueueBackendOptions;
  /** The queues this process works on. */
  queues: Record<string, QueueConcurrency>;
  /** Default: the product's catalogue. */
  catalogue?: readonly CatalogueJob[];
  /**
   * Awaited before the job is marked failed: write the dead letter and the item's status in one transaction.
   * If it throws, the job is parked and comes back (a job of one attempt is lost then, and its error logged).
   */
  onDeadLetter: (deadLetter: DeadLetter) => Promise<void>;
  /** Told of every failed attempt, for metrics and logs; default: one log line without content. */
  onFailure?: (failure: JobFailure) => void;
  /** Runs the handler inside the caller's request context. */
  runInJobContext?: <T>(context: JobContext, run: () => Promise<T>) => Promise<T>;
  /** How long `close()` lets running jobs go on, ms; default 25,000. What outlives it is parked, or lost if it has one attempt. */
  closeGraceMs?: number;
  /** How long a handler may ignore its AbortSignal, ms; default 2,000. */
  abortGraceMs?: number;
  /** How long `listen` waits for the backend before the service refuses to start, ms; default 30,000. */
  startTimeoutMs?: number;
  /** Back-off of parked jobs, ms; default 1,000 doubling up to 30,000. */
  parking?: { baseMs: number; maxMs: number };
  /** Defaults 30,000 and 15,000: a dead worker's jobs come back within 45 s. */
  stalled?: { lockDurationMs: number; intervalMs: number };
}
