import type { z } from 'zod';
import type { ProviderFailureKind } from './provider-failure.js';

/** A provider's output breaks a rule. The message names rules and places and holds nothing of the output. */
export class PortOutputError extends Error {
  override readonly name = 'PortOutputError';

  constructor(
    readonly kind: Extract<ProviderFailureKind, 'malformed_output' | 'wrong_cardinality'>,
    message: string,
  ) {
    super(message);
  }
}

const MOST_ISSUES = 3;

/** Throws PortOutputError, kind `malformed_output`. */
export function parseOutput<Schema extends z.ZodType>(schema: Schema, output: unknown): z.output<Schema> {
  const parsed = schema.safeParse(output);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues
    .slice(0, MOST_ISSUES)
    .map((issue) => `${issue.path.map(String).join('.') || 'output'}: ${issue.code}`);
  throw new PortOutputError('malformed_output', `The output does not follow the contract (${issues.join(', ')}).`);
}
