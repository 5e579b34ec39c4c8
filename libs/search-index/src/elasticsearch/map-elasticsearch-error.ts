import { AppError } from '@candor/contracts';
import { errors } from '@elastic/elasticsearch';

/** How long callers are told to wait while the server is away. */
const RETRY_AFTER_SECONDS = 5;

const BUSY_STATUSES = new Set([401, 403, 408, 429, 500, 502, 503, 504]);

/** Client and server failures as our own; what they said stays in `cause`. */
export function mapElasticsearchError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof errors.RequestAbortedError) return new AppError('REQUEST.CANCELLED', { cause: error });
  if (error instanceof errors.ResponseError) return mapStatus(error.statusCode ?? 0, error.message, error);
  if (error instanceof errors.ElasticsearchClientError) return indexUnavailable(error);
  return AppError.from(error);
}

/** One part of a multi-search or one item of a bulk. */
export function mapStatus(status: number, reason: string, cause: unknown): AppError {
  if (BUSY_STATUSES.has(status)) return indexUnavailable(cause);
  if (/different (number of )?dimension/i.test(reason)) return new AppError('EMBEDDINGS.PROFILE_MISMATCH', { cause });
  // The server understood and refused: the same request will be refused again.
  return new AppError('INTERNAL.UNEXPECTED', { cause, retryable: false });
}

export function indexUnavailable(cause: unknown, retryAfterSeconds = RETRY_AFTER_SECONDS): AppError {
  return new AppError('DEPENDENCY.INDEX_UNAVAILABLE', { cause, retryAfterSeconds });
}

export function isIndexMissing(error: unknown): boolean {
  return error instanceof errors.ResponseError && errorType(error.body) === 'index_not_found_exception';
}

function errorType(body: unknown): string | undefined {
  return (body as { error?: { type?: string } } | undefined)?.error?.type;
}
