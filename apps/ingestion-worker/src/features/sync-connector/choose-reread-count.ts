import type { SyncRunRecord } from '@candor/persistence';
import type { SyncLimits } from './sync-limits.js';

/**
 * How many items are read again in one go. Once a run has waited so often that patience with an item would be over, what
 * stops it may be the number of requests that the provider allows: fewer and fewer then, and one alone in the end, so
 * that some progress fits into any limit.
 */
export function chooseRereadCount(
  { retries }: Pick<SyncRunRecord, 'retries'>,
  { rereadBatch, patienceWithItem, maxRetries }: Pick<SyncLimits, 'rereadBatch' | 'patienceWithItem' | 'maxRetries'>,
): number {
  if (retries >= maxRetries) return 1;
  const halvings = Math.max(0, retries - patienceWithItem);
  return Math.max(1, Math.floor(rereadBatch / 2 ** halvings));
}
