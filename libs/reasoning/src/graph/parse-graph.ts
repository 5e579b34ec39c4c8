import { checkLineage } from '../run/check-lineage.js';
import { PortOutputError, parseOutput } from '../run/port-output-error.js';
import type { GenerationIdentity, GenerationSelection } from '../trust/generation-identity.js';
import { fingerprintGraph } from './fingerprint-graph.js';
import { graphProjectionSchema, type GraphProjection } from './graph-projection.js';

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
  const mismatched = [asked, ofEvidence].flatMap((side) => checkLineage(side, graph.identity).mismatched);
  if (mismatched[0] !== undefined) refuse(`${mismatched[0]} of the graph is not that of the evidence`);
  const nodeIds = new Set(graph.nodes.map((node) => node.nodeId));
  if (nodeIds.size !== graph.nodes.length) refuse('two nodes have one id');
  if (graph.edges.some((edge) => !nodeIds.has(edge.fromNodeId) || !nodeIds.has(edge.toNodeId))) {
    refuse('an edge names a node that is not there');
  }
  if (fingerprintGraph(graph) !== graph.graphFingerprint) refuse('the fingerprint is not that of nodes and edges');
  return graph;
}

function refuse(rule: string): never {
  throw new PortOutputError('malformed_output', `The graph does not follow the contract: ${rule}.`);
}
