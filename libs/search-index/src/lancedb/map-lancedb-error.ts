import { AppError } from '@candor/contracts';

const RETRY_AFTER_SECONDS = 5;

/** The driver throws plain errors with text; what it could not do, the disk or its files did not allow. */
export function mapLanceDbError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('DEPENDENCY.INDEX_UNAVAILABLE', { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
