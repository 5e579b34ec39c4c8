import { AppError, JOB_CATALOGUE, parseJobPayload, type JobContract } from '@candor/contracts';
import type { CatalogueJob } from './catalogue-job.js';
import { LaneShares, type Lane } from './lane-shares.js';
import type { JobProducer } from './job-producer.js';
import { QueueWindow } from './queue-window.js';
import type { DeadLetter } from './strategy-options.js';

export interface OutboxRow extends Lane {
  id: string;
  jobName: string;
  payload: unknown;
}

export interface ClaimOptions {
  /** Only rows of these jobs: the queues of the others are full. */
  jobNames: readonly string[];
  /** Asked with the lanes that have rows: how many each may have, in their order. */
  share: (lanes: readonly Lane[]) => number[];
}

/**
 * The outbox table. `claim` takes unsent rows, each lane's oldest first and one of each lane in turn, `FOR UPDATE
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
  /** So many jobs may wait in a queue, however slow it is; default 64. */
  minimumWindow?: number;
  /** Pause when there was nothing to do, ms, default 150. */
  idleMs?: number;
  /** Longest pause while the queue or the database is down, ms, default 5,000. */
  maxBackoffMs?: number;
}

/** Without a priority a job goes before all that have one; a higher number waits longer. */
const PRIORITY = { ofHeavyTenant: 1, ofHeavyLane: 2 } as const;

/** Brings committed outbox rows to the queue, at least once each. */
export class OutboxDispatcher {
  private readonly jobs: Map<string, CatalogueJob>;
  private readonly batchSize: number;
  private readonly shares = new LaneShares();
  private readonly windows: Map<string, QueueWindow>;
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
    const minimum = options.minimumWindow ?? 64;
    this.windows = new Map([...this.jobs.values()].map(({ queue }) => [queue, new QueueWindow(minimum)]));
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
    const { limit, jobNames } = await this.findRoom();
    if (jobNames.length === 0) return 0;
    const rows = await this.options.store.claim({
      jobNames,
      share: (lanes) => this.shares.allocate(lanes, limit),
    });
    if (rows.length === 0) return 0;
    this.queuesMayBeFull = true;
    await this.send(rows);
    for (const row of rows) {
      this.shares.record(row);
      this.windows.get(this.jobs.get(row.jobName)?.queue ?? '')?.record(1);
    }
    return rows.length;
  }

  /** Sends what can be sent and puts the rest away; what the queue didn't take is released before this throws. */
  private async send(rows: readonly OutboxRow[]): Promise<void> {
    const ids = rows.map(({ id }) => id);
    try {
      const sendable = [];
      for (const row of rows) {
        const job = await this.readJob(row);
        if (job) sendable.push({ job, payload: row.payload, ...this.placeInQueue(row) });
      }
      await this.options.producer.addMany(sendable);
    } catch (error) {
      const failure = AppError.from(error);
      await this.options.store.release(ids, failure.code);
      throw failure;
    }
    await this.options.store.markSent(ids);
  }

  private placeInQueue(row: OutboxRow): { priority?: number } {
    const heavy = this.shares.findHeavy(row);
    if (heavy === null) return {};
    return { priority: heavy === 'lane' ? PRIORITY.ofHeavyLane : PRIORITY.ofHeavyTenant };
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

  /** The jobs whose queues have room, and how many rows fit into each; the queues are only asked while rows flow. */
  private async findRoom(): Promise<{ limit: number; jobNames: string[] }> {
    let limit = this.batchSize;
    const open = new Set<string>();
    for (const [queue, window] of this.windows) {
      const { size } = window;
      const free = size - (this.queuesMayBeFull ? (await this.options.producer.counts(queue)).waiting : 0);
      // A queue with little room is as good as full: rounds of a few rows would cost as much as full ones.
      if (free < Math.min(this.batchSize, size) / 2) continue;
      open.add(queue);
      limit = Math.min(limit, free);
    }
    this.queuesMayBeFull = open.size < this.windows.size;
    return { limit, jobNames: [...this.jobs.values()].filter((job) => open.has(job.queue)).map(({ name }) => name) };
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
