import { AppError } from '@candor/contracts';

export function cancelledError(signal: AbortSignal | undefined): AppError {
  return new AppError('REQUEST.CANCELLED', { cause: signal?.reason });
}

/** @throws AppError REQUEST.CANCELLED */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelledError(signal);
}
