import { z } from 'zod';
import { countSchema, identifierSchema } from '../schema/primitives.js';
import { generationIdentitySchema } from '../trust/generation-identity.js';
import { trustStateSchema } from '../trust/trust-state.js';
import { judgedHitSchema } from '../trust/trusted-result.js';
import { VERDICTS } from '../trust/verdict.js';

/** Which pass of retrieval brought an item. */
export const RETRIEVAL_PASSES = ['initial', 'depth', 'expansion'] as const;
export type RetrievalPass = (typeof RETRIEVAL_PASSES)[number];

export const evidenceItemSchema = judgedHitSchema.extend({
  /** Demoted hits have no form as an item. */
  verdict: z.literal('ok'),
  /** 1..n in the bundle. */
  ordinal: z.number().int().positive(),
  retrievedBy: z.enum(RETRIEVAL_PASSES),
});
export type EvidenceItem = z.infer<typeof evidenceItemSchema>;

/** A demoting verdict; or what else kept a hit out. */
export const EXCLUSION_REASONS = [
  ...VERDICTS.filter((verdict) => verdict !== 'ok'),
  'retrieval_abstained',
  'duplicate',
  'item_limit',
  'token_budget',
  'uncertified',
  'declared_superseded',
  'declared_ambiguous',
  'declared_status',
  'declared_validity',
] as const;
export const excludedHitSchema = z.strictObject({ chunkId: identifierSchema, reason: z.enum(EXCLUSION_REASONS) });
export type ExclusionReason = (typeof EXCLUSION_REASONS)[number];
export type ExcludedHit = z.infer<typeof excludedHitSchema>;

export const ABSTAIN_REASONS = [
  'uncertified_evidence',
  'retrieval_abstained',
  'no_trusted_initial_evidence',
  'ambiguous_evidence',
  'unsupported_evidence',
  'budget_exhausted',
  'answer_slot_gap',
] as const;
export type AbstainReason = (typeof ABSTAIN_REASONS)[number];

const common = {
  identity: generationIdentitySchema,
  trustState: trustStateSchema,
  /** Hits that were left out, by id: never their text. */
  excluded: z.array(excludedHitSchema),
  /** Tokens of the items' titles and texts. */
  tokens: countSchema,
};

export const answerableBundleSchema = z.strictObject({
  ...common,
  decision: z.literal('answerable'),
  reasonCode: z.null(),
  items: z.tuple([evidenceItemSchema], evidenceItemSchema),
  missingSlots: z.tuple([]),
});
export const abstainingBundleSchema = z.strictObject({
  ...common,
  decision: z.literal('abstain'),
  reasonCode: z.enum(ABSTAIN_REASONS),
  items: z.array(evidenceItemSchema),
  /** Names of answer slots that no item fills. */
  missingSlots: z.array(z.string()),
});
export const evidenceBundleSchema = z.discriminatedUnion('decision', [answerableBundleSchema, abstainingBundleSchema]);

/** Evidence that may be cited: what it holds, and nothing else, is a source. */
export type EvidenceBundle = z.infer<typeof evidenceBundleSchema>;
export type AnswerableBundle = z.infer<typeof answerableBundleSchema>;
export type AbstainingBundle = z.infer<typeof abstainingBundleSchema>;
