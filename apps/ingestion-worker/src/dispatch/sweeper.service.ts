import { AppError, deleteItemJob, extractItemJob, indexItemJob, refreshItemMetadataJob } from '@candor/contracts';
import {
  extendLease,
  findStrandedVersions,
  resendStaleHeads,
  resendStrandedVersion,
  type Database,
  type StrandedJob,
} from '@candor/persistence';
import type { JobProducer } from '@candor/queue';
import type { Logger } from '@candor/runtime';

const EVERY_MS = 10_000;
const BATCH = 200;
const JOBS = new Map(
  [extractItemJob, indexItemJob, refreshItemMetadataJob, deleteItemJob].map((job) => [job.name, job]),
);

/** Re-sends accepted work whose jobs the queue has lost: what was answered with 202 survives the queue's data. */
export class SweeperService {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly producer: JobProducer,
    private readonly logger: Logger,
    private readonly everyMs = EVERY_MS,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.running = this.running.then(() => this.sweepSafely());
    }, this.everyMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** How many jobs were sent again. */
  async sweep(): Promise<number> {
    return this.database.system('sweep').transaction(async (transaction) => {
      const stranded = await findStrandedVersions(transaction, BATCH);
      let sent = 0;
      for (const job of stranded) {
        if (await this.isQueued(job)) await extendLease(transaction, job.payload);
        else {
          await resendStrandedVersion(transaction, job);
          sent += 1;
        }
      }
      return sent + (await resendStaleHeads(transaction, BATCH));
    });
  }

  private async isQueued({ jobName, payload }: StrandedJob): Promise<boolean> {
    const job = JOBS.get(jobName as (typeof extractItemJob)['name']);
    return job !== undefined && (await this.producer.isPending(job, job.jobId(payload)));
  }

  private async sweepSafely(): Promise<void> {
    try {
      const sent = await this.sweep();
      if (sent > 0) this.logger.warn({ sent }, 'Sent lost jobs again');
    } catch (error) {
      this.logger.warn({ code: AppError.from(error).code }, 'Sweep failed; the next round tries again');
    }
  }
}
