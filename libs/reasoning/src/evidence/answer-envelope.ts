import { z } from 'zod';
import { parseOutput } from '../schema/parse-output.js';

const envelopeJsonSchema = z.strictObject({
  answer: z.string().max(20_000),
  citations: z.array(z.string().max(512)).max(50),
  insufficient_evidence: z.boolean(),
});

/** What an answer provider gives, and nothing beside it. */
export interface AnswerEnvelope {
  answer: string;
  /** Ids of evidence items, as the provider wrote them. */
  citations: string[];
  insufficientEvidence: boolean;
}

/** The envelope as JSON Schema for `response_format: json_schema, strict`. */
export function answerEnvelopeJsonSchema(): Record<string, unknown> {
  const schema: Record<string, unknown> = {
    ...z.toJSONSchema(
      z.strictObject({ answer: z.string(), citations: z.array(z.string()), insufficient_evidence: z.boolean() }),
    ),
  };
  // Strict-mode providers reject keywords that they don't know.
  delete schema['$schema'];
  return schema;
}

/** Exactly `answer`, `citations`, `insufficient_evidence`. Throws SYNTHESIS.INVALID_OUTPUT, as `parseOutput` does. */
export function parseAnswerEnvelope(raw: unknown): AnswerEnvelope {
  const { insufficient_evidence: insufficientEvidence, ...envelope } = parseOutput(envelopeJsonSchema, raw);
  return { ...envelope, insufficientEvidence };
}
