export type { AnswerProvider, SynthesisRequest } from './answer-provider.port.js';
export { answerQuestion, type AnsweredQuestion, type AnswerQuestionInput } from './answer-question.js';
export {
  buildEvidencePacket,
  type AdmittedChunk,
  type EvidencePacket,
  type EvidencePassage,
} from './build-evidence-packet.js';
export { calibrate, type CalibrationBinding, type LabelledScores } from './calibration/calibrate.js';
export { MISSING_CALIBRATION, type CalibrationIdentity } from './calibration/calibration-identity.js';
export {
  CERTIFIED_AUC,
  DEFAULT_GROWTH_BOUND,
  FEWEST_SCORES,
  calibrationSchema,
  type Calibration,
} from './calibration/calibration.js';
export { judgeCalibration, type CalibrationJudgement, type ServedCorpus } from './calibration/judge-calibration.js';
export type { Claim, ClaimSource } from './claims/claim.js';
export { findConflicts, type Conflict } from './claims/find-conflicts.js';
export { composeAnswer, composeNoEvidenceAnswer, type ComposedAnswer } from './compose-answer.js';
export { computeDigest } from './compute-digest.js';
export type { Contradiction, ContradictionSide, Settlement } from './contradictions/contradiction.js';
export { detectContradictions, type DetectionInput } from './contradictions/detect-contradictions.js';
export { loadTokenCounter, type TokenCounter } from './count-tokens.js';
export { escapeXmlAttribute, escapeXmlText, unescapeXmlOnce } from './escape-xml.js';
export { answerEnvelopeJsonSchema, parseAnswerEnvelope, type AnswerEnvelope } from './evidence/answer-envelope.js';
export { buildEvidenceBundle, type BundleLimits } from './evidence/build-evidence-bundle.js';
export type {
  AbstainingBundle,
  AbstainReason,
  AnswerableBundle,
  EvidenceBundle,
  EvidenceItem,
  ExcludedHit,
} from './evidence/evidence-bundle.js';
export {
  DEFAULT_EVIDENCE_POLICY,
  evidencePolicySchema,
  type AnswerSlot,
  type EvidencePolicy,
  type EvidencePolicyInput,
} from './evidence/evidence-policy.js';
export {
  EVIDENCE_SYSTEM_PROMPT,
  parseEvidencePayload,
  renderEvidencePrompt,
  type EvidencePayload,
  type EvidencePrompt,
} from './evidence/evidence-prompt.js';
export { generateFromEvidence, type GeneratedAnswer } from './evidence/generate-from-evidence.js';
export { normalizeCitations, type NormalizedCitations } from './evidence/normalize-citations.js';
export { validateAnswer, type AnswerValidation } from './evidence/validate-answer.js';
export { createRuleBasedExpansionProvider, expandByRules } from './expansion/expand-by-rules.js';
export {
  LONGEST_QUERY,
  MOST_QUERIES,
  type ExpansionInput,
  type ExpansionQueries,
  type RetrievalProposal,
} from './expansion/expansion.js';
export {
  EDGE_KINDS,
  type EdgeKind,
  type GraphEdge,
  type GraphNode,
  type GraphProjection,
} from './graph/graph-projection.js';
export { projectGraph, type DeclaredRelation, type GraphDocument, type GraphSource } from './graph/project-graph.js';
export {
  DEFAULT_BUDGET,
  type BudgetUsage,
  type ReasoningBudget,
  type ReasoningBudgetInput,
} from './planning/reasoning-budget.js';
export type { ReasoningTrace, StepKind, StepStop, TraceStep } from './planning/reasoning-trace.js';
export { identifyProposal, type IdentifyingClaim } from './proposals/identify-proposal.js';
export {
  PROPOSAL_KINDS,
  type InferenceProposal,
  type ProposalKind,
  type ProposalProtocolReport,
  type ProposedClaim,
} from './proposals/inference-proposal.js';
export { createRuleBasedProposalProvider, proposeConflicts } from './proposals/propose-conflicts.js';
export { passesRelevanceGate, type SkipReason } from './relevance-gate.js';
export {
  PROVIDER_FAILURE_KINDS,
  PROVIDER_NAMES,
  type ProviderFailure,
  type ProviderFailureKind,
  type ProviderName,
} from './run/provider-failure.js';
export { reason } from './run/reason.js';
export {
  POLICY_NAMES,
  resolvePolicy,
  type PolicyName,
  type ReasoningPolicy,
  type ReasoningPolicyInput,
} from './run/reasoning-policy.js';
export type {
  ExpansionProvider,
  ExpansionRetrievalInput,
  ExpansionRetriever,
  GraphInput,
  GraphProvider,
  PortContext,
  ProposalInput,
  ProposalProvider,
  ReasoningAnswerProvider,
  ReasoningProviderPorts,
  Retriever,
  RetrieverInput,
} from './run/reasoning-ports.js';
export type { ReasoningRequest, ReasoningRuntime } from './run/reasoning-request.js';
export type {
  AbstainedResponse,
  AnsweredResponse,
  NeedsClarificationResponse,
  NeedsReviewResponse,
  ReasoningCitation,
  ReasoningDiagnostics,
  ReasoningOutcome,
  ReasoningResponse,
} from './run/reasoning-response.js';
export { REFUSAL_REASONS, type RefusalReason } from './run/refusal-reason.js';
export type { UnsupportedGap } from './run/unsupported-gap.js';
export {
  reasoningResponseFromJson,
  reasoningResponseToJson,
  type ReasoningResponseJson,
} from './serialization/reasoning-response-json.js';
export {
  parseSynthesisOutput,
  synthesisOutputJsonSchema,
  synthesisOutputSchema,
  type SynthesisOutput,
  type SynthesisStatement,
} from './synthesis-output.js';
export type { GenerationIdentity, GenerationSelection } from './trust/generation-identity.js';
export { judgeHit, type JudgedMoment, type RawHit } from './trust/judge-hit.js';
export { createPassageRetriever, type MemoryPassage } from './trust/passage-retriever.js';
export { TRUST_FAILURE_CODES, TRUSTED, degraded, type TrustFailureCode, type TrustState } from './trust/trust-state.js';
export { trustedResultSchema, type JudgedHit, type StageTime, type TrustedResult } from './trust/trusted-result.js';
export {
  trustedSearch,
  type RawSearch,
  type TrustedSearchPorts,
  type TrustedSearchRequest,
} from './trust/trusted-search.js';
export { VERDICTS, type Verdict } from './trust/verdict.js';
export {
  normalizeWhitespace,
  stripCitationTokens,
  validateCitations,
  type BoundReference,
  type KeptStatement,
  type ValidatedCitations,
} from './validate-citations.js';
export { QuotationSource, verifyQuotation, type FoundQuotation } from './verify-quotation/quotation-source.js';
export { DECLARED_STATUSES, type DeclaredStatus } from '@candor/contracts';
