import { z } from 'zod';
import { identifierSchema, unitIntervalSchema } from '../schema/primitives.js';
import { providerFailureKindSchema } from '../run/provider-failure.js';

export const PROPOSAL_KINDS = ['conflicting_value', 'conflicting_date', 'conflicting_status'] as const;
export const proposalKindSchema = z.enum(PROPOSAL_KINDS);
export type ProposalKind = z.infer<typeof proposalKindSchema>;

export const proposedClaimSchema = z.strictObject({
  /** An evidence node of the graph. */
  evidenceId: identifierSchema,
  documentId: identifierSchema,
  /** Occurs in the passage. */
  quotation: z.string().trim().min(1).max(2000),
  value: z.string().trim().min(1).max(500),
});
export type ProposedClaim = z.infer<typeof proposedClaimSchema>;

/** Something inferred, for a person to judge. It is never evidence, and its id can't be cited. */
export const inferenceProposalSchema = z.strictObject({
  proposalId: identifierSchema,
  kind: proposalKindSchema,
  generationId: identifierSchema,
  /** What both sides speak of, in their words. */
  subject: z.string().trim().min(1).max(500),
  claims: z.tuple([proposedClaimSchema, proposedClaimSchema]),
  /** Graph nodes that it rests on. */
  sourceEvidenceIds: z.array(identifierSchema).min(1).max(50),
  confidence: unitIntervalSchema,
  explanation: z.string().max(2000),
});
export type InferenceProposal = z.infer<typeof inferenceProposalSchema>;

/** Most proposals that one run takes from a provider; more is `wrong_cardinality`. */
export const MOST_PROPOSALS = 100;

export const proposalReportSchema = z.strictObject({
  proposals: z.array(inferenceProposalSchema),
  /** What went wrong on the provider's side; one is enough for `needs_review`. */
  failures: z.array(z.strictObject({ kind: providerFailureKindSchema, message: z.string().max(500) })),
});
export type ProposalProtocolReport = z.infer<typeof proposalReportSchema>;
