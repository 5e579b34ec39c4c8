import {
  AppError,
  EVERY_TENANT,
  isErrorCode,
  itemJobPayloadSchema,
  refreshItemMetadataJob,
  syncSourceJob,
  type ItemJobPayload,
} from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import { failRefresh, failVersion, insertDeadLetter, type Database } from '@candor/persistence';
import type { DeadLetter } from '@candor/queue';
import { createRequestContext, runInRequestContext, type Logger } from '@candor/runtime';
import { recordGenerationFailure } from '../features/build-generation/record-generation-failure.js';
import { EndRunService } from '../features/sync-connector/end-run.service.js';

type Origin = Pick<ItemJobPayload, 'tenantId' | 'requestId'>;

/** Dead letter, item state and audit event in one commit, so that a poisoned item never looks as if it were being worked on. */
export class RecordDeadLetterService {
  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
  ) {}

  /** In the name of the tenant whose job it was: the queue has left the job's own context by now. */
  async record(letter: DeadLetter): Promise<void> {
    const origin = itemJobPayloadSchema.pick({ tenantId: true, requestId: true }).strip().safeParse(letter.payload);
    if (!origin.success) return this.logUnreadable(letter);
    const { tenantId, requestId } = origin.data;
    if (tenantId === EVERY_TENANT) return this.logRound(letter);
    await runInRequestContext(createRequestContext(requestId, { tenantId }), () => this.recordOf(origin.data, letter));
  }

  private async recordOf(origin: Origin, letter: DeadLetter): Promise<void> {
    if (await recordGenerationFailure(this.database, letter)) return;
    const sync = syncSourceJob.payload.safeParse(letter.payload);
    if (letter.job === syncSourceJob.name && sync.success) return this.endRun(sync.data.runId, letter);
    const payload = itemJobPayloadSchema.safeParse(letter.payload);
    if (!payload.success) return this.recordUnreadable(origin, letter);
    const job = payload.data;
    const { type, message } = letter.error;
    const error = new AppError(isErrorCode(type) ? type : 'INTERNAL.UNEXPECTED', { message });
    await this.database.transaction(async (transaction) => {
      await insertDeadLetter(transaction, {
        tenantId: job.tenantId,
        requestId: job.requestId,
        jobName: letter.job,
        itemId: job.itemId,
        version: job.version,
        payload: job,
        errorType: error.code,
        errorMessage: message,
      });
      if (letter.job === refreshItemMetadataJob.name) await failRefresh(transaction, job, error);
      else await failVersion(transaction, job, error);
      await writeAuditEvents(transaction, [
        {
          tenantId: job.tenantId,
          requestId: job.requestId,
          action: 'item.fail',
          outcome: 'failed',
          actorApiKeyId: null,
          actorType: 'service',
          targetType: 'source_item',
          targetId: job.itemId,
          metadata: { job: letter.job, version: job.version, errorType: error.code, attempts: letter.attemptsMade },
        },
      ]);
    });
  }

  /** The run is the record: it shows the error, and the next one goes on from the cursor. */
  private endRun(runId: string, { error }: DeadLetter): Promise<void> {
    return new EndRunService(this.database).end({ id: runId, leaseId: null }, { state: 'failed', error });
  }

  /** A round of everybody's is nobody's to look at, and the next one does its work. */
  private logRound({ job, jobId, error, attemptsMade }: DeadLetter): void {
    this.logger.error({ job, jobId, type: error.type, attempts: attemptsMade }, 'A round of a schedule failed');
  }

  private logUnreadable({ job, jobId, error }: DeadLetter): void {
    this.logger.error({ job, jobId, type: error.type }, 'A job has no valid payload');
  }

  /** A payload that broke its contract is shown to its tenant where it still names one. */
  private async recordUnreadable(origin: Origin, letter: DeadLetter): Promise<void> {
    this.logUnreadable(letter);
    const { type, message } = letter.error;
    await this.database.transaction((transaction) =>
      insertDeadLetter(transaction, {
        ...origin,
        jobName: letter.job,
        itemId: null,
        version: null,
        payload: letter.payload,
        errorType: type,
        errorMessage: message,
      }),
    );
  }
}
