import { AppError, JOB_CATALOGUE, parseJobPayload, type JobContract } from '@candor/contracts';
import type { CatalogueJob } from './catalogue-job.js';
import { FairShares } from './fair-shares.js';
import type { JobProducer } from './job-producer.js';
import type { DeadLetter } from './strategy-options.js';

export interface OutboxRow {
  id: string;
  tenantId: string;
  jobName: string;
  payload: unknown;
}

export interface ClaimOptions {
  /** Only rows of these jobs: the queues of the others are full. */
  jobNames: readonly string[];
  /** Asked with the tenants that have rows: how many each may have, in their order. */
  share: (tenantIds: readonly string[]) => number[];
}

/**
 * The outbox table. `claim` takes unsent rows, each tenant's oldest first and one of each tenant in turn, `FOR UPDATE
 * SKIP LOCKED`, and leases them, so that a crashed dispatcher's rows come back by themselves; `release` gives rows back
 * at once.
 */
export interface OutboxStore {
  claim(options: ClaimOptions): Promise<OutboxRow[]>;
  markSent(ids: readonly string[]): Promise<void>;
  /** `error` is an error code. */
  release(ids: readonly string[], error: string): Promise<void>;
}

export interface OutboxDispatcherOptions {
  store: OutboxStore;
  producer: Pick<JobProducer, 'addMany' | 'counts'>;
  catalogue?: readonly CatalogueJob[];
  /** A row that can never be sent (unknown job, bad payload): written down, then marked as sent. */
  onDeadLetter: (deadLetter: DeadLetter) => Promise<void>;
  /** Told when a round failed; the loop goes on. */
  onError: (error: AppError) => void;
  /** Rows a round, default 100. */
  batchSize?: number;
  /** No rows are sent to a queue with so many waiting jobs, default 200: the backlog waits where it can be shared out. */
  maxWaiting?: number;
  /** Pause when there was nothing to do, ms, default 150. */
  idleMs?: number;
  /** Longest pause while the queue or the database is down, ms, default 5,000. */
  maxBackoffMs?: number;
}

/** Brings committed outbox rows to the queue, at least once each. */
export class OutboxDispatcher {
  private readonly jobs: Map<string, CatalogueJob>;
  private readonly batchSize: number;
  private readonly shares = new FairShares();
  private readonly maxWaiting: number;
  private readonly idleMs: number;
  private readonly maxBackoffMs: number;
  private loop: Promise<void> | undefined;
  private stopping = false;
  private queuesMayBeFull = true;
  private nudged = false;
  private wake: () => void = () => undefined;

  constructor(private readonly options: OutboxDispatcherOptions) {
    this.jobs = new Map((options.catalogue ?? JOB_CATALOGUE).map((job) => [job.name, job]));
    this.batchSize = options.batchSize ?? 100;
    this.maxWaiting = options.maxWaiting ?? 200;
    this.idleMs = options.idleMs ?? 150;
    this.maxBackoffMs = options.maxBackoffMs ?? 5_000;
  }

  start(): void {
    this.stopping = false;
    this.loop ??= this.run();
  }

  /** There is a new row: don't wait for the next poll. */
  nudge(): void {
    this.nudged = true;
    this.wake();
  }

  /** Ends the current round, then returns. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.loop;
    this.loop = undefined;
  }

  private async run(): Promise<void> {
    let failures = 0;
    while (!this.stopping) {
      try {
        this.nudged = false;
        const sent = await this.round();
        failures = 0;
        if (sent === 0) await this.pause(this.idleMs, true);
      } catch (error) {
        failures += 1;
        this.options.onError(AppError.from(error));
        // A nudge says that there is work, not that the queue is back.
        await this.pause(Math.min(this.maxBackoffMs, this.idleMs * 2 ** Math.min(failures, 16)), false);
      }
    }
  }

  /** Returns the number of rows that left the outbox. */
  private async round(): Promise<number> {
    const room = await this.roomByJob();
    const jobNames = [...room].filter(([, free]) => free > 0).map(([name]) => name);
    this.queuesMayBeFull = jobNames.length < room.size;
    if (jobNames.length === 0) return 0;
    const limit = Math.min(this.batchSize, ...jobNames.map((name) => room.get(name) ?? this.batchSize));
    const rows = await this.options.store.claim({
      jobNames,
      share: (tenantIds) => this.shares.allocate(tenantIds, limit),
    });
    if (rows.length === 0) return 0;
    this.queuesMayBeFull = true;
    await this.send(rows);
    for (const { tenantId } of rows) this.shares.record(tenantId, 1);
    return rows.length;
  }

  /** Sends what can be sent and puts the rest away; what the queue didn't take is released before this throws. */
  private async send(rows: readonly OutboxRow[]): Promise<void> {
    const ids = rows.map(({ id }) => id);
    try {
      const sendable = [];
      for (const row of rows) {
        const job = await this.readJob(row);
        if (job) sendable.push({ job, payload: row.payload });
      }
      await this.options.producer.addMany(sendable);
    } catch (error) {
      const failure = AppError.from(error);
      await this.options.store.release(ids, failure.code);
      throw failure;
    }
    await this.options.store.markSent(ids);
  }

  /** The row's job; undefined when it can never be sent, which is written down. */
  private async readJob(row: OutboxRow): Promise<JobContract | undefined> {
    const job = this.jobs.get(row.jobName) as JobContract | undefined;
    try {
      if (!job)
        throw new AppError('JOB.INVALID_PAYLOAD', {
          message: 'The outbox holds a job that the catalogue does not know.',
        });
      parseJobPayload(job, row.payload);
      return job;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'JOB.INVALID_PAYLOAD') throw error;
      await this.options.onDeadLetter({
        job: row.jobName,
        jobId: row.id,
        queue: job?.queue ?? '',
        payload: row.payload,
        error: { type: error.code, message: error.message },
        attemptsMade: 0,
      });
      return undefined;
    }
  }

  /** Free places by job name; the queues are only asked while rows flow. */
  private async roomByJob(): Promise<Map<string, number>> {
    const room = new Map<string, number>();
    const byQueue = new Map<string, number>();
    for (const job of this.jobs.values()) {
      let free = byQueue.get(job.queue);
      if (free === undefined) {
        const waiting = this.queuesMayBeFull ? (await this.options.producer.counts(job.queue)).waiting : 0;
        free = this.maxWaiting - waiting;
        byQueue.set(job.queue, free);
      }
      room.set(job.name, free);
    }
    return room;
  }

  private async pause(milliseconds: number, endsOnNudge: boolean): Promise<void> {
    if (this.stopping || (endsOnNudge && this.nudged)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wake = () => {
        if (!this.stopping && !endsOnNudge) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = () => undefined;
  }
}
