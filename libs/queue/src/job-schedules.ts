import { parseJobPayload, type JobContract } from '@candor/contracts';
import type { z } from 'zod';
import { sealEnvelope } from './job-envelope.js';
import { toJobOptions } from './job-options.js';
import type { QueueBackendOptions } from './queue-backend.js';
import { QueueConnection } from './queue-connection.js';

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
  private readonly connection: QueueConnection;

  constructor(backend: QueueBackendOptions) {
    this.connection = new QueueConnection(backend);
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
    await this.connection.call(job.queue, (queue) =>
      queue.upsertJobScheduler(
        schedule.id,
        { every: schedule.everyMs, startDate },
        { name: job.name, data: sealEnvelope(payload), opts },
      ),
    );
  }

  /** False when there is none. */
  async remove(queueName: string, id: string): Promise<boolean> {
    return this.connection.call(queueName, (queue) => queue.removeJobScheduler(id));
  }

  /** All schedules of a queue. */
  async list(queueName: string): Promise<JobSchedule[]> {
    const found: JobSchedule[] = [];
    for (let from = 0; ; from += PAGE) {
      const page = await this.connection.call(queueName, (queue) =>
        queue.getJobSchedulers(from, from + PAGE - 1, true),
      );
      for (const { key, every } of page) found.push({ id: key, everyMs: every ?? 0 });
      if (page.length < PAGE) return found;
    }
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}
