import { AppError } from '@candor/contracts';
import { APIError, APIUserAbortError } from 'openai';

/** The server refused the input itself: the same input will not fare better later. */
const REFUSED_INPUT = new Set([400, 413, 422]);

/** What is left after the client's own retries. A wrong key or model name counts as an unreachable dependency: it is mended on our side, so jobs wait. */
export function translateError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof APIUserAbortError) return new AppError('REQUEST.CANCELLED', { cause: error });
  const status = error instanceof APIError ? (error.status as number | undefined) : undefined;
  const retryAfterSeconds = readRetryAfter(error);
  return new AppError('DEPENDENCY.EMBEDDINGS_UNAVAILABLE', {
    cause: error,
    ...(status === undefined ? {} : { details: { status }, retryable: !REFUSED_INPUT.has(status) }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

function readRetryAfter(error: unknown): number | undefined {
  if (!(error instanceof APIError)) return undefined;
  const seconds = Number.parseInt((error.headers as Headers | undefined)?.get('retry-after') ?? '', 10);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
