import type { ReasoningCitation } from '../run/reasoning-response.js';
import { isNonEmpty } from '../schema/is-non-empty.js';
import { stripCitationTokens } from '../validate-citations.js';
import type { AnswerEnvelope } from './answer-envelope.js';
import type { EvidenceBundle } from './evidence-bundle.js';

export type AnswerValidation =
  | { valid: true; sufficient: true; answer: string; citations: [ReasoningCitation, ...ReasoningCitation[]] }
  | { valid: true; sufficient: false }
  | { valid: false; errors: [string, ...string[]] };

/**
 * An answer counts when it says something and rests on at least one citation, each the id of an item of the bundle. Demoted
 * and unretrieved passages and proposals have no item, so none of them can be cited. Errors name rules and places only.
 */
export function validateAnswer(envelope: AnswerEnvelope, bundle: EvidenceBundle): AnswerValidation {
  const items = new Map(bundle.items.map((item) => [item.chunkId, item]));
  const errors: string[] = [];
  const citations: ReasoningCitation[] = [];
  for (const [index, chunkId] of envelope.citations.entries()) {
    const item = items.get(chunkId);
    if (item === undefined) errors.push(`citations.${index} is not an item of the trusted evidence`);
    else
      citations.push({
        chunkId,
        documentId: item.documentId,
        documentTitle: item.documentTitle,
        ordinal: item.ordinal,
      });
  }
  // Tokens in the prose are the provider's own and were not checked.
  const answer = stripCitationTokens(envelope.answer);
  if (!envelope.insufficientEvidence) {
    if (answer === '') errors.push('answer is blank');
    if (envelope.citations.length === 0) errors.push('citations is empty');
  }
  if (isNonEmpty(errors)) return { valid: false, errors };
  const resting = envelope.insufficientEvidence ? [] : citations;
  return isNonEmpty(resting)
    ? { valid: true, sufficient: true, answer, citations: resting }
    : { valid: true, sufficient: false };
}
