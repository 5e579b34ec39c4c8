import { z } from 'zod';

export const POLICY_NAMES = ['retrieval_only', 'evidence_assembly', 'proposal_assisted', 'review_required'] as const;
export const policyNameSchema = z.enum(POLICY_NAMES);
export type PolicyName = z.infer<typeof policyNameSchema>;

export const reasoningPolicyInputSchema = z.strictObject({
  name: policyNameSchema.default('evidence_assembly'),
  /** Abstain, without any text of the corpus, unless a certified calibration holds. */
  requireCertifiedEvidence: z.boolean().default(true),
  allowProposalGuidedExpansion: z.boolean().default(false),
  allowRetrievalExpansion: z.boolean().default(false),
  requireHumanReviewOnProposals: z.boolean().default(false),
});
/** How far a run may go. */
export type ReasoningPolicy = z.output<typeof reasoningPolicyInputSchema>;
export type ReasoningPolicyInput = z.input<typeof reasoningPolicyInputSchema>;

/** The two proposal policies set their own flags, whatever was given for them. */
export function resolvePolicy(input: ReasoningPolicyInput): ReasoningPolicy {
  const policy = reasoningPolicyInputSchema.parse(input);
  switch (policy.name) {
    case 'proposal_assisted':
      return { ...policy, allowProposalGuidedExpansion: true };
    case 'review_required':
      return { ...policy, allowProposalGuidedExpansion: true, requireHumanReviewOnProposals: true };
    case 'retrieval_only':
    case 'evidence_assembly':
      return policy;
  }
}
