import { AppError } from '@candor/contracts';

/** The AppError that a client wrapped into errors of its own. */
export function findAppError(error: unknown): AppError | null {
  let current = error;
  for (let depth = 0; depth < 6 && current instanceof Error; depth += 1) {
    if (current instanceof AppError) return current;
    const { original, originalError } = current as { original?: unknown; originalError?: unknown };
    current = original ?? originalError ?? current.cause;
  }
  return null;
}
