/** Why a run did not answer. */
export const ABSTENTION_REASONS = [
  'uncertified_evidence',
  'retrieval_only_policy',
  'no_answer_provider',
  'provider_failure',
  'provider_abstained',
  'retrieval_abstained',
  'no_trusted_initial_evidence',
  'unsupported_evidence',
  'budget_exhausted',
  'answer_slot_gap',
  'corpus_gap',
] as const;
export const REVIEW_REASONS = ['provider_failure', 'review_required_policy', 'ambiguous_evidence'] as const;
export const CLARIFICATION_REASONS = ['empty_query'] as const;

export type AbstentionReason = (typeof ABSTENTION_REASONS)[number];
export type ReviewReason = (typeof REVIEW_REASONS)[number];
export type RefusalReason = AbstentionReason | ReviewReason | (typeof CLARIFICATION_REASONS)[number];

export const REFUSAL_REASONS = [
  'empty_query',
  'uncertified_evidence',
  'retrieval_only_policy',
  'no_answer_provider',
  'provider_failure',
  'review_required_policy',
  'provider_abstained',
  'retrieval_abstained',
  'no_trusted_initial_evidence',
  'ambiguous_evidence',
  'unsupported_evidence',
  'budget_exhausted',
  'answer_slot_gap',
  'corpus_gap',
] as const satisfies readonly RefusalReason[];
