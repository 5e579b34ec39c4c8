import { AppError, extractItemJob, indexItemJob, itemJobPayloadSchema } from '@candor/contracts';
import { recordWaits, type Database, type ItemWait } from '@candor/persistence';
import type { JobFailure } from '@candor/queue';
import type { Logger } from '@candor/runtime';
import { Coalescer } from '@candor/runtime/coalescer';

const MAX_INPUTS = 512;
const STAGES: ReadonlySet<string> = new Set([extractItemJob.name, indexItemJob.name]);

/** Lets people see why an item that is parked or retried waits, and until when. Many fail at once, and are written down at once. */
export class WaitRecorder {
  private readonly writes: Coalescer<ItemWait, void>;

  constructor(
    database: Pick<Database, 'forTenants'>,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {
    this.writes = new Coalescer({
      maxInputs: MAX_INPUTS,
      run: async (waits) => {
        const tenantIds = waits.map(({ job }) => job.tenantId);
        await database.forTenants(tenantIds).transaction((transaction) => recordWaits(transaction, waits));
        return waits.map(() => undefined);
      },
    });
  }

  /** Never fails: while the database is the reason there is nowhere to write it down. */
  async record({ job, payload, error, nextAttemptAt }: JobFailure): Promise<void> {
    const failedAt = performance.now();
    if (nextAttemptAt === null || !STAGES.has(job)) return;
    const read = itemJobPayloadSchema.safeParse(payload);
    if (!read.success) return;
    const { code: type, message } = error;
    try {
      await this.writes.call({ job: read.data, error: { type, message }, nextAttemptAt, failedAt });
    } catch (cause) {
      this.logger.warn({ code: AppError.from(cause).code }, 'A waiting item could not be written down');
    }
  }

  /** Resolves when nothing is being written. */
  settled(): Promise<void> {
    return this.writes.settled();
  }
}
