import { AppError } from '@candor/contracts';

export function cancelledError(signal: AbortSignal | undefined): AppError {
  return new AppError('REQUEST.CANCELLED', { cause: signal?.reason });
}

/** @throws AppError REQUEST.CANCELLED once the signal has fired. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelledError(signal);
}

/** For work that can't be stopped: the caller is let go with REQUEST.CANCELLED, the work's result is dropped. */
export async function untilCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let onAbort = (): void => {};
  const cancelled = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(cancelledError(signal));
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    throwIfCancelled(signal);
    return await Promise.race([work, cancelled]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
