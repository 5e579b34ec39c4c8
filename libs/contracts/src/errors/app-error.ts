import { ERROR_CATALOGUE, isErrorCode, type ErrorCode } from './error-codes.js';

export interface AppErrorOptions {
  /** Said to the caller; the catalogue's message if absent. Never a driver's text, a secret or content. */
  message?: string;
  /** Structured help for the caller, e.g. `{ field, rule }`. */
  details?: Record<string, unknown>;
  /** The original failure, for our own logs. */
  cause?: unknown;
  /** Seconds for the `Retry-After` header. */
  retryAfterSeconds?: number;
  /** Overrides the catalogue where only the thrower knows. */
  retryable?: boolean;
}

/** The one error that crosses our own boundaries; constructing it needs no request. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryable: boolean;
  readonly details: Record<string, unknown> | null;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    const entry = ERROR_CATALOGUE[code];
    super(options.message ?? entry.message, { cause: options.cause });
    this.code = code;
    this.status = entry.status;
    this.retryable = options.retryable ?? entry.retryable;
    this.details = options.details ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** The form that travels between our own processes (gRPC metadata, reply channel, dead letters). */
  toWire(): WireError {
    return {
      code: this.code,
      message: this.message,
      details: this.details,
      ...(this.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: this.retryAfterSeconds }),
    };
  }

  static fromWire(wire: WireError): AppError {
    return new AppError(isErrorCode(wire.code) ? wire.code : 'INTERNAL.UNEXPECTED', {
      message: wire.message,
      ...(wire.details ? { details: wire.details } : {}),
      ...(wire.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: wire.retryAfterSeconds }),
    });
  }

  /** Everything that is not an AppError is unexpected: its text stays in `cause`, for our logs only. */
  static from(error: unknown): AppError {
    return error instanceof AppError ? error : new AppError('INTERNAL.UNEXPECTED', { cause: error });
  }
}

export interface WireError {
  code: string;
  message: string;
  details: Record<string, unknown> | null;
  retryAfterSeconds?: number;
}

export function invalidField(field: string, rule: string): AppError {
  return new AppError('REQUEST.INVALID', { message: `${field} ${rule}`, details: { field, rule } });
}
