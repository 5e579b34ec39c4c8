import type { Response } from 'undici';

const MAX_REASON_BYTES = 64 * 1024;
/** Google says 403 where others say 429. */
const GOOGLE_RATE_REASONS = /"(?:userRateLimitExceeded|rateLimitExceeded|quotaExceeded|RATE_LIMIT_EXCEEDED)"/;
/** Slack says 200. */
const SLACK_RATE_REASON = /"error"\s*:\s*"(?:ratelimited|rate_limited)"/;

/** May go away by itself within seconds. */
export class TransientFailure extends Error {
  override readonly name = 'TransientFailure';
  readonly retryAfterSeconds: number | null;

  constructor(
    readonly kind: 'rate_limited' | 'unavailable',
    options: { retryAfterSeconds?: number | null; cause?: unknown } = {},
  ) {
    super(kind, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

/** Null when the answer is one to work with, be it a refusal. */
export function judgeResponse(response: Response, body: Buffer): TransientFailure | null {
  const retryAfterSeconds = readRetryAfter(response.headers.get('retry-after'), Date.now());
  if (response.status === 429 || isRateRefusal(response.status, body)) {
    return new TransientFailure('rate_limited', { retryAfterSeconds });
  }
  if (response.status >= 500 || response.status === 408) {
    return new TransientFailure('unavailable', {
      retryAfterSeconds,
      cause: new Error(`answered with ${String(response.status)}`),
    });
  }
  return null;
}

function isRateRefusal(status: number, body: Buffer): boolean {
  if (body.byteLength > MAX_REASON_BYTES) return false;
  if (status === 403) return GOOGLE_RATE_REASONS.test(body.toString('utf8'));
  return status === 200 && body.byteLength < 1024 && SLACK_RATE_REASON.test(body.toString('utf8'));
}

/** Seconds from now, of either form of the header (RFC 9110, 10.2.3); null when absent or unreadable. */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const instant = Date.parse(header);
  return Number.isNaN(instant) ? null : Math.max(0, Math.ceil((instant - now) / 1000));
}
