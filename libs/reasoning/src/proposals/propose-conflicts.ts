import { findConflicts, type Conflict } from '../claims/find-conflicts.js';
import type { Claim } from '../claims/claim.js';
import type { EvidenceItem } from '../evidence/evidence-bundle.js';
import type { GraphProjection } from '../graph/graph-projection.js';
import type { ProposalProvider } from '../run/reasoning-ports.js';
import { identifyProposal, reviewedProposalIds } from './identify-proposal.js';
import type { InferenceProposal, ProposalKind, ProposedClaim } from './inference-proposal.js';

const SAYS: Record<ProposalKind, string> = {
  conflicting_value: 'another value',
  conflicting_date: 'another date',
  conflicting_status: 'another state',
};

export interface ConflictSearch {
  /** Proposals that are there already. */
  known?: readonly string[];
  most?: number;
  onCut?: (uncompared: number) => void;
}

/**
 * Conflicts among the evidence as proposals, by rules: the same subject with another value, date or state in two documents
 * neither of which replaces the other, and that no person has reviewed yet. Each finding once, however many passages
 * hold its words; ids are of what is found, so a repeated run proposes the same. What `known` names is left out too, and
 * takes no place among the `most` (20) that are given; `onCut` hears how many statements were not compared.
 */
export function proposeConflicts(
  evidence: readonly EvidenceItem[],
  graph: GraphProjection,
  search: ConflictSearch = {},
): InferenceProposal[] {
  const known = reviewedProposalIds(graph);
  search.known?.forEach((id) => known.add(id));
  const nodeIds = new Set(graph.nodes.filter((node) => node.kind === 'evidence').map((node) => node.nodeId));
  const replaced = new Set(
    graph.edges.filter((edge) => edge.kind === 'supersedes').map((edge) => pairKey(edge.fromNodeId, edge.toNodeId)),
  );
  const isNew = ({ kind, left, right }: Conflict): boolean => {
    if (replaced.has(pairKey(left.documentId, right.documentId))) return false;
    const id = identifyProposal(graph.identity.tenantId, kind, [left, right]);
    if (known.has(id)) return false;
    known.add(id);
    return true;
  };
  const sources = evidence.filter((item) => nodeIds.has(item.chunkId));
  return findConflicts(sources, isNew, search).map((conflict) => toProposal(conflict, graph.identity));
}

/** `proposeConflicts` behind the port; it calls no model. */
export function createRuleBasedProposalProvider(): ProposalProvider {
  return { modelCalls: 0, propose: async ({ evidence, graph }) => proposeConflicts(evidence, graph) };
}

function toProposal(
  { kind, subject, left, right, confidence }: Conflict,
  { tenantId, generationId }: GraphProjection['identity'],
): InferenceProposal {
  const claims: InferenceProposal['claims'] = [toProposedClaim(left), toProposedClaim(right)];
  return {
    proposalId: identifyProposal(tenantId, kind, claims),
    kind,
    generationId,
    subject,
    claims,
    sourceEvidenceIds: claims.map((claim) => claim.evidenceId),
    confidence,
    explanation: `Two documents state ${SAYS[kind]} of the same subject.`,
  };
}

function toProposedClaim({ chunkId, documentId, quotation, value }: Claim): ProposedClaim {
  return { evidenceId: chunkId, documentId, quotation, value };
}

function pairKey(left: string, right: string): string {
  return JSON.stringify([left, right].sort());
}
