import { AppError } from '@candor/contracts';
import type { JobsOptions, MinimalJob } from 'bullmq';
import { isOneShot, type CatalogueJob } from './catalogue-job.js';

const BACKOFF_TYPE = 'capped-exponential-jitter';
const BACKOFF_MAX_MS = 60_000;

/** A finished id is kept so long that a second send of the same outbox row is still recognised. */
const KEEP_COMPLETED = { age: 600, count: 5_000 };
/** The dead letter row is the record; this only helps somebody looking at the queue. */
const KEEP_FAILED = { age: 3_600, count: 1_000 };

export interface AddOptions {
  delayMs?: number;
  /** 1 (first) to 2,097,152; without it a job goes before all prioritised ones, in order of arrival. */
  priority?: number;
}

export function toJobOptions(job: CatalogueJob, jobId: string, options: AddOptions): JobsOptions {
  const oneShot = isOneShot(job);
  return {
    jobId: toQueueJobId(job, jobId),
    attempts: job.attempts,
    backoff: { type: BACKOFF_TYPE, delay: job.backoffMs },
    // A question asked is nobody's business once it is answered.
    removeOnComplete: oneShot ? true : KEEP_COMPLETED,
    removeOnFail: oneShot ? true : KEEP_FAILED,
    stackTraceLimit: 0,
    ...(options.delayMs === undefined ? {} : { delay: options.delayMs }),
    ...(options.priority === undefined ? {} : { priority: options.priority }),
  };
}

/** The contract's version is part of the id in the queue, so a job of an older shape never hides a new one. */
export function toQueueJobId(job: Pick<CatalogueJob, 'name' | 'version'>, jobId: string): string {
  if (jobId === '' || jobId.includes(':')) {
    throw new AppError('JOB.INVALID_PAYLOAD', {
      details: { job: job.name, issues: ["the job id is empty or has a ':'"] },
    });
  }
  return `${jobId}-v${job.version}`;
}

export function fromQueueJobId(queueJobId: string): string {
  return queueJobId.replace(/-v\d+$/, '');
}

/** Half fixed, half random: retries of jobs that failed together don't come back together. `attempt` counts from 1. */
export function jitteredBackoffMs(baseMs: number, attempt: number, maxMs: number, random = Math.random()): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(full / 2 + (full / 2) * random);
}

/** What BullMQ stores of a failure: the code alone, no text, no stack, no content. */
export class StoredFailure extends Error {
  constructor(
    readonly code: string,
    /** Until the next attempt. */
    readonly delayMs?: number,
  ) {
    super(code);
    this.stack = code;
  }
}

/** BullMQ's worker asks this for the delay before the next attempt. */
export function backoffStrategy(
  attemptsMade: number,
  _type?: string,
  error?: Error,
  job?: Pick<MinimalJob, 'opts'>,
): number {
  if (error instanceof StoredFailure && error.delayMs !== undefined) return error.delayMs;
  return retryDelayMs(job?.opts ?? {}, attemptsMade);
}

/** Before the attempt after `attemptsMade`; at least as long as a dependency asked for. */
export function retryDelayMs(
  { backoff }: Pick<MinimalJob['opts'], 'backoff'>,
  attemptsMade: number,
  retryAfterSeconds = 0,
): number {
  const baseMs = typeof backoff === 'object' ? (backoff.delay ?? 0) : 0;
  return Math.max(retryAfterSeconds * 1_000, jitteredBackoffMs(baseMs, attemptsMade, BACKOFF_MAX_MS));
}
