import { AppError } from '@candor/contracts';
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';
import { describeCause } from '../describe-cause.js';
import { unreadable } from '../item-errors.js';
import { findAppError } from '../outbound-http/find-app-error.js';

const CREDENTIALS = new Set([
  'access_denied',
  'account_inactive',
  'ekm_access_denied',
  'enterprise_is_restricted',
  'invalid_auth',
  'missing_scope',
  'no_permission',
  'not_allowed_token_type',
  'not_authed',
  'org_login_required',
  'team_access_not_granted',
  'token_expired',
  'token_revoked',
  'two_factor_setup_required',
]);
const PASSING = new Set([
  'fatal_error',
  'internal_error',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
]);

export function toSlackError(error: unknown): AppError {
  const known = findAppError(error);
  if (known !== null) return known;
  if (error instanceof WebAPIPlatformError) return fromPlatform(error);
  if (error instanceof WebAPIRateLimitedError) {
    return new AppError('CONNECTOR.RATE_LIMITED', { retryAfterSeconds: error.retryAfter, cause: describeCause(error) });
  }
  if (error instanceof WebAPIHTTPError) {
    if (error.statusCode === 401 || error.statusCode === 403) return rejected(String(error.statusCode), error);
    return new AppError('CONNECTOR.UNAVAILABLE', {
      message: `Slack answered with ${String(error.statusCode)}.`,
      retryable: error.statusCode !== 404,
      cause: describeCause(error),
    });
  }
  return new AppError('CONNECTOR.UNAVAILABLE', { cause: describeCause(error) });
}

function fromPlatform(error: WebAPIPlatformError): AppError {
  const reason: unknown = error.data.error;
  // The client puts what it can't parse where the code belongs.
  if (typeof reason !== 'string' || !/^[a-z0-9_]{1,80}$/.test(reason) || PASSING.has(reason)) {
    return new AppError('CONNECTOR.UNAVAILABLE', { cause: describeCause(error) });
  }
  if (!CREDENTIALS.has(reason)) return unreadable(`Slack refuses: ${reason}.`, reason, describeCause(error));
  const { needed } = error.data as { needed?: unknown };
  return rejected(
    typeof needed === 'string' && /^[\w:.,]+$/.test(needed) ? `${reason}, needed: ${needed}` : reason,
    error,
  );
}

function rejected(reason: string, cause: unknown): AppError {
  return new AppError('CONNECTOR.CREDENTIALS_REJECTED', {
    message: `Slack rejects the token: ${reason}.`,
    details: { reason: reason.split(',')[0] ?? reason },
    cause: describeCause(cause),
  });
}
