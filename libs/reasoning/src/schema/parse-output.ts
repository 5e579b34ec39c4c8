import { AppError } from '@candor/contracts';
import type { z } from 'zod';

/** Places that are told: a hostile output has as many wrong ones as it has bytes. */
const MOST_ISSUES = 20;

/**
 * Checks what an answer provider wrote, given as JSON text or as a value. Throws SYNTHESIS.INVALID_OUTPUT, whose details name
 * places and rules but hold nothing of the output.
 */
export function parseOutput<Output>(schema: z.ZodType<Output>, raw: unknown): Output {
  const parsed = schema.safeParse(typeof raw === 'string' ? parseJson(raw) : raw);
  if (parsed.success) return parsed.data;
  const told = parsed.error.issues.slice(0, MOST_ISSUES);
  const issues = told.map(({ path, code }) => ({ path: path.join('.'), rule: code }));
  throw new AppError('SYNTHESIS.INVALID_OUTPUT', { details: { issues } });
}

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    // The parser's own message repeats a piece of the text, so it isn't kept as the cause.
    throw new AppError('SYNTHESIS.INVALID_OUTPUT', { details: { issues: [{ path: '', rule: 'not_json' }] } });
  }
}
