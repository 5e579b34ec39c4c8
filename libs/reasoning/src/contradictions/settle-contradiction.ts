import type { DeclaredStatus } from '@candor/contracts';
import { findReplacements, isValidAt, type GraphIndex } from '../graph/supersession.js';
import type { Settlement } from './contradiction.js';

/** A document of this standing yields to one that has none of them. */
const YIELDING: ReadonlySet<DeclaredStatus | null | undefined> = new Set([
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
  const isValid = (documentId: string): boolean => isValidAt(index.documents.get(documentId), at);
  const stands = (documentId: string): boolean => !YIELDING.has(index.documents.get(documentId)?.status);
  return (
    preferOne('validity', leftDocumentId, rightDocumentId, isValid) ??
    preferOne('status', leftDocumentId, rightDocumentId, stands)
  );
}

/** Id of the first relation on the way from a document to one that replaced it. */
function findPathToReplacement(index: GraphIndex, fromId: string, toId: string, at: number): string | null {
  const seen = new Set<string>();
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

/** The side that declares what makes it yield is the relation. */
function preferOne(
  by: Settlement['by'],
  leftDocumentId: string,
  rightDocumentId: string,
  stands: (documentId: string) => boolean,
): Settlement | null {
  const leftStands = stands(leftDocumentId);
  if (leftStands === stands(rightDocumentId)) return null;
  return leftStands
    ? { by, relationId: rightDocumentId, prevails: 'left' }
    : { by, relationId: leftDocumentId, prevails: 'right' };
}
