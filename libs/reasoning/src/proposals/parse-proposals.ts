import type { EvidenceItem } from '../evidence/evidence-bundle.js';
import type { GraphNode, GraphProjection } from '../graph/graph-projection.js';
import { PortOutputError, parseOutput } from '../run/port-output-error.js';
import type { ProviderFailureKind } from '../run/provider-failure.js';
import { normalizeWhitespace } from '../validate-citations.js';
import { identifyProposal, reviewedProposalIds } from './identify-proposal.js';
import {
  MOST_PROPOSALS,
  proposalReportSchema,
  type InferenceProposal,
  type ProposalProtocolReport,
} from './inference-proposal.js';

export interface ParsedProposals {
  proposals: InferenceProposal[];
  /** What the provider itself says went wrong; its text isn't kept. */
  reported: ProviderFailureKind[];
}

/**
 * A proposal provider's output, as a list or a report, held to the graph: same generation, every source evidence id a node of
 * it, quotations that occur in the evidence. One bad proposal makes the whole report malformed; what a person has
 * reviewed is left out, whatever id the provider gives it. Throws PortOutputError.
 */
export function parseProposals(
  output: unknown,
  graph: GraphProjection,
  evidence: readonly EvidenceItem[],
): ParsedProposals {
  const given = Array.isArray(output) ? { proposals: output as unknown[], failures: [] } : output;
  checkCardinality(given);
  const { proposals, failures }: ProposalProtocolReport = parseOutput(proposalReportSchema, given);
  const nodes = new Map(graph.nodes.map((node) => [node.nodeId, node]));
  const texts = new Map(evidence.map((item) => [item.chunkId, normalizeWhitespace(item.text)]));
  const ids = new Set<string>();
  for (const [index, proposal] of proposals.entries()) {
    const broken = findBrokenRule(proposal, graph.identity.generationId, nodes, texts);
    if (broken !== null) refuse(`proposals.${index}: ${broken}`);
    if (ids.has(proposal.proposalId)) refuse(`proposals.${index}: two proposals have one id`);
    ids.add(proposal.proposalId);
  }
  const reviewed = reviewedProposalIds(graph);
  const { tenantId } = graph.identity;
  return {
    proposals: proposals.filter(({ kind, claims }) => !reviewed.has(identifyProposal(tenantId, kind, claims))),
    reported: failures.map((failure) => failure.kind),
  };
}

/** Before the schema looks at every entry. */
function checkCardinality(output: unknown): void {
  const proposals: unknown = (output as { proposals?: unknown } | null | undefined)?.proposals;
  if (Array.isArray(proposals) && proposals.length > MOST_PROPOSALS) {
    throw new PortOutputError('wrong_cardinality', `More than ${MOST_PROPOSALS} proposals.`);
  }
}

function findBrokenRule(
  proposal: InferenceProposal,
  generationId: string,
  nodes: ReadonlyMap<string, GraphNode>,
  texts: ReadonlyMap<string, string>,
): string | null {
  if (proposal.generationId !== generationId) return 'generationId is not the graph’s';
  if (!proposal.sourceEvidenceIds.every((nodeId) => nodes.has(nodeId))) {
    return 'a source evidence id is no node of the graph';
  }
  // Else the id of an inference could pass for a source.
  if (nodes.has(proposal.proposalId) || texts.has(proposal.proposalId)) return 'its id is that of evidence';
  for (const claim of proposal.claims) {
    const node = nodes.get(claim.evidenceId);
    if (node?.kind !== 'evidence' || node.documentId !== claim.documentId)
      return 'a claim names no evidence of the graph';
    if (!proposal.sourceEvidenceIds.includes(claim.evidenceId)) return 'a claim is no source of the proposal';
    const text = texts.get(claim.evidenceId);
    if (text !== undefined && !text.includes(normalizeWhitespace(claim.quotation))) {
      return 'a quotation does not occur in its evidence';
    }
  }
  const [left, right] = proposal.claims;
  return left.evidenceId === right.evidenceId ? 'both claims are of one passage' : null;
}

function refuse(rule: string): never {
  throw new PortOutputError('malformed_output', `The proposals do not follow the contract (${rule}).`);
}
