import { z } from 'zod';
import { calibrationIdentitySchema } from '../calibration/calibration-identity.js';
import { contradictionSchema } from '../contradictions/contradiction.js';
import { answerableBundleSchema, evidenceBundleSchema } from '../evidence/evidence-bundle.js';
import { budgetUsageSchema, reasoningBudgetSchema } from '../planning/reasoning-budget.js';
import { reasoningTraceSchema } from '../planning/reasoning-trace.js';
import { inferenceProposalSchema } from '../proposals/inference-proposal.js';
import { countSchema, identifierSchema, millisecondsSchema } from '../schema/primitives.js';
import { generationIdentitySchema } from '../trust/generation-identity.js';
import { trustStateSchema } from '../trust/trust-state.js';
import { stageTimeSchema } from '../trust/trusted-result.js';
import { providerFailureSchema } from './provider-failure.js';
import { ABSTENTION_REASONS, CLARIFICATION_REASONS, REVIEW_REASONS } from './refusal-reason.js';
import { unsupportedGapSchema } from './unsupported-gap.js';

export const citationSchema = z.strictObject({
  /** An item of the trusted bundle. */
  chunkId: identifierSchema,
  documentId: identifierSchema,
  documentTitle: z.string(),
  /** The item's place in the bundle. */
  ordinal: z.number().int().positive(),
});
export type ReasoningCitation = z.infer<typeof citationSchema>;

export const diagnosticsSchema = z.strictObject({
  latencyMs: millisecondsSchema,
  budget: reasoningBudgetSchema,
  budgetUsed: budgetUsageSchema,
  retrievalStages: z.array(stageTimeSchema),
  /** The first one and those of expansion. */
  retrievalRounds: countSchema,
  answerProvider: z.string().nullable(),
  answerProviderInvoked: z.boolean(),
  expansionProviderInvoked: z.boolean(),
  citationsNormalized: z.boolean(),
  /** Asked for, and not said by what was retrieved, so that it couldn't be compared. */
  uncheckedIdentity: z.array(z.enum(['generationId', 'pipelineFingerprint', 'corpusFingerprint'])),
});
export type ReasoningDiagnostics = z.infer<typeof diagnosticsSchema>;

const common = {
  schemaVersion: z.literal(1),
  proposals: z.array(inferenceProposalSchema),
  providerFailures: z.array(providerFailureSchema),
  trace: reasoningTraceSchema,
  contradictions: z.array(contradictionSchema),
  unsupportedGaps: z.array(unsupportedGapSchema),
  generationIdentity: generationIdentitySchema,
  diagnostics: diagnosticsSchema,
};
const unanswered = { answer: z.null(), citations: z.tuple([]) };
const retrieved = {
  clarificationRequest: z.null(),
  evidence: evidenceBundleSchema,
  calibrationIdentity: calibrationIdentitySchema.nullable(),
  trustState: trustStateSchema,
};

export const answeredSchema = z.strictObject({
  ...common,
  ...retrieved,
  outcome: z.literal('answered'),
  answer: z.string().min(1),
  evidence: answerableBundleSchema,
  citations: z.tuple([citationSchema], citationSchema),
  refusalReason: z.null(),
});
export const abstainedSchema = z.strictObject({
  ...common,
  ...retrieved,
  ...unanswered,
  outcome: z.literal('abstained'),
  refusalReason: z.enum(ABSTENTION_REASONS),
});
export const needsReviewSchema = z.strictObject({
  ...common,
  ...retrieved,
  ...unanswered,
  outcome: z.literal('needs_review'),
  refusalReason: z.enum(REVIEW_REASONS),
});
/** Nothing was retrieved yet, so there is no evidence and no trust to speak of. */
export const needsClarificationSchema = z.strictObject({
  ...common,
  ...unanswered,
  outcome: z.literal('needs_clarification'),
  clarificationRequest: z.string().min(1),
  evidence: z.null(),
  calibrationIdentity: z.null(),
  trustState: z.null(),
  refusalReason: z.enum(CLARIFICATION_REASONS),
});

/** The shape alone; `reasoningResponseFromJson` also holds its parts against each other. */
export const reasoningResponseSchema = z.discriminatedUnion('outcome', [
  answeredSchema,
  abstainedSchema,
  needsReviewSchema,
  needsClarificationSchema,
]);

export type AnsweredResponse = z.infer<typeof answeredSchema>;
export type AbstainedResponse = z.infer<typeof abstainedSchema>;
export type NeedsReviewResponse = z.infer<typeof needsReviewSchema>;
export type NeedsClarificationResponse = z.infer<typeof needsClarificationSchema>;

/** One of four outcomes, each with the fields that it can have and no others. */
export type ReasoningResponse = z.infer<typeof reasoningResponseSchema>;
export type ReasoningOutcome = ReasoningResponse['outcome'];
