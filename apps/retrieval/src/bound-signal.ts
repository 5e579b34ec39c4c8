import { AppError } from '@candor/contracts';

export interface BoundSignal {
  /** Fires at the deadline, or when the caller goes away. */
  signal: AbortSignal;
  /** Has to be called at the end, so that the timer does not outlive the request. */
  release: () => void;
}

/** @param deadline null = the caller set none. */
export function boundSignal(deadline: Date | null, callerSignal?: AbortSignal): BoundSignal {
  const expiry = new AbortController();
  const expire = (): void => expiry.abort(new AppError('DEADLINE.EXCEEDED'));
  const left = deadline === null ? Infinity : deadline.getTime() - Date.now();
  // Node fires a timer of more than 2^31 ms at once.
  const timer = left > 0 && left < 2 ** 31 ? setTimeout(expire, left) : undefined;
  if (left <= 0) expire();
  return {
    signal: callerSignal ? AbortSignal.any([expiry.signal, callerSignal]) : expiry.signal,
    release: () => clearTimeout(timer),
  };
}

/**
 * The work's result, unless the signal fires first; work that can't be stopped is left to end by itself. What was thrown
 * because of the signal comes out as the signal's own error: DEADLINE.EXCEEDED, or REQUEST.CANCELLED.
 */
export async function untilAborted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  if (hasFired(signal)) throw errorOf(signal);
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(errorOf(signal));
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } catch (error) {
    throw hasFired(signal) ? errorOf(signal) : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** A call, so that the compiler does not take the first answer for the last. */
function hasFired(signal: AbortSignal): boolean {
  return signal.aborted;
}

function errorOf(signal: AbortSignal): AppError {
  const reason: unknown = signal.reason;
  return reason instanceof AppError ? reason : new AppError('REQUEST.CANCELLED', { cause: reason });
}
