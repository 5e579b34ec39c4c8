import type { AppError } from '@candor/contracts';

/** The one shape of an error, on every surface. */
export interface ErrorBody {
  error: {
    /** HTTP status. */
    code: number;
    /** `SCOPE.REASON`, see docs/reference/errors.md. */
    type: string;
    message: string;
    details: Record<string, unknown> | null;
    requestId: string;
  };
}

export function toErrorBody(error: AppError, requestId: string): ErrorBody {
  return { error: { code: error.status, type: error.code, message: error.message, details: error.details, requestId } };
}
