import { z } from 'zod';
import { parseOutput } from './schema/parse-output.js';

/** What an answer provider returns, and nothing beside it (seed 000, "Verify citations"). */
export const synthesisOutputSchema = z.strictObject({
  statements: z.array(
    z.strictObject({
      // No keyword of JSON Schema: strict mode knows few.
      text: z.string().refine((text) => text.trim() !== ''),
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

/** Throws SYNTHESIS.INVALID_OUTPUT, as `parseOutput` does. */
export function parseSynthesisOutput(raw: unknown): SynthesisOutput {
  return parseOutput(synthesisOutputSchema, raw);
}
