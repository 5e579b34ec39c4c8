import { AppError, parseJobPayload, type JobContract } from '@candor/contracts';
import type { Redis } from 'ioredis';
import type { z } from 'zod';
import { settlesWithin, waitAtMost } from './bounded-wait.js';
import type { CatalogueJob } from './catalogue-job.js';
import { sealEnvelope } from './job-envelope.js';
import { toJobOptions, toQueueJobId, type AddOptions } from './job-options.js';
import {
  connectRedisFailFast,
  migrateQueueBackend,
  openQueue,
  PRODUCER_TIMEOUT_MS,
  type JobQueue,
  type QueueBackendOptions,
} from './queue-backend.js';

/** Numbers of jobs in one queue, by state. */
export interface QueueCounts {
  /** Ready to be taken. */
  waiting: number;
  active: number;
  /** Backing off, parked, or added with a delay. */
  delayed: number;
  failed: number;
}

export interface NewJob extends Pick<AddOptions, 'priority'> {
  job: JobContract;
  payload: unknown;
}

const CALL_TIMEOUT_MS = PRODUCER_TIMEOUT_MS + 400;
const PING_QUEUE = 'ping';

/**
 * Puts jobs in the queue. Every method rejects with `DEPENDENCY.QUEUE_UNAVAILABLE` within about 1.5 s while the
 * backend is down or silent, and works again by itself when it is back.
 */
export class JobProducer {
  private readonly redis: Redis | undefined;
  private readonly queues = new Map<string, JobQueue>();
  private migrated: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly backend: QueueBackendOptions) {
    this.redis = backend.kind === 'redis' ? connectRedisFailFast(backend.url) : undefined;
    // Without a listener a lost connection would end the process; each call reports it to its caller.
    this.redis?.on('error', () => undefined);
  }

  /**
   * Adds a job; one whose id is already in the queue is left as it is.
   * Errors: `JOB.INVALID_PAYLOAD` (nothing is added), `DEPENDENCY.QUEUE_UNAVAILABLE`.
   */
  async add<Payload extends z.ZodType>(
    job: JobContract<string, Payload>,
    payload: z.input<Payload>,
    options: AddOptions = {},
  ): Promise<{ jobId: string }> {
    const jobId = job.jobId(parseJobPayload(job, payload));
    const jobOptions = toJobOptions(job, jobId, options);
    const envelope = sealEnvelope(payload);
    await this.call(job.queue, (queue) => queue.add(job.name, envelope, jobOptions));
    return { jobId };
  }

  /**
   * Adds jobs, those of one queue in one call; one whose id is already in the queue is left as it is. Errors as `add`;
   * when the queue fails half-way, some may have been added, and a repeat is harmless.
   */
  async addMany(jobs: readonly NewJob[]): Promise<void> {
    const byQueue = new Map<string, Parameters<JobQueue['addBulk']>[0]>();
    for (const { job, payload, priority } of jobs) {
      const placed = priority === undefined ? {} : { priority };
      const opts = toJobOptions(job, job.jobId(parseJobPayload(job, payload)), placed);
      const entry = { name: job.name, data: sealEnvelope(payload), opts };
      byQueue.set(job.queue, [...(byQueue.get(job.queue) ?? []), entry]);
    }
    for (const [name, entries] of byQueue) await this.call(name, (queue) => queue.addBulk(entries));
  }

  /** Takes a job that is not running out of the queue; false if there is none, or a worker has it. `jobId` is the contract's. */
  async remove(job: CatalogueJob, jobId: string): Promise<boolean> {
    const id = toQueueJobId(job, jobId);
    // Redis reports a job that isn't there as removed, so look first.
    return this.call(
      job.queue,
      async (queue) => (await queue.getJob(id)) !== undefined && (await queue.remove(id)) === 1,
    );
  }

  async counts(queueName: string): Promise<QueueCounts> {
    const counts = await this.call(queueName, (queue) =>
      queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed'),
    );
    const of = (state: string): number => counts[state] ?? 0;
    return {
      waiting: of('wait') + of('prioritized'),
      active: of('active'),
      delayed: of('delayed'),
      failed: of('failed'),
    };
  }

  /** Whether the job is in the queue and not over: waiting, running or backing off. `jobId` is the contract's. */
  async isPending(job: CatalogueJob, jobId: string): Promise<boolean> {
    const id = toQueueJobId(job, jobId);
    return this.call(job.queue, async (queue) => {
      const queued = await queue.getJob(id);
      return queued !== undefined && !(await queued.isCompleted()) && !(await queued.isFailed());
    });
  }

  /** Rejects with `DEPENDENCY.QUEUE_UNAVAILABLE` when no worker is connected to the queue. */
  async requireWorkers(queueName: string): Promise<void> {
    const workers = await this.call(queueName, (queue) => queue.getWorkersCount());
    if (workers === 0) throw unavailable(new Error(`No worker is connected to ${queueName}.`));
  }

  /** Resolves if the backend answers. */
  async ping(): Promise<void> {
    await this.call(PING_QUEUE, (queue) => queue.getJobCounts('wait'));
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    const closing = [...this.queues.values()].map((queue) => queue.close());
    await settlesWithin(Promise.allSettled(closing), CALL_TIMEOUT_MS);
    this.redis?.disconnect();
  }

  private async call<T>(queueName: string, work: (queue: JobQueue) => Promise<T>): Promise<T> {
    if (this.closed) throw unavailable(new Error('The producer is closed.'));
    const expires = Date.now() + CALL_TIMEOUT_MS;
    try {
      const queue = await waitAtMost(this.readyQueue(queueName), CALL_TIMEOUT_MS, timedOut);
      // Only a ready queue gets the command: one that waits for a connection would run it after we gave up.
      return await waitAtMost(work(queue), Math.max(1, expires - Date.now()), timedOut);
    } catch (error) {
      throw unavailable(error);
    }
  }

  private async readyQueue(name: string): Promise<JobQueue> {
    if (this.backend.kind === 'postgres') await this.migrate();
    let queue = this.queues.get(name);
    if (!queue) {
      queue = openQueue(this.backend, name, this.redis);
      queue.on('error', () => undefined);
      this.queues.set(name, queue);
    }
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      // BullMQ remembers a failed start for ever; the next call starts afresh.
      if (this.queues.get(name) === queue) this.queues.delete(name);
      queue.close().catch(() => undefined);
      throw error;
    }
  }

  private migrate(): Promise<void> {
    this.migrated ??= migrateQueueBackend(this.backend).catch((error: unknown) => {
      this.migrated = undefined;
      throw error;
    });
    return this.migrated;
  }
}

function timedOut(): Error {
  return new Error('The queue did not answer in time.');
}

function unavailable(cause: unknown): AppError {
  return new AppError('DEPENDENCY.QUEUE_UNAVAILABLE', { cause, retryAfterSeconds: 2 });
}
