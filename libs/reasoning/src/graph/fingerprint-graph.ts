import { computeDigest } from '../compute-digest.js';
import type { GraphProjection } from './graph-projection.js';

/** SHA-256 of what a projection holds, whatever the order of its nodes, edges and keys. */
export function fingerprintGraph(graph: Omit<GraphProjection, 'graphFingerprint'>): string {
  const nodes = graph.nodes.map(sortKeys).sort();
  const edges = graph.edges.map(sortKeys).sort();
  const dismissed = [...graph.dismissedProposalIds].sort();
  const approved = [...graph.approvedProposalIds].sort();
  const parts = [graph.schemaVersion, sortKeys(graph.identity), nodes, edges, graph.cut, dismissed, approved];
  return computeDigest(JSON.stringify(parts));
}

/** All values are scalars. */
function sortKeys(value: object): string {
  return JSON.stringify(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
