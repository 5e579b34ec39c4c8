import { parseJobPayload, type JobContract } from '@candor/contracts';
import type { z } from 'zod';
import type { CatalogueJob } from './catalogue-job.js';
import { sealEnvelope, tenantOf } from './job-envelope.js';
import { toJobOptions, toQueueJobId, type AddOptions } from './job-options.js';
import type { JobQueue, QueueBackendOptions } from './queue-backend.js';
import { QueueConnection } from './queue-connection.js';
import { unavailable } from './queue-unavailable.js';

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

const REMOVAL_PAGE = 50;
/**
 * Each state before those that a job goes on to, so that one that moves meanwhile is found where it went; running and
 * backing off follow each other and are looked at twice.
 */
const ALL_STATES = ['delayed', 'wait', 'prioritized', 'active', 'delayed', 'completed', 'failed', 'active'] as const;

/** Those that jobs are given, in ascending order; what stands behind them counts as one more. */
const WATCHED_PRIORITIES = Array.from({ length: 16 }, (_, index) => index + 1);

const PING_QUEUE = 'ping';

/**
 * Puts jobs in the queue. Every method rejects with `DEPENDENCY.QUEUE_UNAVAILABLE` within about 1.5 s while the
 * backend is down or silent, and works again by itself when it is back.
 */
export class JobProducer {
  private readonly connection: QueueConnection;

  constructor(backend: QueueBackendOptions) {
    this.connection = new QueueConnection(backend);
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
    await this.connection.call(job.queue, (queue) => queue.add(job.name, envelope, jobOptions));
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
    for (const [name, entries] of byQueue) await this.connection.call(name, (queue) => queue.addBulk(entries));
  }

  /** Takes a job that is not running out of the queue; false if there is none, or a worker has it. `jobId` is the contract's. */
  async remove(job: CatalogueJob, jobId: string): Promise<boolean> {
    const id = toQueueJobId(job, jobId);
    // Redis reports a job that isn't there as removed, so look first.
    return this.connection.call(
      job.queue,
      async (queue) => (await queue.getJob(id)) !== undefined && (await queue.remove(id)) === 1,
    );
  }

  /**
   * Takes every job of a tenant out of a queue, ended ones and their stored failures too.
   * @returns how many could not be taken, since a worker has them
   */
  async removeOfTenant(queueName: string, tenantId: string): Promise<number> {
    const running = new Set<string>();
    for (const state of ALL_STATES) {
      for (let from = 0; ;) {
        const { seen, removed } = await this.connection.call(queueName, async (queue) => {
          const page = await queue.getJobs([state], from, from + REMOVAL_PAGE - 1, true);
          const theirs = page.filter((job: (typeof page)[number] | undefined) => tenantOf(job?.data) === tenantId);
          if (state === 'active') for (const job of theirs) running.add(job.id ?? '');
          else for (const job of theirs) await queue.remove(job.id ?? '');
          return { seen: page.length, removed: state === 'active' ? 0 : theirs.length };
        });
        if (seen < REMOVAL_PAGE) break;
        from += seen - removed;
      }
    }
    return running.size;
  }

  async counts(queueName: string): Promise<QueueCounts> {
    const counts = await this.connection.call(queueName, (queue) =>
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

  /** How long the job that has waited longest could have been running already, ms; 0 when none waits. */
  async oldestWaitingMs(queueName: string): Promise<number> {
    const heads = await this.connection.call(queueName, async (queue) => {
      const found = await queue.getJobs(['wait'], 0, 0, true);
      // They stand by priority, so the oldest is the first one of some priority.
      const counts = await queue.getCountsPerPriority(WATCHED_PRIORITIES);
      let before = 0;
      for (const priority of WATCHED_PRIORITIES) {
        const count = counts[priority] ?? 0;
        if (count > 0) found.push(...(await queue.getJobs(['prioritized'], before, before, true)));
        before += count;
      }
      // Of those behind all of them, if there are any.
      found.push(...(await queue.getJobs(['prioritized'], before, before, true)));
      return found;
    });
    // A job that was taken between the two questions comes back as nothing.
    const dueAt = (heads as ((typeof heads)[number] | undefined)[]).flatMap((job) =>
      job ? [job.timestamp + job.delay] : [],
    );
    return Math.max(0, Date.now() - Math.min(Date.now(), ...dueAt));
  }

  /** Whether the job is in the queue and not over: waiting, running or backing off. `jobId` is the contract's. */
  async isPending(job: CatalogueJob, jobId: string): Promise<boolean> {
    const id = toQueueJobId(job, jobId);
    return this.connection.call(job.queue, async (queue) => {
      const queued = await queue.getJob(id);
      return queued !== undefined && !(await queued.isCompleted()) && !(await queued.isFailed());
    });
  }

  /** Rejects with `DEPENDENCY.QUEUE_UNAVAILABLE` when no worker is connected to the queue. */
  async requireWorkers(queueName: string): Promise<void> {
    const workers = await this.connection.call(queueName, (queue) => queue.getWorkersCount());
    if (workers === 0) throw unavailable(new Error(`No worker is connected to ${queueName}.`));
  }

  /** Resolves if the backend answers. */
  async ping(): Promise<void> {
    await this.connection.call(PING_QUEUE, (queue) => queue.getJobCounts('wait'));
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}
