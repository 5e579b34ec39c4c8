import { AppError, parseJobPayload, type JobContract } from '@candor/contracts';
import type { Redis } from 'ioredis';
import type { z } from 'zod';
import { waitAtMost } from './bounded-wait.js';
import { sealEnvelope } from './job-envelope.js';
import { toJobOptions } from './job-options.js';
import {
  connectRedisFailFast,
  migrateQueueBackend,
  openQueue,
  PRODUCER_TIMEOUT_MS,
  type JobQueue,
  type QueueBackendOptions,
} from './queue-backend.js';

const CALL_TIMEOUT_MS = PRODUCER_TIMEOUT_MS + 400;
const PAGE = 200;

export interface JobSchedule {
  /** Of the caller's choice; without ':'. */
  id: string;
  everyMs: number;
}

/**
 * Jobs that the queue adds by itself every so often (BullMQ's job schedulers, on Redis and on Postgres). The queue may
 * lose them with its data: truth is the caller's, who compares with `list`. Errors: `DEPENDENCY.QUEUE_UNAVAILABLE`.
 */
export class JobSchedules {
  private readonly redis: Redis | undefined;
  private readonly queues = new Map<string, JobQueue>();
  private closed = false;

  constructor(private readonly backend: QueueBackendOptions) {
    this.redis = backend.kind === 'redis' ? connectRedisFailFast(backend.url) : undefined;
    // Without a listener a lost connection would end the process; each call reports it to its caller.
    this.redis?.on('error', () => undefined);
  }

  /**
   * Adds the schedule, or changes it. Each job's id in the queue is the queue's own, so a contract's `jobId` isn't asked.
   * @param firstAt when the first job is due; one in the past = now.
   */
  async upsert<Payload extends z.ZodType>(
    job: JobContract<string, Payload>,
    schedule: JobSchedule & { firstAt: Date },
    payload: z.input<Payload>,
  ): Promise<void> {
    parseJobPayload(job, payload);
    const { jobId: _jobId, ...opts } = toJobOptions(job, 'scheduled', {});
    const startDate = Math.max(schedule.firstAt.getTime(), Date.now());
    await this.call(job.queue, (queue) =>
      queue.upsertJobScheduler(
        schedule.id,
        { every: schedule.everyMs, startDate },
        { name: job.name, data: sealEnvelope(payload), opts },
      ),
    );
  }

  /** False when there is none. */
  async remove(queueName: string, id: string): Promise<boolean> {
    return this.call(queueName, (queue) => queue.removeJobScheduler(id));
  }

  /** All schedules of a queue. */
  async list(queueName: string): Promise<JobSchedule[]> {
    const found: JobSchedule[] = [];
    for (let from = 0; ; from += PAGE) {
      const page = await this.call(queueName, (queue) => queue.getJobSchedulers(from, from + PAGE - 1, true));
      for (const { key, every } of page) found.push({ id: key, everyMs: every ?? 0 });
      if (page.length < PAGE) return found;
    }
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await Promise.allSettled(
      [...this.queues.values()].map((queue) => waitAtMost(queue.close(), CALL_TIMEOUT_MS, timedOut)),
    );
    this.redis?.disconnect();
  }

  private async call<T>(queueName: string, work: (queue: JobQueue) => Promise<T>): Promise<T> {
    if (this.closed) throw unavailable(new Error('The schedules are closed.'));
    try {
      const queue = await waitAtMost(this.readyQueue(queueName), CALL_TIMEOUT_MS, timedOut);
      return await waitAtMost(work(queue), CALL_TIMEOUT_MS, timedOut);
    } catch (error) {
      throw unavailable(error);
    }
  }

  private async readyQueue(name: string): Promise<JobQueue> {
    let queue = this.queues.get(name);
    if (!queue) {
      if (this.backend.kind === 'postgres') await migrateQueueBackend(this.backend);
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
}

function timedOut(): Error {
  return new Error('The queue did not answer in time.');
}

function unavailable(cause: unknown): AppError {
  return new AppError('DEPENDENCY.QUEUE_UNAVAILABLE', { cause, retryAfterSeconds: 2 });
}
