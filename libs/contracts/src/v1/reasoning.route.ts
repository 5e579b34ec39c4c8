import { z } from 'zod';
import { instantSchema, tenantIdSchema } from '../ids.js';
import { defineRoute } from './define-route.js';

export const REASONING_POLICIES = [
  'retrieval_only',
  'evidence_assembly',
  'proposal_assisted',
  'review_required',
] as const;
export const reasoningPolicyNameSchema = z.enum(REASONING_POLICIES);
export type ReasoningPolicyName = z.infer<typeof reasoningPolicyNameSchema>;

export const REASONING_OUTCOMES = ['answered', 'abstained', 'needs_clarification', 'needs_review'] as const;

/** Absent fields are the policy's own (reasoning.md, Policies). */
const policyFieldsSchema = z.strictObject({
  name: reasoningPolicyNameSchema.default('evidence_assembly'),
  require_certified_evidence: z.boolean().optional(),
  allow_proposal_guided_expansion: z.boolean().optional(),
  allow_retrieval_expansion: z.boolean().optional(),
  require_human_review_on_proposals: z.boolean().optional(),
});

const amount = z.number().int().nonnegative();

export const reasoningBodySchema = z
  .strictObject({
    /** A blank one is answered with `needs_clarification`. */
    query: z.string().max(2000, 'must have at most 2000 characters'),
    /** Must be the key's own. */
    tenant_id: tenantIdSchema.optional(),
    /** What must be served; another one abstains with `LINEAGE_MISMATCH`. */
    generation: z
      .strictObject({
        /** Any text, as it may be no generation of ours. In lower case, as ids are stored and compared: first, since it may grow so. */
        generation_id: z.string().toLowerCase().min(1).max(200).nullish(),
        pipeline_fingerprint: z.string().min(1).max(200).nullish(),
        corpus_fingerprint: z.string().min(1).max(200).nullish(),
      })
      .optional(),
    /** What was known then. */
    known_as_of: instantSchema.nullish(),
    policy: z.union([policyFieldsSchema, reasoningPolicyNameSchema]).optional(),
    budget: z
      .strictObject({
        /** Default 12. */
        max_steps: amount.optional(),
        /** Default 32. */
        max_graph_nodes: amount.optional(),
        /** Default 0; rule-based providers cost none. */
        max_model_calls: amount.optional(),
        /** Default 2048. */
        max_evidence_tokens: amount.optional(),
        /** Of planning, not of the answer; default 1000. */
        max_wall_time_ms: amount.optional(),
      })
      .optional(),
    evidence_policy: z
      .strictObject({
        /** Default 5. */
        max_items: z.number().int().min(1).max(50).optional(),
        /** Default true. */
        preserve_order: z.boolean().optional(),
        /** Default false. */
        semantic_deduplication: z.boolean().optional(),
        /** What an answer must speak of: one item has to hold all words of one of a slot's terms, or the run abstains with `answer_slot_gap`. */
        answer_slots: z
          .array(
            z.strictObject({
              name: z.string().trim().min(1).max(100),
              terms: z.array(z.string().trim().min(1).max(200)).min(1).max(10),
            }),
          )
          .max(10)
          .optional(),
      })
      .optional(),
  })
  .meta({ id: 'ReasoningRequest' });
export type ReasoningBody = z.infer<typeof reasoningBodySchema>;

const anObject = z.record(z.string(), z.json());

/**
 * Every field is always there: null or `[]` where it doesn't apply. Flat at the root, since MCP clients refuse a union there;
 * the parts are checked by the engine's own reader, `reasoningResponseFromJson`.
 */
export const reasoningResponseSchema = z
  .strictObject({
    schema_version: z.literal(1),
    outcome: z.enum(REASONING_OUTCOMES),
    answer: z.string().nullable(),
    clarification_request: z.string().nullable(),
    evidence: anObject.nullable(),
    proposals: z.array(anObject),
    provider_failures: z.array(anObject),
    trace: anObject,
    contradictions: z.array(anObject),
    unsupported_gaps: z.array(anObject),
    citations: z.array(anObject),
    calibration_identity: anObject.nullable(),
    generation_identity: anObject,
    trust_state: anObject.nullable(),
    refusal_reason: z.string().nullable(),
    diagnostics: anObject,
  })
  .meta({ id: 'ReasoningResponse' });
export type ReasoningResponseJson = z.infer<typeof reasoningResponseSchema>;

export const reasoningRoute = defineRoute({
  method: 'POST',
  path: '/v1/reasoning',
  summary: 'Reason over trusted evidence, with every step in the response',
  description:
    'Answers only from certified evidence by default; what failed is in the response (`provider_failures`, `refusal_reason`, `trust_state`), with status 200. ' +
    'A citation proves source linkage, not that the answer follows from it. Nothing is stored but the audit event.',
  action: 'reason',
  audit: 'reasoning.query',
  body: reasoningBodySchema,
  response: reasoningResponseSchema,
  status: 200,
});
