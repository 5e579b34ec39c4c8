import { findConflicts, type Conflict } from '../claims/find-conflicts.js';
import type { EvidenceItem } from '../evidence/evidence-bundle.js';
import type { GraphProjection } from '../graph/graph-projection.js';
import { indexGraph, type GraphIndex } from '../graph/supersession.js';
import { identifyProposal, type IdentifyingClaim } from '../proposals/identify-proposal.js';
import type { InferenceProposal, ProposalKind, ProposedClaim } from '../proposals/inference-proposal.js';
import type { JudgedHit } from '../trust/trusted-result.js';
import { normalizeWhitespace } from '../validate-citations.js';
import type { Contradiction, ContradictionSide } from './contradiction.js';
import { settleContradiction } from './settle-contradiction.js';

export interface DetectionInput {
  items: readonly EvidenceItem[];
  /** Passages of another time that an item may have been settled against; they show as the losing side and no other way. */
  outdated: readonly JudgedHit[];
  /** Null: no declared relation is known, so nothing is settled. */
  graph: GraphProjection | null;
  proposals: readonly InferenceProposal[];
  /** Milliseconds since the epoch: validity is judged then. */
  at: number;
}

/**
 * Disagreements between items of the evidence, found by rules or by proposals both of whose sides are items; and those that
 * a declared relation settled for an item against an outdated passage. What a person rejected is none.
 */
export function detectContradictions({ items, outdated, graph, proposals, at }: DetectionInput): Contradiction[] {
  const index = graph === null ? null : indexGraph(graph);
  const sources = new Map(items.map((item) => [item.chunkId, item]));
  const stands = (each: Disagreement): boolean => graph === null || !isDismissed(each, graph);
  const found = findConflicts(items, stands).flatMap(({ kind, subject, left, right }) =>
    listSides(sources, left, right).map((sides) => compose(kind, subject, sides, index, at)),
  );
  for (const { kind, subject, claims, proposalId } of nameProposals(found, proposals))
    for (const sides of listSides(sources, toStated(claims[0]), toStated(claims[1])))
      found.push({ ...compose(kind, subject, sides, index, at), proposalId });
  // Those of proposals may be dismissed too.
  return [...found.filter(stands), ...findSettled(items, outdated, index, at, stands)];
}

function findSettled(
  items: readonly EvidenceItem[],
  outdated: readonly JudgedHit[],
  index: GraphIndex | null,
  at: number,
  stands: (each: Disagreement) => boolean,
): Contradiction[] {
  if (index === null) return [];
  const sources = new Map([...items, ...outdated].map((source) => [source.chunkId, source]));
  const current = new Set(items.map((item) => item.chunkId));
  const isSettled = (conflict: Conflict): boolean => {
    const { left, right } = conflict;
    if (current.has(left.chunkId) === current.has(right.chunkId)) return false;
    const settledBy = settleContradiction(left.documentId, right.documentId, index, at);
    return settledBy !== null && current.has(conflict[settledBy.prevails].chunkId) && stands(conflict);
  };
  return findConflicts([...sources.values()], isSettled).flatMap(({ kind, subject, left, right }) =>
    listSides(sources, left, right).map((sides) => compose(kind, subject, sides, index, at)),
  );
}

type Disagreement = Pick<Conflict, 'kind'> & Record<'left' | 'right', IdentifyingClaim>;

function isDismissed({ kind, left, right }: Disagreement, graph: GraphProjection): boolean {
  return graph.dismissedProposalIds.includes(identifyProposal(graph.identity.tenantId, kind, [left, right]));
}

interface StatedSide {
  chunkId: string;
  quotation: string;
  value: string;
}
type Sides = [ContradictionSide, ContradictionSide];

function toStated({ evidenceId, quotation, value }: ProposedClaim): StatedSide {
  return { chunkId: evidenceId, quotation, value };
}

/** None when one of them is of no source. */
function listSides(sources: ReadonlyMap<string, JudgedHit>, left: StatedSide, right: StatedSide): Sides[] {
  const leftItem = sources.get(left.chunkId);
  const rightItem = sources.get(right.chunkId);
  return leftItem && rightItem ? [[toSide(leftItem, left), toSide(rightItem, right)]] : [];
}

function toSide(
  { chunkId, documentId, documentTitle, sourceDate }: JudgedHit,
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

/**
 * Writes to each contradiction the proposal that found the same: one that quotes it exactly before one that quotes more or
 * less of it. One proposal names one contradiction.
 * @returns the others, which are findings of their own
 */
function nameProposals(found: readonly Contradiction[], proposals: readonly InferenceProposal[]): InferenceProposal[] {
  let open = [...proposals];
  for (const isSame of [isExactly, isPartly]) {
    open = open.filter(({ kind, claims, proposalId }) => {
      const [one, other] = [toStated(claims[0]), toStated(claims[1])];
      const known = found.find(
        (each) => each.proposalId === null && each.kind === kind && isBetween(each, one, other, isSame),
      );
      if (known !== undefined) known.proposalId = proposalId;
      return known === undefined;
    });
  }
  return open;
}

type IsSame = (stated: StatedSide, other: StatedSide) => boolean;

/** Whether two statements are its sides, in either order. */
function isBetween({ left, right }: Contradiction, one: StatedSide, other: StatedSide, isSame: IsSame): boolean {
  return (isSame(left, one) && isSame(right, other)) || (isSame(left, other) && isSame(right, one));
}

const isExactly: IsSame = (stated, other) =>
  stated.chunkId === other.chunkId &&
  normalizeWhitespace(stated.quotation) === normalizeWhitespace(other.quotation) &&
  normalizeWhitespace(stated.value) === normalizeWhitespace(other.value);

/** One may quote more of a sentence than the other, and more of a value: "49" of "49 euros", not of "149 euros". */
const isPartly: IsSame = (stated, other) =>
  stated.chunkId === other.chunkId &&
  isPartOfOther(normalizeWhitespace(stated.quotation), normalizeWhitespace(other.quotation)) &&
  isPartOfOther(` ${normalizeWhitespace(stated.value)} `, ` ${normalizeWhitespace(other.value)} `);

function isPartOfOther(one: string, other: string): boolean {
  return one.includes(other) || other.includes(one);
}
