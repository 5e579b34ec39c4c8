import { AppError, EVERY_TENANT, type JobContract } from '@candor/contracts';
import type { JobSchedules } from '@candor/queue';
import type { Logger } from '@candor/runtime';

const EVERY_MS = 60_000;

export interface KeptSchedule {
  job: JobContract;
  everyMs: number;
}

/** Keeps schedules that belong to no tenant in the queue, which may lose them with its data. */
export class ScheduleKeeper {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly schedules: Pick<JobSchedules, 'upsert' | 'list'>,
    private readonly kept: readonly KeptSchedule[],
    private readonly logger: Logger,
  ) {}

  start(): void {
    const round = (): void => void (this.running = this.running.then(() => this.keepSafely()));
    round();
    this.timer = setInterval(round, EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Those that are there stay as they are: putting them again would move their next turn. */
  async keep(): Promise<void> {
    for (const { job, everyMs } of this.kept) {
      const present = await this.schedules.list(job.queue);
      if (present.some(({ id, everyMs: current }) => id === job.name && current === everyMs)) continue;
      await this.schedules.upsert(
        job,
        { id: job.name, everyMs, firstAt: new Date() },
        { tenantId: EVERY_TENANT, requestId: EVERY_TENANT },
      );
    }
  }

  private async keepSafely(): Promise<void> {
    try {
      await this.keep();
    } catch (error) {
      this.logger.warn({ code: AppError.from(error).code }, 'Schedules: failed; the next round tries again');
    }
  }
}
