import { AppError } from '@candor/contracts';
import { APIErrorCode, APIResponseError, UnknownHTTPResponseError } from '@notionhq/client';
import { unreadable } from '../item-errors.js';
import { findAppError } from '../outbound-http/find-app-error.js';

export function toNotionError(error: unknown): AppError {
  const known = findAppError(error);
  if (known !== null) return known;
  if (error instanceof APIResponseError) return fromAnswer(error);
  if (error instanceof UnknownHTTPResponseError) {
    return new AppError('CONNECTOR.UNAVAILABLE', {
      message: `Notion answered with ${String(error.status)}.`,
      // No such endpoint: asking again changes nothing.
      retryable: error.status !== 404,
      cause: error,
    });
  }
  return new AppError('CONNECTOR.UNAVAILABLE', { cause: error });
}

function fromAnswer(error: APIResponseError): AppError {
  switch (error.code) {
    case APIErrorCode.Unauthorized:
      return new AppError('CONNECTOR.CREDENTIALS_REJECTED', { message: 'Notion rejects the token.', cause: error });
    case APIErrorCode.RateLimited:
      return new AppError('CONNECTOR.RATE_LIMITED', { retryAfterSeconds: 60, cause: error });
    case APIErrorCode.ObjectNotFound:
    case APIErrorCode.RestrictedResource:
    case APIErrorCode.ValidationError:
    case APIErrorCode.InvalidRequest:
      return unreadable(`Notion refuses: ${error.code}.`, error.code, error);
    default:
      return new AppError('CONNECTOR.UNAVAILABLE', { cause: error });
  }
}
