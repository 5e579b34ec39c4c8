import { NOT_IN_FORCE, type DeclaredStatus } from '@candor/contracts';
import type { GraphEdge, GraphNode, GraphProjection } from './graph-projection.js';

/** A document of this standing is no source any more. */
export const REVOKED: ReadonlySet<DeclaredStatus> = new Set(['superseded', 'withdrawn', 'rejected']);
/** A document of this standing replaces nothing; one that declares none may. */
const REPLACES_NOTHING: ReadonlySet<DeclaredStatus | null | undefined> = NOT_IN_FORCE;

/** Documents and relations of a graph, by document. */
export interface GraphIndex {
  documents: ReadonlyMap<string, GraphNode>;
  /** Edges from or to a document, without `contains`. */
  edgesOf: (documentId: string) => readonly GraphEdge[];
}

export function indexGraph(graph: GraphProjection): GraphIndex {
  const documents = new Map(
    graph.nodes.filter((node) => node.kind === 'document').map((node) => [node.documentId, node]),
  );
  const edges = new Map<string, GraphEdge[]>();
  for (const edge of graph.edges) {
    if (edge.kind === 'contains') continue;
    for (const nodeId of new Set([edge.fromNodeId, edge.toNodeId])) {
      edges.set(nodeId, [...(edges.get(nodeId) ?? []), edge]);
    }
  }
  return { documents, edgesOf: (documentId) => edges.get(documentId) ?? [] };
}

/** Whether a document's declared validity holds at a moment, in milliseconds. */
export function isValidAt(node: GraphNode | undefined, at: number): boolean {
  if (node === undefined) return true;
  const begun = node.validFrom === null || Date.parse(node.validFrom) <= at;
  return begun && (node.validUntil === null || Date.parse(node.validUntil) > at);
}

/** Edges by which documents in force directly replace this one. */
export function findReplacements(index: GraphIndex, documentId: string, at: number): GraphEdge[] {
  return index.edgesOf(documentId).filter((edge) => {
    if (edge.kind !== 'supersedes' || edge.toNodeId !== documentId) return false;
    const newer = index.documents.get(edge.fromNodeId);
    return isValidAt(newer, at) && !REPLACES_NOTHING.has(newer?.status);
  });
}

/** What replaced a document in the end: nothing, one document, or no telling (two ends, or a circle). */
export type Replacement = 'none' | 'ambiguous' | { documentId: string };

export function resolveReplacement(index: GraphIndex, documentId: string, at: number): Replacement {
  const onward = collectReplacements(index, documentId, at);
  const ends = [...onward].filter(([, replacements]) => replacements.length === 0).map(([end]) => end);
  const [end, ...others] = hasCircle(onward) ? [] : ends;
  if (end === undefined || others.length > 0) return 'ambiguous';
  return end === documentId ? 'none' : { documentId: end };
}

/** The document and everything that replaced it, each with what directly replaced it. */
function collectReplacements(index: GraphIndex, documentId: string, at: number): Map<string, string[]> {
  const onward = new Map<string, string[]>();
  const waiting = [documentId];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (onward.has(next)) continue;
    const replacements = [...new Set(findReplacements(index, next, at).map((edge) => edge.fromNodeId))];
    onward.set(next, replacements);
    waiting.push(...replacements);
  }
  return onward;
}

/** Takes away whatever has nothing onward until nothing more can be taken; what stays goes in circles. */
function hasCircle(onward: ReadonlyMap<string, readonly string[]>): boolean {
  const open = new Map([...onward].map(([node, replacements]) => [node, replacements.length]));
  const before = new Map<string, string[]>();
  for (const [node, replacements] of onward) {
    for (const newer of replacements) before.set(newer, [...(before.get(newer) ?? []), node]);
  }
  const ready = [...onward].filter(([, replacements]) => replacements.length === 0).map(([node]) => node);
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    open.delete(node);
    for (const older of before.get(node) ?? []) {
      const left = (open.get(older) ?? 0) - 1;
      open.set(older, left);
      if (left === 0) ready.push(older);
    }
  }
  return open.size > 0;
}
