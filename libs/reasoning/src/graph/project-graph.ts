import { computeDigest } from '../compute-digest.js';
import { fingerprintGraph } from './fingerprint-graph.js';
import type { EdgeKind, GraphEdge, GraphNode, GraphProjection } from './graph-projection.js';

/** A document with what it declares of itself. */
export type GraphDocument = Omit<GraphNode, 'nodeId' | 'kind'>;

/** A relation between two documents; `supersedes` from the newer to the older. */
export interface DeclaredRelation {
  relationId: string;
  kind: Exclude<EdgeKind, 'contains'>;
  fromDocumentId: string;
  toDocumentId: string;
  origin: GraphEdge['origin'];
  declaredAt: string | null;
}

export interface GraphSource {
  identity: GraphProjection['identity'];
  documents: readonly GraphDocument[];
  relations: readonly DeclaredRelation[];
  /** Passages that planning starts from. */
  evidence: readonly { chunkId: string; documentId: string; documentTitle: string }[];
  cut?: GraphProjection['cut'];
  dismissedProposalIds?: readonly string[];
  approvedProposalIds?: readonly string[];
}

/**
 * The graph of some documents and passages: a node each, an edge for each relation and from each document to its passages.
 * A document that only a relation or a passage names gets a node that declares nothing.
 */
export function projectGraph(source: GraphSource): GraphProjection {
  const nodes = new Map<string, GraphNode>();
  const declareNothing = { status: null, validFrom: null, validUntil: null, sourceDate: null };
  for (const document of source.documents) {
    nodes.set(document.documentId, { nodeId: document.documentId, kind: 'document', ...document });
  }
  const ensureDocument = (documentId: string, title: string): void => {
    if (!nodes.has(documentId)) {
      nodes.set(documentId, { nodeId: documentId, kind: 'document', documentId, title, ...declareNothing });
    }
  };
  const edges: GraphEdge[] = [];
  for (const { chunkId, documentId, documentTitle } of source.evidence) {
    ensureDocument(documentId, documentTitle);
    nodes.set(chunkId, { nodeId: chunkId, kind: 'evidence', documentId, title: documentTitle, ...declareNothing });
    edges.push({
      edgeId: computeDigest(JSON.stringify(['contains', documentId, chunkId])),
      kind: 'contains',
      fromNodeId: documentId,
      toNodeId: chunkId,
      origin: 'declared',
      declaredAt: null,
    });
  }
  for (const { relationId, kind, fromDocumentId, toDocumentId, origin, declaredAt } of source.relations) {
    ensureDocument(fromDocumentId, '');
    ensureDocument(toDocumentId, '');
    edges.push({ edgeId: relationId, kind, fromNodeId: fromDocumentId, toNodeId: toDocumentId, origin, declaredAt });
  }
  const graph = {
    schemaVersion: 1 as const,
    identity: source.identity,
    nodes: [...nodes.values()],
    edges,
    cut: source.cut ?? null,
    dismissedProposalIds: [...(source.dismissedProposalIds ?? [])],
    approvedProposalIds: [...(source.approvedProposalIds ?? [])],
  };
  return { ...graph, graphFingerprint: fingerprintGraph(graph) };
}
