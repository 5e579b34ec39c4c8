import { Controller, Inject, Logger } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AppError, syncSourceJob, type SyncSourcePayload } from '@candor/contracts';
import { Database, findRunState, heartbeat, LostLeaseError, suspendRun, type SyncLease } from '@candor/persistence';
import { JobHandler, type JobContext } from '@candor/queue';
import { decideWait } from './decide-wait.js';
import { EndRunService } from './end-run.service.js';
import { SyncSliceService } from './sync-slice.service.js';
import { SYNC_LIMITS, type SyncLimits } from './sync-limits.js';

/** Works on one slice of a sync run, and says what becomes of the run. */
@Controller()
export class SyncSourceProcessor {
  private readonly logger = new Logger(SyncSourceProcessor.name);

  constructor(
    private readonly database: Database,
    private readonly slices: SyncSliceService,
    private readonly runs: EndRunService,
    @Inject(SYNC_LIMITS) private readonly limits: SyncLimits,
  ) {}

  @JobHandler(syncSourceJob)
  async sync(@Payload() job: SyncSourcePayload, @Ctx() context: Pick<JobContext, 'signal'>): Promise<void> {
    const lease = await this.slices.claim(job);
    if (!lease) return;
    const stopped = new AbortController();
    const timer = this.startHeartbeat(lease, stopped);
    try {
      const outcome = await this.slices.work(lease, AbortSignal.any([context.signal, stopped.signal]));
      if (outcome === 'done') await this.succeed(lease);
    } catch (error) {
      // Parked or repeated by the queue, and claimed anew then.
      context.signal.throwIfAborted();
      await this.settle(lease, stopped.signal.aborted ? new LostLeaseError() : error);
    } finally {
      clearInterval(timer);
    }
  }

  /** A long listing stores nothing for a while; a cancel must reach it all the same. */
  private startHeartbeat(lease: SyncLease, stopped: AbortController): NodeJS.Timeout {
    return setInterval(() => {
      this.database
        .transaction((transaction) => heartbeat(transaction, lease))
        .then(
          (isOurs) => {
            if (!isOurs) stopped.abort(new LostLeaseError());
          },
          // The database is away: the next batch says so itself, and the lease has time.
          () => undefined,
        );
    }, this.limits.heartbeatMs);
  }

  private async succeed({ run, leaseId }: SyncLease): Promise<void> {
    const failed = await this.database.read((manager) => findRunState(manager, run.id));
    await this.runs.end(
      { id: run.id, leaseId },
      {
        state: (failed?.counts.failed ?? 0) > 0 ? 'succeeded_with_errors' : 'succeeded',
        reconciled: run.mode !== 'incremental',
      },
    );
  }

  private async settle(lease: SyncLease, cause: unknown): Promise<void> {
    const key = { id: lease.run.id, leaseId: lease.leaseId };
    if (cause instanceof LostLeaseError) return this.runs.end(key, { state: 'cancelled' });
    const error = AppError.from(cause);
    // Ours, not the provider's: the queue keeps the job until it is back.
    if (error.code.startsWith('DEPENDENCY.')) throw error;
    if (error.code === 'INTERNAL.UNEXPECTED') this.logger.error(cause instanceof Error ? cause : error);
    const current = await this.database.read((manager) => findRunState(manager, lease.run.id));
    const seconds = decideWait(error, current ?? lease.run, this.limits);
    if (seconds === null)
      return this.runs.end(key, { state: 'failed', error: { type: error.code, message: error.message } });
    await this.database.transaction((transaction) => suspendRun(transaction, lease, { seconds, error }));
  }
}
