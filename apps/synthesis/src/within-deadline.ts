import { AppError } from '@candor/contracts';
import { throwIfAborted, toAbortError } from './answer-providers/abort-error.js';

/** setTimeout fires at once for a longer delay. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs work whose signal fires at the deadline, or when the caller hangs up.
 *
 * @throws AppError JOB.DEADLINE_PASSED without running it; DEADLINE.EXCEEDED; what `cancelled` carries; what it throws.
 */
export async function withinDeadline<Result>(
  { deadline, now, cancelled }: { deadline: string; now: () => number; cancelled: AbortSignal | undefined },
  run: (signal: AbortSignal, remainingMs: number) => Promise<Result>,
): Promise<Result> {
  const remaining = Date.parse(deadline) - now();
  if (!(remaining > 0)) throw new AppError('JOB.DEADLINE_PASSED');
  const expiry = new AbortController();
  const timer = setTimeout(
    () => expiry.abort(new AppError('DEADLINE.EXCEEDED')),
    Math.min(remaining, LONGEST_TIMER_MS),
  );
  const signal = cancelled === undefined ? expiry.signal : AbortSignal.any([cancelled, expiry.signal]);
  try {
    throwIfAborted(signal);
    return await run(signal, remaining);
  } catch (error) {
    // Whatever an aborted step died of, the abort is the reason.
    throw signal.aborted ? toAbortError(signal) : error;
  } finally {
    clearTimeout(timer);
  }
}
