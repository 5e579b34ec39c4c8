import { checkLineage } from '../run/check-lineage.js';
import { PortOutputError, parseOutput } from '../run/port-output-error.js';
import type { GenerationIdentity, GenerationSelection } from '../trust/generation-identity.js';
import { fingerprintGraph } from './fingerprint-graph.js';
import { graphProjectionSchema, type GraphProjection } from './graph-projection.js';

/** Between evidence and graph the corpus changed, and nothing else: both may be right, each of its moment. */
export class CorpusMovedError extends PortOutputError {
  constructor() {
    super('malformed_output', describeRule(describeForeign('corpusFingerprint')));
  }
}

/**
 * A graph provider's output, held to the request and to the evidence: same tenant, generation and fingerprints wherever
 * both sides say them, every edge between nodes that are there, the stated fingerprint. Throws PortOutputError.
 */
export function parseGraph(
  output: unknown,
  asked: { tenantId: string; generation: GenerationSelection },
  evidence: GenerationIdentity,
): GraphProjection {
  const graph = parseOutput(graphProjectionSchema, output);
  const ofEvidence = { tenantId: evidence.tenantId, generation: evidence };
  const [foreign] = checkLineage(asked, graph.identity).mismatched;
  if (foreign !== undefined) refuse(describeForeign(foreign));
  const [other] = checkLineage(ofEvidence, graph.identity).mismatched;
  if (other !== undefined && other !== 'corpusFingerprint') refuse(describeForeign(other));
  const nodeIds = new Set(graph.nodes.map((node) => node.nodeId));
  if (nodeIds.size !== graph.nodes.length) refuse('two nodes have one id');
  if (graph.edges.some((edge) => !nodeIds.has(edge.fromNodeId) || !nodeIds.has(edge.toNodeId))) {
    refuse('an edge names a node that is not there');
  }
  if (fingerprintGraph(graph) !== graph.graphFingerprint) refuse('the fingerprint is not that of nodes and edges');
  if (other !== undefined) throw new CorpusMovedError();
  return graph;
}

function refuse(rule: string): never {
  throw new PortOutputError('malformed_output', describeRule(rule));
}

function describeRule(rule: string): string {
  return `The graph does not follow the contract: ${rule}.`;
}

function describeForeign(field: string): string {
  return `${field} of the graph is not that of the evidence`;
}
