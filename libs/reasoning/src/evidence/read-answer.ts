import { AppError } from '@candor/contracts';
import type { ReasoningCitation } from '../run/reasoning-response.js';
import { parseAnswerEnvelope } from './answer-envelope.js';
import type { EvidenceBundle } from './evidence-bundle.js';
import { normalizeCitations } from './normalize-citations.js';
import { validateAnswer } from './validate-answer.js';

export type ReadAnswer =
  | {
      sufficient: true;
      answer: string;
      citations: [ReasoningCitation, ...ReasoningCitation[]];
      citationsNormalized: boolean;
    }
  | { sufficient: false; citationsNormalized: boolean };

/** Parse, normalize, validate: the one way from a provider's output to an answer. Throws SYNTHESIS.INVALID_OUTPUT. */
export function readAnswer(raw: unknown, bundle: EvidenceBundle): ReadAnswer {
  const envelope = parseAnswerEnvelope(raw);
  const { citations, normalized: citationsNormalized } = normalizeCitations(envelope.citations);
  const validation = validateAnswer({ ...envelope, citations }, bundle);
  if (!validation.valid) {
    const issues = validation.errors.map((rule) => ({ path: '', rule }));
    throw new AppError('SYNTHESIS.INVALID_OUTPUT', { details: { issues } });
  }
  if (!validation.sufficient) return { sufficient: false, citationsNormalized };
  return { sufficient: true, answer: validation.answer, citations: validation.citations, citationsNormalized };
}
