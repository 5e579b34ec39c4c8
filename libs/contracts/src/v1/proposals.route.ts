import { z } from 'zod';
import { defineRoute } from './define-route.js';
import { idParams, pageOf, paginationQuery } from './pagination.js';

export const PROPOSAL_STATES = ['pending', 'approved', 'rejected'] as const;
export const proposalStateSchema = z.enum(PROPOSAL_STATES);
export type ProposalState = z.infer<typeof proposalStateSchema>;

/** One side of a proposal, in the words of its source. */
const proposalSideSchema = z
  .strictObject({
    sourceItemId: z.guid(),
    chunkId: z.string(),
    title: z.string(),
    /** As its source dates it; ISO 8601. */
    date: z.string().nullable(),
    quotation: z.string(),
  })
  .meta({ id: 'ProposalSide' });

export const proposalSchema = z
  .strictObject({
    /** Of the finding: the same documents in the same words have it in every generation, and in `POST /v1/reasoning`. */
    id: z.guid(),
    state: proposalStateSchema,
    /** What the relation record says once it is approved. */
    relation: z.string(),
    /** What both sides are about. */
    subject: z.string(),
    /** 0–1; of the rule, not of the world. */
    confidence: z.number(),
    /** The rule that proposed it. */
    rule: z.string(),
    generationId: z.guid(),
    /** Of a directed relation, the first one is where it starts. */
    sides: z.array(proposalSideSchema),
    createdAt: z.iso.datetime(),
    reviewedAt: z.iso.datetime().nullable(),
    /** The key of the person who reviewed it. */
    reviewedByApiKeyId: z.guid().nullable(),
    note: z.string().nullable(),
  })
  .meta({ id: 'Proposal' });
export type Proposal = z.infer<typeof proposalSchema>;

export const reviewProposalBodySchema = z
  .strictObject({ note: z.string().trim().min(1).max(4000).optional() })
  .meta({ id: 'ReviewProposal' });
export type ReviewProposalBody = z.infer<typeof reviewProposalBodySchema>;

const path = '/v1/proposals';
const review = {
  method: 'POST',
  action: 'proposals:review',
  params: idParams,
  body: reviewProposalBodySchema.optional(),
  response: z.strictObject({ data: proposalSchema }),
  status: 200,
  idempotent: true,
} as const;

export const listProposalsRoute = defineRoute({
  method: 'GET',
  path,
  summary: 'List inferred relations that await a person, newest first',
  action: 'proposals:review',
  audit: 'proposal.read',
  query: z.strictObject({ ...paginationQuery, state: proposalStateSchema.optional() }),
  response: pageOf(proposalSchema),
  status: 200,
});

export const approveProposalRoute = defineRoute({
  ...review,
  path: `${path}/:id/approve`,
  summary: 'Approve a proposal: its relation is recorded with its reviewer',
  description:
    'The relation is a record of its own; the items stay as they are. 409 once the proposal was reviewed, and when one of its items has changed since.',
  audit: 'proposal.approve',
});

export const rejectProposalRoute = defineRoute({
  ...review,
  path: `${path}/:id/reject`,
  summary: 'Reject a proposal; it is not proposed again',
  description: '409 once the proposal was reviewed.',
  audit: 'proposal.reject',
});
