import type { AppError } from '@candor/contracts';
import type { AbortKind } from './running-jobs.js';

/**
 * - `retry`: back off, one attempt used;
 * - `park`: back off, no attempt used (a dependency is down, or this worker stops; the last attempt of one whose statements
 *   take too long, while nobody else's succeed either);
 * - `dead-letter`: over, and the app writes it down;
 * - `cancel`: over, by somebody who knows.
 */
export type FailureOutcome = 'retry' | 'park' | 'dead-letter' | 'cancel';

export interface FailureFacts {
  error: AppError;
  aborted: AbortKind | undefined;
  oneShot: boolean;
  /** Whether the work of others is done meanwhile; see `AttemptLog`. */
  servesOthers: boolean;
  /** Attempts used before this one. */
  attemptsMade: number;
  attempts: number;
}

export function decideFailure(facts: FailureFacts): FailureOutcome {
  const { error, aborted, oneShot, attemptsMade, attempts } = facts;
  const isLast = attemptsMade + 1 >= attempts;
  if (aborted === 'cancelled') return 'cancel';
  if (aborted === 'stopping') return oneShot ? 'dead-letter' : 'park';
  if (!error.retryable) return 'dead-letter';
  // The job's own size or an overloaded server: which of them shows in how the others fare.
  if (!oneShot && error.code === 'DEPENDENCY.DATABASE_TIMEOUT' && (!isLast || facts.servesOthers))
    return isLast ? 'dead-letter' : 'retry';
  if (!oneShot && error.code.startsWith('DEPENDENCY.')) return 'park';
  return isLast ? 'dead-letter' : 'retry';
}
