import { AppError } from '@candor/contracts';

export function unavailable(cause: unknown): AppError {
  return new AppError('DEPENDENCY.QUEUE_UNAVAILABLE', { cause, retryAfterSeconds: 2 });
}
