import { AppError } from '@candor/contracts';
import { GaxiosError } from 'googleapis-common';
import { z } from 'zod';
import { describeCause } from '../describe-cause.js';
import { unreadable } from '../item-errors.js';
import { findAppError } from '../outbound-http/find-app-error.js';

const apiBodySchema = z.looseObject({
  error: z.looseObject({
    errors: z.array(z.looseObject({ reason: z.string().max(100).optional() })).optional(),
    status: z.string().max(100).optional(),
  }),
});
/** The token endpoint's form (RFC 6749, 5.2). */
const tokenBodySchema = z.looseObject({ error: z.string().max(100) });

const OF_THE_ACCOUNT = new Set([
  'accessNotConfigured',
  'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  'authError',
  'domainPolicy',
  'insufficientPermissions',
  'insufficientScopes',
  'SERVICE_DISABLED',
]);

export function toGoogleError(error: unknown): AppError {
  const known = findAppError(error);
  if (known !== null) return known;
  if (!(error instanceof GaxiosError)) return fromClient(error);
  const { status = 0, response } = error;
  const data: unknown = response?.data;
  const token = tokenBodySchema.safeParse(data).data?.error;
  if (token !== undefined && status >= 400) return rejected(token, error);
  if (status === 401) return rejected('the access token is not valid', error);
  if (status < 400 || status >= 500) return new AppError('CONNECTOR.UNAVAILABLE', { cause: describeCause(error) });
  const reason = readReason(data) ?? (status === 404 ? 'notFound' : `status ${String(status)}`);
  if (status === 403 && OF_THE_ACCOUNT.has(reason)) return rejected(reason, error);
  return unreadable(`Google refuses: ${reason}.`, reason, describeCause(error));
}

function readReason(data: unknown): string | null {
  const body = apiBodySchema.safeParse(parseText(data)).data?.error;
  const reason = body?.errors?.find((entry) => entry.reason !== undefined)?.reason ?? body?.status;
  return reason !== undefined && /^[\w-]{1,60}$/.test(reason) ? reason : null;
}

/** Of a download, the error's body comes as bytes too. */
function parseText(data: unknown): unknown {
  const text = data instanceof ArrayBuffer ? Buffer.from(data).toString('utf8') : data;
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: then it has no reason to give.
    return null;
  }
}

/** What the client says without asking: it has no means to renew an expired token. */
function fromClient(error: unknown): AppError {
  if (error instanceof Error && /refresh token/i.test(error.message)) return rejected('they cannot be renewed', error);
  return new AppError('CONNECTOR.UNAVAILABLE', { cause: describeCause(error) });
}

function rejected(reason: string, cause: unknown): AppError {
  return new AppError('CONNECTOR.CREDENTIALS_REJECTED', {
    message: `Google rejects the credentials: ${/^[\w .-]+$/.test(reason) ? reason : 'unknown reason'}.`,
    cause: describeCause(cause),
  });
}
