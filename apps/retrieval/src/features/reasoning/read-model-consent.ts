import { AppError, type CallerScope, type RetrievalReply } from '@candor/contracts';
import type { RetrievalViews } from '@candor/persistence/views';

export type ConsentReads = Pick<RetrievalViews, 'readModelConsent'>;

/** As the tenant says now, whatever held when the request was made. Errors: AUTH.INVALID_KEY, for a key that no longer holds. */
export async function readModelConsent(
  views: ConsentReads,
  { apiKeyId, tenantId }: CallerScope,
): Promise<RetrievalReply<'modelConsent'>> {
  const isGiven = await views.readModelConsent(tenantId, apiKeyId);
  if (isGiven === null) throw new AppError('AUTH.INVALID_KEY');
  return { result: { isGiven }, facts: {} };
}
