import { AppError } from '@candor/contracts';
import { setTimeout as wait } from 'node:timers/promises';
import pRetry from 'p-retry';
import { TransientFailure } from './transient-failure.js';

export interface RetryLimits {
  /** All attempts and pauses of one request; what would take longer is left to whoever runs the sync. */
  budgetMs: number;
  firstPauseMs: number;
}

export const DEFAULT_RETRY_LIMITS: RetryLimits = { budgetMs: 30_000, firstPauseMs: 500 };
const MAX_RETRIES = 5;
const DEFAULT_RETRY_AFTER_SECONDS = 60;

/**
 * Repeats a read after transient failures, as long as the server's own `Retry-After` fits into the budget.
 *
 * @throws AppError `CONNECTOR.RATE_LIMITED` with `retryAfterSeconds`, `CONNECTOR.UNAVAILABLE`, or `REQUEST.CANCELLED`.
 */
export async function retryRequest<Answer>(
  request: () => Promise<Answer>,
  signal: AbortSignal,
  limits: RetryLimits = DEFAULT_RETRY_LIMITS,
): Promise<Answer> {
  const startedAt = Date.now();
  const remainingMs = (): number => limits.budgetMs - (Date.now() - startedAt);
  try {
    return await pRetry(request, {
      retries: MAX_RETRIES,
      minTimeout: limits.firstPauseMs,
      maxRetryTime: limits.budgetMs,
      randomize: true,
      signal,
      // Throwing ends the attempts.
      onFailedAttempt: async ({ error, retriesLeft }) => {
        if (!(error instanceof TransientFailure) || retriesLeft === 0) throw error;
        const pauseMs = (error.retryAfterSeconds ?? 0) * 1000;
        if (pauseMs > remainingMs()) throw error;
        await wait(pauseMs, undefined, { signal });
      },
    });
  } catch (error) {
    throw toAppError(error, signal);
  }
}

function toAppError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new AppError('REQUEST.CANCELLED', { cause: error });
  if (!(error instanceof TransientFailure)) return error;
  const { cause, retryAfterSeconds } = error;
  if (error.kind === 'rate_limited') {
    const seconds = Math.ceil(retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS);
    return new AppError('CONNECTOR.RATE_LIMITED', { retryAfterSeconds: Math.max(1, seconds), cause });
  }
  return new AppError('CONNECTOR.UNAVAILABLE', {
    cause,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds: Math.ceil(retryAfterSeconds) }),
  });
}
