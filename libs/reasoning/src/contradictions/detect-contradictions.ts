import type { Claim } from '../claims/claim.js';
import { findConflicts } from '../claims/find-conflicts.js';
import type { EvidenceItem } from '../evidence/evidence-bundle.js';
import type { GraphProjection } from '../graph/graph-projection.js';
import { indexGraph, type GraphIndex } from '../graph/supersession.js';
import type { InferenceProposal, ProposalKind } from '../proposals/inference-proposal.js';
import type { Contradiction, ContradictionSide } from './contradiction.js';
import { settleContradiction } from './settle-contradiction.js';

export interface DetectionInput {
  items: readonly EvidenceItem[];
  /** Null: no declared relation is known, so nothing is settled. */
  graph: GraphProjection | null;
  proposals: readonly InferenceProposal[];
  /** Milliseconds since the epoch: validity is judged then. */
  at: number;
}

/** Disagreements between items of the evidence, found by rules or by proposals both of whose sides are items. */
export function detectContradictions({ items, graph, proposals, at }: DetectionInput): Contradiction[] {
  const index = graph === null ? null : indexGraph(graph);
  const sources = new Map(items.map((item) => [item.chunkId, item]));
  const found = new Map<string, Contradiction>();
  for (const { kind, subject, left, right } of findConflicts(items)) {
    const sides = toSides(sources, claimSide(left), claimSide(right));
    if (sides !== null) found.set(keyOf(kind, left.chunkId, right.chunkId), compose(kind, subject, sides, index, at));
  }
  for (const { kind, subject, claims, proposalId } of proposals) {
    const [left, right] = claims;
    const key = keyOf(kind, left.evidenceId, right.evidenceId);
    const sides = toSides(sources, { ...left, chunkId: left.evidenceId }, { ...right, chunkId: right.evidenceId });
    const known = found.get(key) ?? (sides === null ? null : compose(kind, subject, sides, index, at));
    if (known !== null) found.set(key, { ...known, proposalId: known.proposalId ?? proposalId });
  }
  return [...found.values()];
}

interface StatedSide {
  chunkId: string;
  quotation: string;
  value: string;
}
type Sides = [ContradictionSide, ContradictionSide];

function claimSide({ chunkId, quotation, value }: Claim): StatedSide {
  return { chunkId, quotation, value };
}

function toSides(sources: ReadonlyMap<string, EvidenceItem>, left: StatedSide, right: StatedSide): Sides | null {
  const leftItem = sources.get(left.chunkId);
  const rightItem = sources.get(right.chunkId);
  return leftItem && rightItem ? [toSide(leftItem, left), toSide(rightItem, right)] : null;
}

function toSide(
  { chunkId, documentId, documentTitle, sourceDate }: EvidenceItem,
  { quotation, value }: StatedSide,
): ContradictionSide {
  return { chunkId, documentId, documentTitle, quotation, value, sourceDate };
}

function compose(
  kind: ProposalKind,
  subject: string,
  [left, right]: Sides,
  index: GraphIndex | null,
  at: number,
): Contradiction {
  const settledBy = index === null ? null : settleContradiction(left.documentId, right.documentId, index, at);
  return { kind, subject, left, right, settledBy, proposalId: null };
}

function keyOf(kind: ProposalKind, left: string, right: string): string {
  return JSON.stringify([kind, ...[left, right].sort()]);
}
