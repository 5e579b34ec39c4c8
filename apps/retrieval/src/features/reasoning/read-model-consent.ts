import { AppError, type CallerScope, type RetrievalReply } from '@candor/contracts';
import type { ReasoningReads } from './reasoning-reads.js';

/** As the tenant says now, whatever held when the request was made. Errors: AUTH.INVALID_KEY, for a key that no longer holds. */
export async function readModelConsent(
  reads: Pick<ReasoningReads, 'readModelConsent'>,
  { apiKeyId, tenantId }: CallerScope,
): Promise<RetrievalReply<'modelConsent'>> {
  const isGiven = await reads.readModelConsent(tenantId, apiKeyId);
  if (isGiven === null) throw new AppError('AUTH.INVALID_KEY');
  return { result: { isGiven }, facts: {} };
}
