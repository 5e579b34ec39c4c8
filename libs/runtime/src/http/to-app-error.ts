import { HttpException } from '@nestjs/common';
import { AppError, type ErrorCode } from '@candor/contracts';

/** Names the body parser gives its failures (`error.type`). */
const BODY_ERRORS: Readonly<Record<string, { code: ErrorCode; message?: string }>> = {
  'entity.parse.failed': { code: 'REQUEST.MALFORMED_JSON' },
  'entity.too.large': { code: 'REQUEST.TOO_LARGE' },
  'charset.unsupported': { code: 'REQUEST.UNSUPPORTED_MEDIA_TYPE', message: 'The body must be UTF-8.' },
  'encoding.unsupported': { code: 'REQUEST.UNSUPPORTED_MEDIA_TYPE', message: 'The content encoding is not supported.' },
  'encoding.invalid': { code: 'REQUEST.MALFORMED_JSON', message: 'The body is not valid UTF-8.' },
  'request.aborted': { code: 'REQUEST.CANCELLED' },
  'request.size.invalid': { code: 'REQUEST.INVALID', message: 'The body does not have the length that was announced.' },
};

const FRAMEWORK_ERRORS: Readonly<Record<number, ErrorCode>> = {
  400: 'REQUEST.INVALID',
  401: 'AUTH.INVALID_KEY',
  403: 'AUTH.ACTION_NOT_ALLOWED',
  404: 'REQUEST.UNKNOWN_ROUTE',
  413: 'REQUEST.TOO_LARGE',
  415: 'REQUEST.UNSUPPORTED_MEDIA_TYPE',
};

/** Anything that was thrown during a request as an AppError; texts of libraries stay in `cause`. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof HttpException) return fromCode(FRAMEWORK_ERRORS[error.getStatus()], error);
  return AppError.from(error);
}

/** A failure of the body parser, which hangs `type` and `status` on its errors. */
export function bodyErrorToAppError(error: unknown): AppError {
  if (typeof error !== 'object' || error === null) return AppError.from(error);
  const { type, status } = error as { type?: unknown; status?: unknown };
  const known = typeof type === 'string' ? BODY_ERRORS[type] : undefined;
  if (known) return new AppError(known.code, { ...(known.message ? { message: known.message } : {}), cause: error });
  // A broken gzip stream, for one: it has a client's status, and no name.
  if (status === 400) return new AppError('REQUEST.INVALID', { message: 'The body could not be read.', cause: error });
  return AppError.from(error);
}

function fromCode(code: ErrorCode | undefined, cause: unknown): AppError {
  return code ? new AppError(code, { cause }) : AppError.from(cause);
}
