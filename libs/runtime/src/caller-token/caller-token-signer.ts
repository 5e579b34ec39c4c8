import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { AppError, callerScopeSchema, type CallerScope } from '@candor/contracts';

const SHORTEST_KEY = 32;
const LONGEST_TOKEN = 2_000_000;
const DEFAULT_TTL_MS = 15 * 60_000;

/** The same for gateway and retrieval. To change it: accept the new key everywhere, sign with it, then accept the old one no longer. */
export const signingEnvironment = {
  CANDOR_SIGNING_KEY: z
    .string()
    .min(SHORTEST_KEY)
    .describe('Signs caller scopes in jobs and calls; the same for gateway and retrieval.'),
  CANDOR_SIGNING_KEYS_ACCEPTED: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((key) => key.trim() || []))
    .refine(
      (keys) => keys.every(({ length }) => length >= SHORTEST_KEY),
      `must be keys of at least ${SHORTEST_KEY} characters`,
    )
    .describe('Further keys, comma-separated, whose signatures are accepted while the key is being changed.'),
};

export function createSigner(config: {
  CANDOR_SIGNING_KEY: string;
  CANDOR_SIGNING_KEYS_ACCEPTED: string[];
}): CallerTokenSigner {
  return new CallerTokenSigner(config.CANDOR_SIGNING_KEY, config.CANDOR_SIGNING_KEYS_ACCEPTED);
}

const payloadSchema = z.strictObject({ scope: callerScopeSchema, expiresAt: z.number().int() });

/**
 * Signs a caller's scope for jobs and internal calls, so that no process takes a scope another one made up.
 * The form is `base64url(payload).base64url(HMAC-SHA-256)`; the payload is readable and holds no secret.
 */
export class CallerTokenSigner {
  /** The first one signs. */
  private readonly keys: readonly [KeyObject, ...KeyObject[]];

  /**
   * @param key shared by gateway and retrieval of an installation, at least 32 characters.
   * @param accepted whose signatures are good as well, while services change from one key to another.
   */
  constructor(key: string, accepted: readonly string[] = []) {
    if ([key, ...accepted].some(({ length }) => length < SHORTEST_KEY)) {
      throw new AppError('CONFIG.INVALID', {
        message: `The key that signs caller scopes must have at least ${SHORTEST_KEY} characters.`,
      });
    }
    const toKey = (text: string): KeyObject => createSecretKey(text, 'utf8');
    this.keys = [toKey(key), ...accepted.map(toKey)];
  }

  /** @param ttlMs life of the token, default 15 minutes; jobs give the time they may wait. */
  sign(scope: CallerScope, ttlMs: number = DEFAULT_TTL_MS): string {
    const payload = Buffer.from(JSON.stringify({ scope, expiresAt: Date.now() + ttlMs })).toString('base64url');
    return `${payload}.${signatureOf(payload, this.keys[0]).toString('base64url')}`;
  }

  /** @throws AppError AUTH.INVALID_SCOPE for a token that is malformed, altered, signed by another key or expired. */
  verify(token: string): CallerScope {
    const separator = token.indexOf('.');
    if (separator < 1 || token.length > LONGEST_TOKEN) throw invalidScope();
    const payload = token.slice(0, separator);
    const given = Buffer.from(token.slice(separator + 1), 'base64url');
    if (!this.keys.some((key) => isSame(given, signatureOf(payload, key)))) throw invalidScope();
    const { scope, expiresAt } = parsePayload(payload);
    if (expiresAt <= Date.now()) throw invalidScope();
    return scope;
  }
}

function signatureOf(payload: string, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(payload).digest();
}

function isSame(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
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
