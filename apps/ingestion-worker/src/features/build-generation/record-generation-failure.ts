import { AppError, generationWorkPayloadSchema, isErrorCode, promoteGenerationJob } from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import { failWork, insertDeadLetter, refusePromotion, type Database } from '@candor/persistence';
import type { DeadLetter } from '@candor/queue';

/** Dead letter, state of the generation and audit event in one commit; false when the job is not one of a generation. */
export async function recordGenerationFailure(database: Database, letter: DeadLetter): Promise<boolean> {
  const work = generationWorkPayloadSchema.safeParse(letter.payload);
  const promotion = promoteGenerationJob.payload.safeParse(letter.payload);
  const job = work.data ?? promotion.data;
  if (!job) return false;
  const { type, message } = letter.error;
  const error = new AppError(isErrorCode(type) ? type : 'INTERNAL.UNEXPECTED', { message });
  const { tenantId, requestId, generationId } = job;
  await database.transaction(async (transaction) => {
    await insertDeadLetter(transaction, {
      tenantId,
      requestId,
      jobName: letter.job,
      itemId: null,
      version: null,
      payload: job,
      errorType: error.code,
      errorMessage: message,
    });
    if (promotion.data) await refusePromotion(transaction, generationId, promotion.data.runId, error);
    else await failWork(transaction, generationId, error);
    await writeAuditEvents(transaction, [
      {
        tenantId,
        requestId,
        action: 'generation.fail',
        outcome: 'failed',
        actorApiKeyId: null,
        actorType: 'service',
        targetType: 'generation',
        targetId: generationId,
        metadata: { job: letter.job, errorType: error.code, attempts: letter.attemptsMade },
      },
    ]);
  });
  return true;
}
