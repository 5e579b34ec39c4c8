import { AppError } from '@candor/contracts';
import type { Job } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';
import { adaptConcurrency } from './adapt-concurrency.js';
import { settlesWithin, waitAtMost } from './bounded-wait.js';
import { isOneShot, type CatalogueJob } from './catalogue-job.js';
import { migrateQueueBackend, openWorker, type JobWorker } from './queue-backend.js';
import type { BullMqStrategyOptions, QueueConcurrency } from './strategy-options.js';

export interface WorkerCallbacks {
  process: (queue: string, job: Job<unknown, void, string>, token: string | undefined) => Promise<void>;
  /** A job failed an attempt, or was ended by BullMQ itself. */
  failed: (queue: string, job: Job<unknown, void, string>) => void;
  error: (queue: string, error: Error) => void;
}

/**
 * How often a job may have lost its worker and still run again. One that ends its worker itself has to end; one that only
 * was there when processes, machines or Redis went, several times in a row, must not.
 */
const MOST_STALLS = 5;
const RETRY_START_MS = 500;
const SAME_ERROR_SILENCE_MS = 10_000;

/** Opens a worker a queue; waits for the backend, and gives up with `DEPENDENCY.QUEUE_UNAVAILABLE`. */
export async function startWorkers(
  options: BullMqStrategyOptions,
  catalogue: readonly CatalogueJob[],
  callbacks: WorkerCallbacks,
): Promise<JobWorker[]> {
  const expires = Date.now() + (options.startTimeoutMs ?? 30_000);
  for (;;) {
    const workers: JobWorker[] = [];
    try {
      const remaining = Math.max(1, expires - Date.now());
      await waitAtMost(migrateQueueBackend(options.backend), remaining, unreachable);
      for (const [queue, settings] of Object.entries(options.queues)) {
        const oneShot = catalogue.some((job) => job.queue === queue && isOneShot(job));
        workers.push(openOne(options, queue, settings, oneShot, callbacks));
      }
      const ready = Promise.all(workers.map((worker) => worker.waitUntilReady()));
      await waitAtMost(ready, Math.max(1, expires - Date.now()), unreachable);
      return workers;
    } catch (error) {
      // A worker whose start failed never recovers (BullMQ remembers the failure), so all are made anew.
      await settlesWithin(Promise.allSettled(workers.map((worker) => worker.close(true))), 1_000);
      if (Date.now() + RETRY_START_MS >= expires) throw new AppError('DEPENDENCY.QUEUE_UNAVAILABLE', { cause: error });
      await sleep(RETRY_START_MS);
    }
  }
}

function openOne(
  options: BullMqStrategyOptions,
  queue: string,
  { concurrency, maxConcurrency }: QueueConcurrency,
  oneShot: boolean,
  callbacks: WorkerCallbacks,
): JobWorker {
  const { lockDurationMs, intervalMs } = options.stalled ?? { lockDurationMs: 30_000, intervalMs: 15_000 };
  const worker = openWorker(options.backend, queue, (job, token) => callbacks.process(queue, job, token), {
    concurrency,
    maxStalledCount: oneShot ? 0 : MOST_STALLS,
    lockDurationMs,
    stalledIntervalMs: intervalMs,
  });
  if (maxConcurrency !== undefined) adaptConcurrency(worker, { concurrency, maxConcurrency });
  worker.on('failed', (job) => {
    if (job) callbacks.failed(queue, job);
  });
  const saidAt = new Map<string, number>();
  worker.on('error', (error) => {
    // A lost connection is reported at every attempt to get it back: once is news.
    const now = Date.now();
    if (now - (saidAt.get(error.message) ?? 0) < SAME_ERROR_SILENCE_MS) return;
    saidAt.set(error.message, now);
    callbacks.error(queue, error);
  });
  return worker;
}

function unreachable(): Error {
  return new Error('The queue backend did not answer in time.');
}
