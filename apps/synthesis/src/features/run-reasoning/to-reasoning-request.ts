import type { ReasoningBody } from '@candor/contracts';
import type { ReasoningProviderPorts, ReasoningRequest } from '@candor/reasoning';

type PolicyFields = Partial<Extract<ReasoningBody['policy'], object>>;
type Known<Value extends object> = { [Key in keyof Value]?: Exclude<Value[Key], undefined> };

/** The request of the engine: the wire's names in its own, what is absent left out. */
export function toReasoningRequest(
  body: ReasoningBody,
  tenantId: string,
  providers: Required<ReasoningProviderPorts>,
  signal: AbortSignal,
): ReasoningRequest {
  const { generation = {}, budget = {}, evidence_policy: evidence = {} } = body;
  const policy: PolicyFields = typeof body.policy === 'string' ? { name: body.policy } : (body.policy ?? {});
  return {
    query: body.query,
    tenantId,
    generation: known({
      generationId: generation.generation_id,
      pipelineFingerprint: generation.pipeline_fingerprint,
      corpusFingerprint: generation.corpus_fingerprint,
    }),
    knownAsOf: body.known_as_of ?? null,
    policy: known({
      name: policy.name,
      requireCertifiedEvidence: policy.require_certified_evidence,
      allowProposalGuidedExpansion: policy.allow_proposal_guided_expansion,
      allowRetrievalExpansion: policy.allow_retrieval_expansion,
      requireHumanReviewOnProposals: policy.require_human_review_on_proposals,
    }),
    budget: known({
      maxSteps: budget.max_steps,
      maxGraphNodes: budget.max_graph_nodes,
      maxModelCalls: budget.max_model_calls,
      maxEvidenceTokens: budget.max_evidence_tokens,
      maxWallTimeMs: budget.max_wall_time_ms,
    }),
    evidencePolicy: known({
      maxItems: evidence.max_items,
      preserveOrder: evidence.preserve_order,
      semanticDeduplication: evidence.semantic_deduplication,
      answerSlots: evidence.answer_slots,
    }),
    providers,
    signal,
  };
}

function known<Value extends object>(value: Value): Known<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Known<Value>;
}
