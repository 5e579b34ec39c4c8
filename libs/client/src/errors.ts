import type { ErrorCode } from '@candor/contracts';

/** What every failure of this client is. */
export class CandorError extends Error {
  override readonly name: string = 'CandorError';
}

/** The server's own refusal. */
export class ApiError extends CandorError {
  override readonly name = 'ApiError';
  readonly status: number;
  /** `SCOPE.REASON`; null for an answer that is none of the API's, a proxy's for one. */
  readonly type: ErrorCode | null;
  readonly details: Record<string, unknown> | null;
  /** For the audit trail; empty when the answer has none. */
  readonly requestId: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    fields: Pick<ApiError, 'status' | 'type' | 'details' | 'requestId' | 'retryAfterSeconds'>,
  ) {
    super(message);
    this.status = fields.status;
    this.type = fields.type;
    this.details = fields.details;
    this.requestId = fields.requestId;
    this.retryAfterSeconds = fields.retryAfterSeconds;
  }
}

/** No answer: the address is wrong, nobody listens, or the connection broke. */
export class ConnectionError extends CandorError {
  override readonly name = 'ConnectionError';
}

/** The deadline passed before an answer came, retries included. */
export class DeadlineError extends CandorError {
  override readonly name = 'DeadlineError';
}

/** A result that strict mode doesn't hand on; `reasons` name what it lacks. */
export class DegradedResultError extends CandorError {
  override readonly name = 'DegradedResultError';

  constructor(readonly reasons: readonly string[]) {
    super(`The result is degraded: ${reasons.join('; ')}`);
  }
}

/** From the one error shape of the API; anything else in a body is not repeated. */
export function toApiError(status: number, headers: Headers, body: unknown): ApiError {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as {
    error?: { type?: unknown; message?: unknown; details?: unknown; requestId?: unknown };
  };
  const isOurs = typeof error?.type === 'string' && typeof error.message === 'string';
  const retryAfter = headers.get('retry-after');
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  return new ApiError(isOurs ? String(error.message) : `The server answered ${status}.`, {
    status,
    type: isOurs ? (error.type as ErrorCode) : null,
    details: isOurs && typeof error.details === 'object' ? (error.details as Record<string, unknown> | null) : null,
    requestId: headers.get('x-request-id') ?? '',
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  });
}
