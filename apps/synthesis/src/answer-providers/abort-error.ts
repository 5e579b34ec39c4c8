import { AppError } from '@candor/contracts';

/** What an aborted call rejects with: the signal's own AppError (a passed deadline), else REQUEST.CANCELLED. */
export function toAbortError(signal: AbortSignal): AppError {
  return signal.reason instanceof AppError ? signal.reason : new AppError('REQUEST.CANCELLED');
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw toAbortError(signal);
}
