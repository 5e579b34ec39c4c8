import type { AppError } from '@candor/contracts';
import type { SyncRunRecord } from '@candor/persistence';
import type { SyncLimits } from './sync-limits.js';

/** Longer waits are not taken at their word: the provider is asked again after a day. */
const LONGEST_RETRY_AFTER_SECONDS = 86_400;

/**
 * Seconds until a run that met `error` goes on; null = it is over. A provider that asks for patience gets it, however
 * often; one that can't be reached is given up after a while. So is a phase that begins anew after each wait: it may never
 * get through, and keeps the source from all other runs.
 */
export function decideWait(
  error: Pick<AppError, 'code' | 'retryable' | 'retryAfterSeconds'>,
  { retries, phase }: Pick<SyncRunRecord, 'retries' | 'phase'>,
  limits: Pick<SyncLimits, 'maxRetries' | 'firstWaitSeconds' | 'longestWaitSeconds'>,
): number | null {
  if (!error.retryable) return null;
  const backoff = Math.min(limits.longestWaitSeconds, limits.firstWaitSeconds * 2 ** Math.min(retries, 20));
  if (error.code === 'CONNECTOR.RATE_LIMITED' && phase !== 'compare')
    return Math.min(LONGEST_RETRY_AFTER_SECONDS, error.retryAfterSeconds ?? backoff);
  if (retries >= limits.maxRetries) return null;
  return Math.max(backoff, Math.min(error.retryAfterSeconds ?? 0, LONGEST_RETRY_AFTER_SECONDS));
}
