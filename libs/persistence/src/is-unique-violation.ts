import { types } from 'node:util';

/** Whether Postgres refused a row because `constraint` has it already. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  if (!types.isNativeError(error)) return false;
  const { code, constraint: violated } = error as Error & { code?: unknown; constraint?: unknown };
  return code === '23505' && violated === constraint;
}
