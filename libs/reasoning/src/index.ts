export { answerQuestion, type AnsweredQuestion, type AnswerQuestionInput } from './answer-question.js';
export type { AnswerProvider, SynthesisRequest } from './answer-provider.port.js';
export {
  buildEvidencePacket,
  type AdmittedChunk,
  type EvidencePacket,
  type EvidencePassage,
} from './build-evidence-packet.js';
export { composeAnswer, composeNoEvidenceAnswer, type ComposedAnswer } from './compose-answer.js';
export { computeDigest } from './compute-digest.js';
export { loadTokenCounter, type TokenCounter } from './count-tokens.js';
export { escapeXmlAttribute, escapeXmlText, unescapeXmlOnce } from './escape-xml.js';
export { passesRelevanceGate, type SkipReason } from './relevance-gate.js';
export {
  parseSynthesisOutput,
  synthesisOutputJsonSchema,
  synthesisOutputSchema,
  type SynthesisOutput,
  type SynthesisStatement,
} from './synthesis-output.js';
export {
  normalizeWhitespace,
  stripCitationTokens,
  validateCitations,
  type BoundReference,
  type KeptStatement,
  type ValidatedCitations,
} from './validate-citations.js';
