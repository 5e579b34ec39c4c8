import { computeDigest } from '../compute-digest.js';
import type { GraphProjection } from '../graph/graph-projection.js';
import type { ProposalKind } from './inference-proposal.js';

/** A side of a finding, as far as it tells one finding from another. */
export interface IdentifyingClaim {
  documentId: string;
  quotation: string;
}

/**
 * The id of a finding: which two documents, in which words, disagree in what way. Generation, chunks and versions aren't
 * part of it, so that what a person decided holds as long as the words stand. A UUID of version 8.
 */
export function identifyProposal(
  tenantId: string,
  kind: ProposalKind,
  claims: readonly [IdentifyingClaim, IdentifyingClaim],
): string {
  const sides = claims.map(({ documentId, quotation }) => `${documentId}:${computeDigest(quotation)}`).sort();
  const hex = computeDigest([tenantId, kind, ...sides].join('\n'));
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** What a person has looked at: rejected, or approved and a relation since. Nothing is left to propose there. */
export function reviewedProposalIds(
  graph: Pick<GraphProjection, 'dismissedProposalIds' | 'approvedProposalIds'>,
): Set<string> {
  return new Set([...graph.dismissedProposalIds, ...graph.approvedProposalIds]);
}
