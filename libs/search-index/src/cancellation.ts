import { AppError } from '@candor/contracts';

/** Throws REQUEST.CANCELLED when the signal has fired. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new AppError('REQUEST.CANCELLED', { cause: signal.reason });
}

/** For work that can't be stopped: the caller is let go with REQUEST.CANCELLED, the work's result is dropped. */
export async function untilCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let onAbort = (): void => {};
  const cancelled = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new AppError('REQUEST.CANCELLED', { cause: signal.reason }));
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    throwIfCancelled(signal);
    return await Promise.race([work, cancelled]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
