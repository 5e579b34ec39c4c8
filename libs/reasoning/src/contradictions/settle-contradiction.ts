import type { DeclaredStatus } from '@candor/contracts';
import type { GraphNode } from '../graph/graph-projection.js';
import { findReplacements, isValidAt, type GraphIndex } from '../graph/supersession.js';
import type { Settlement } from './contradiction.js';

/** A document of this standing yields to one that has none of them. */
const YIELDING: ReadonlySet<DeclaredStatus> = new Set([
  'superseded',
  'withdrawn',
  'rejected',
  'deprecated',
  'archived',
]);

/**
 * Which of two documents a declared relation prefers: the one that replaced the other, the one that is valid, the one that
 * isn't revoked. The later date or the better score prefers neither.
 * @param at milliseconds since the epoch.
 */
export function settleContradiction(
  leftDocumentId: string,
  rightDocumentId: string,
  index: GraphIndex,
  at: number,
): Settlement | null {
  const overLeft = findPathToReplacement(index, leftDocumentId, rightDocumentId, at);
  const overRight = findPathToReplacement(index, rightDocumentId, leftDocumentId, at);
  if (overLeft !== null && overRight !== null) return null;
  if (overRight !== null) return { by: 'supersedes', relationId: overRight, prevails: 'left' };
  if (overLeft !== null) return { by: 'supersedes', relationId: overLeft, prevails: 'right' };
  const left = index.documents.get(leftDocumentId);
  const right = index.documents.get(rightDocumentId);
  return (
    preferOne('validity', left, right, (node) => isValidAt(node, at)) ??
    preferOne('status', left, right, (node) => !node?.status || !YIELDING.has(node.status))
  );
}

/** Id of the first relation on the way from a document to one that replaced it. */
function findPathToReplacement(index: GraphIndex, fromId: string, toId: string, at: number): string | null {
  const seen = new Set([fromId]);
  const waiting = findReplacements(index, fromId, at).map((edge) => ({ edge, firstId: edge.edgeId }));
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { edge, firstId } = next;
    if (edge.fromNodeId === toId) return firstId;
    if (seen.has(edge.fromNodeId)) continue;
    seen.add(edge.fromNodeId);
    waiting.push(...findReplacements(index, edge.fromNodeId, at).map((onward) => ({ edge: onward, firstId })));
  }
  return null;
}

function preferOne(
  by: Settlement['by'],
  left: GraphNode | undefined,
  right: GraphNode | undefined,
  stands: (node: GraphNode | undefined) => boolean,
): Settlement | null {
  const leftStands = stands(left);
  const rightStands = stands(right);
  // The side that declares what makes it yield is the relation.
  if (leftStands && !rightStands && right !== undefined) return { by, relationId: right.nodeId, prevails: 'left' };
  if (rightStands && !leftStands && left !== undefined) return { by, relationId: left.nodeId, prevails: 'right' };
  return null;
}
