import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { AppError, callerScopeSchema, type CallerScope } from '@candor/contracts';
import { z } from 'zod';

const SHORTEST_KEY = 32;
const LONGEST_TOKEN = 2_000_000;
const DEFAULT_TTL_MS = 15 * 60_000;

const payloadSchema = z.strictObject({ scope: callerScopeSchema, expiresAt: z.number().int() });

/**
 * Signs a caller's scope for jobs and internal calls, so that no process takes a scope another one made up.
 * The form is `base64url(payload).base64url(HMAC-SHA-256)`; the payload is readable and holds no secret.
 */
export class CallerTokenSigner {
  private readonly key: KeyObject;

  /** @param key shared by all services of an installation, at least 32 characters. */
  constructor(key: string) {
    if (key.length < SHORTEST_KEY) {
      throw new AppError('CONFIG.INVALID', {
        message: `The key that signs caller scopes must have at least ${SHORTEST_KEY} characters.`,
      });
    }
    this.key = createSecretKey(key, 'utf8');
  }

  /** @param ttlMs life of the token, default 15 minutes; jobs give the time they may wait. */
  sign(scope: CallerScope, ttlMs: number = DEFAULT_TTL_MS): string {
    const payload = Buffer.from(JSON.stringify({ scope, expiresAt: Date.now() + ttlMs })).toString('base64url');
    return `${payload}.${this.signatureOf(payload).toString('base64url')}`;
  }

  /** @throws AppError AUTH.INVALID_SCOPE for a token that is malformed, altered, signed by another key or expired. */
  verify(token: string): CallerScope {
    const separator = token.indexOf('.');
    if (separator < 1 || token.length > LONGEST_TOKEN) throw invalidScope();
    const payload = token.slice(0, separator);
    const given = Buffer.from(token.slice(separator + 1), 'base64url');
    const expected = this.signatureOf(payload);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw invalidScope();
    const { scope, expiresAt } = parsePayload(payload);
    if (expiresAt <= Date.now()) throw invalidScope();
    return scope;
  }

  private signatureOf(payload: string): Buffer {
    return createHmac('sha256', this.key).update(payload).digest();
  }
}

function parsePayload(payload: string): z.output<typeof payloadSchema> {
  try {
    return payloadSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  } catch (error) {
    throw invalidScope(error);
  }
}

function invalidScope(cause?: unknown): AppError {
  return new AppError('AUTH.INVALID_SCOPE', { cause });
}
