import { AppError, JOB_CATALOGUE, type JobContract } from '@candor/contracts';
import type { CatalogueJob } from './catalogue-job.js';
import { interleaveTenants } from './interleave-tenants.js';
import type { JobProducer } from './job-producer.js';
import type { DeadLetter } from './strategy-options.js';

export interface OutboxRow {
  id: string;
  tenantId: string;
  jobName: string;
  payload: unknown;
}

export interface ClaimOptions {
  /** At most so many rows of one tenant: without it a big backlog at the head hides every other tenant. */
  perTenant: number;
  /** Only rows of these jobs: the queues of the others are full. */
  jobNames: readonly string[];
}

/**
 * The outbox table. `claim` takes unsent rows, oldest first, `FOR UPDATE SKIP LOCKED`, and leases them, so that a
 * crashed dispatcher's rows come back by themselves; `release` gives rows back at once.
 */
export interface OutboxStore {
  claim(limit: number, options: ClaimOptions): Promise<OutboxRow[]>;
  markSent(ids: readonly string[]): Promise<void>;
  /** `error` is an error code, or undefined for rows that only wait for their turn. */
  release(ids: readonly string[], error: string | undefined): Promise<void>;
}

export interface OutboxDispatcherOptions {
  store: OutboxStore;
  producer: Pick<JobProducer, 'add' | 'counts'>;
  catalogue?: readonly CatalogueJob[];
  /** A row that can never be sent (unknown job, bad payload): written down, then marked as sent. */
  onDeadLetter: (deadLetter: DeadLetter) => Promise<void>;
  /** Told when a round failed; the loop goes on. */
  onError: (error: AppError) => void;
  /** Rows a round, default 100. */
  batchSize?: number;
  /** Rows of one tenant a round, default 20. */
  tenantWindow?: number;
  /** No rows are sent to a queue with so many waiting jobs, default 500: the backlog waits where it can be shared out. */
  maxWaiting?: number;
  /** Pause when there was nothing to do, ms, default 150. */
  idleMs?: number;
  /** Longest pause while the queue or the database is down, ms, default 5,000. */
  maxBackoffMs?: number;
}

const SEND_CONCURRENCY = 20;

/** Brings committed outbox rows to the queue, at least once each. */
export class OutboxDispatcher {
  private readonly jobs: Map<string, CatalogueJob>;
  private readonly batchSize: number;
  private readonly tenantWindow: number;
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
    this.tenantWindow = options.tenantWindow ?? 20;
    this.maxWaiting = options.maxWaiting ?? 500;
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
    const rows = await this.options.store.claim(limit, { perTenant: this.tenantWindow, jobNames });
    const { order, leftOver } = interleaveTenants(rows, this.tenantWindow);
    if (leftOver.length > 0)
      await this.options.store.release(
        leftOver.map(({ id }) => id),
        undefined,
      );
    this.queuesMayBeFull ||= order.length > 0;
    let sent = 0;
    for (let from = 0; from < order.length; from += SEND_CONCURRENCY) {
      const failure = await this.sendBatch(order.slice(from, from + SEND_CONCURRENCY));
      if (failure) {
        const rest = order.slice(from + SEND_CONCURRENCY).map(({ id }) => id);
        if (rest.length > 0) await this.options.store.release(rest, failure.code);
        throw failure;
      }
      sent += Math.min(SEND_CONCURRENCY, order.length - from);
    }
    return sent;
  }

  /** Marks what was sent, releases what was not, and returns the reason. */
  private async sendBatch(rows: readonly OutboxRow[]): Promise<AppError | undefined> {
    const results = await Promise.allSettled(rows.map((row) => this.send(row)));
    const sent = rows.filter((_row, index) => results[index]?.status === 'fulfilled');
    const unsent = rows.filter((row) => !sent.includes(row));
    const rejected = results.find((result) => result.status === 'rejected');
    const failure = rejected ? AppError.from(rejected.reason) : undefined;
    if (sent.length > 0) await this.options.store.markSent(sent.map(({ id }) => id));
    if (unsent.length > 0)
      await this.options.store.release(
        unsent.map(({ id }) => id),
        failure?.code,
      );
    return failure;
  }

  private async send(row: OutboxRow): Promise<void> {
    const job = this.jobs.get(row.jobName);
    try {
      if (!job)
        throw new AppError('JOB.INVALID_PAYLOAD', {
          message: 'The outbox holds a job that the catalogue does not know.',
        });
      // `add` parses the payload by this very contract before it calls its `jobId`.
      await this.options.producer.add(job as JobContract, row.payload);
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
