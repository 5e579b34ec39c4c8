import { AppError } from '@candor/contracts';
import { APIErrorCode, APIResponseError, UnknownHTTPResponseError } from '@notionhq/client';
import { describeCause } from '../describe-cause.js';
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
      cause: describeCause(error),
    });
  }
  return new AppError('CONNECTOR.UNAVAILABLE', { cause: describeCause(error) });
}

function fromAnswer(error: APIResponseError): AppError {
  switch (error.code) {
    case APIErrorCode.Unauthorized:
      return new AppError('CONNECTOR.CREDENTIALS_REJECTED', {
        message: 'Notion rejects the token.',
        cause: describeCause(error),
      });
    case APIErrorCode.RateLimited:
      return new AppError('CONNECTOR.RATE_LIMITED', { retryAfterSeconds: 60, cause: describeCause(error) });
    case APIErrorCode.ObjectNotFound:
    case APIErrorCode.RestrictedResource:
    case APIErrorCode.ValidationError:
    case APIErrorCode.InvalidRequest:
      return unreadable(`Notion refuses: ${error.code}.`, error.code, describeCause(error));
    default:
      return new AppError('CONNECTOR.UNAVAILABLE', { cause: describeCause(error) });
  }
}
