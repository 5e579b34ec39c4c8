import { computeDigest } from '../compute-digest.js';
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
