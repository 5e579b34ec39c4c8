import type { AppError } from '@candor/contracts';
import type { AbortKind } from './running-jobs.js';

/**
 * - `retry`: back off, one attempt used;
 * - `park`: back off, no attempt used (a dependency is down, or this worker stops);
 * - `dead-letter`: over, and the app writes it down;
 * - `cancel`: over, by somebody who knows.
 */
export type FailureOutcome = 'retry' | 'park' | 'dead-letter' | 'cancel';

export interface FailureFacts {
  error: AppError;
  aborted: AbortKind | undefined;
  oneShot: boolean;
  /** Attempts used before this one. */
  attemptsMade: number;
  attempts: number;
}

export function decideFailure({ error, aborted, oneShot, attemptsMade, attempts }: FailureFacts): FailureOutcome {
  if (aborted === 'cancelled') return 'cancel';
  if (aborted === 'stopping') return oneShot ? 'dead-letter' : 'park';
  if (!error.retryable) return 'dead-letter';
  if (!oneShot && error.code.startsWith('DEPENDENCY.')) return 'park';
  return attemptsMade + 1 < attempts ? 'retry' : 'dead-letter';
}
