import { AppError } from '@candor/contracts';
import { z } from 'zod';

/** What an answer provider returns, and nothing beside it (seed 000, "Verify citations"). */
export const synthesisOutputSchema = z.strictObject({
  statements: z.array(
    z.strictObject({
      text: z.string(),
      references: z.array(z.strictObject({ chunkId: z.string(), quotation: z.string() })).min(1),
    }),
  ),
  limitations: z.array(z.string()),
});
export type SynthesisOutput = z.infer<typeof synthesisOutputSchema>;
export type SynthesisStatement = SynthesisOutput['statements'][number];

/** The same as JSON Schema for `response_format: json_schema, strict`: every key required, no other allowed. */
export function synthesisOutputJsonSchema(): Record<string, unknown> {
  const schema: Record<string, unknown> = { ...z.toJSONSchema(synthesisOutputSchema) };
  // Strict-mode providers reject keywords that they don't know.
  delete schema['$schema'];
  return schema;
}

/**
 * Checks a provider's output, given as JSON text or as a value.
 * Throws SYNTHESIS.INVALID_OUTPUT, whose details name places and rules but hold nothing of the output.
 */
export function parseSynthesisOutput(raw: unknown): SynthesisOutput {
  const parsed = synthesisOutputSchema.safeParse(typeof raw === 'string' ? parseJson(raw) : raw);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), rule: issue.code }));
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
