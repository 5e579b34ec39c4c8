import { AppError } from '@candor/contracts';
import { z } from 'zod';

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

/**
 * Exactly `answer`, `citations`, `insufficient_evidence`, as JSON text or as a value. Throws SYNTHESIS.INVALID_OUTPUT, whose
 * details name places and rules but hold nothing of the output.
 */
export function parseAnswerEnvelope(raw: unknown): AnswerEnvelope {
  const parsed = envelopeJsonSchema.safeParse(typeof raw === 'string' ? parseJson(raw) : raw);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), rule: issue.code }));
    throw new AppError('SYNTHESIS.INVALID_OUTPUT', { details: { issues } });
  }
  const { answer, citations, insufficient_evidence: insufficientEvidence } = parsed.data;
  return { answer, citations, insufficientEvidence };
}

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    // The parser's own message repeats a piece of the text, so it isn't kept as the cause.
    throw new AppError('SYNTHESIS.INVALID_OUTPUT', { details: { issues: [{ path: '', rule: 'not_json' }] } });
  }
}
