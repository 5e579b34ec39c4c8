import type { ProposalKind } from '../proposals/inference-proposal.js';
import type { Claim, ClaimSource } from './claim.js';
import { extractClaims } from './extract-claims.js';
import { attributesDiffer } from './read-attributes.js';
import { datesDiffer } from './read-dates.js';
import { statusesDiffer } from './read-statuses.js';

export interface Conflict {
  kind: ProposalKind;
  subject: string;
  left: Claim;
  right: Claim;
  /** 0–1: how much the two subjects have in common. */
  confidence: number;
}

/** Bound the pairs that are compared, whatever the passages hold. */
const MOST_CLAIMS = 600;
const MOST_CONFLICTS = 20;
/**
 * Share of the shorter subject's words, and of all words of both, that the two have to have in common. A word for a state says
 * more of what is meant than a number does, so its subject may differ more; measured in `docs/reference/contradictions.md`.
 */
const LEAST_SHARED: Record<ProposalKind, { overlap: number; likeness: number }> = {
  conflicting_value: { overlap: 0.75, likeness: 0.5 },
  conflicting_date: { overlap: 0.75, likeness: 0.5 },
  conflicting_status: { overlap: 0.6, likeness: 0.3 },
};

/**
 * Pairs of statements of different documents that say different things of the same subject: another value of one dimension,
 * another date, an exclusive state. Two passages may disagree about several subjects; of each one, the most confident
 * conflict. First the most confident one of every pair of passages, in the order of the passages, then the others.
 * @param keep asked once for each, in order: what it leaves out takes no place among the few that are given
 * @param most conflicts that are given
 * @param onCut hears how many statements were left uncompared, beyond the first 600
 */
export function findConflicts(
  sources: readonly ClaimSource[],
  keep: (conflict: Conflict) => boolean = () => true,
  { most = MOST_CONFLICTS, onCut }: { most?: number; onCut?: ((uncompared: number) => void) | undefined } = {},
): Conflict[] {
  const all = sources.flatMap(extractClaims);
  const claims = all.slice(0, MOST_CLAIMS);
  if (all.length > claims.length) onCut?.(all.length - claims.length);
  const pairs = new Map<string, Conflict[]>();
  for (const [index, left] of claims.entries()) {
    for (const right of claims.slice(index + 1)) {
      const confidence = compareClaims(left, right);
      if (confidence === null) continue;
      const key = JSON.stringify([left.kind, left.chunkId, right.chunkId]);
      const conflict = { kind: left.kind, subject: left.subject, left, right, confidence };
      const known = pairs.get(key);
      if (known === undefined) pairs.set(key, [conflict]);
      else known.push(conflict);
    }
  }
  return takeTurns([...pairs.values()].map((pair) => dropAgreements(pickOnePerSubject(pair), claims)))
    .filter(keep)
    .slice(0, most);
}

/**
 * Each subject of either passage speaks in one conflict, the most confident one; so does a pair of sentences, but for
 * subjects of it that are clearly two.
 */
function pickOnePerSubject(pair: readonly Conflict[]): Conflict[] {
  const taken = new Set<string>();
  const bySentences = new Map<string, Conflict[]>();
  return [...pair]
    .sort((one, other) => other.confidence - one.confidence)
    .filter((conflict) => {
      const { left, right } = conflict;
      const ends = [`left ${nameSubject(left)}`, `right ${nameSubject(right)}`];
      const sentences = JSON.stringify([left.quotation, right.quotation]);
      const ofSentences = bySentences.get(sentences) ?? [];
      if (ends.some((end) => taken.has(end)) || !ofSentences.every((other) => haveTwoSubjects(conflict, other)))
        return false;
      for (const end of ends) taken.add(end);
      bySentences.set(sentences, [...ofSentences, conflict]);
      return true;
    });
}

/** "the Starter plan" and "the Team plan" are two; "the Team plan" and "the old Team plan" may be one. */
function haveTwoSubjects(one: Conflict, other: Conflict): boolean {
  return haveOwnWords(one.left, other.left) && haveOwnWords(one.right, other.right);
}

function haveOwnWords(one: Claim, other: Claim): boolean {
  return [...one.words].some((word) => !other.words.has(word)) && [...other.words].some((word) => !one.words.has(word));
}

function nameSubject({ dimension, words }: Claim): string {
  return JSON.stringify([dimension, ...[...words].sort()]);
}

/** The first of each list, then the second of each, and so on: a long price list leaves room for others. */
function takeTurns(lists: readonly (readonly Conflict[])[]): Conflict[] {
  const turns = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: turns }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat();
}

function compareClaims(left: Claim, right: Claim): number | null {
  if (left.kind !== right.kind || left.dimension !== right.dimension) return null;
  if (left.documentId === right.documentId || !valuesDiffer(left, right)) return null;
  const shared = [...left.words].filter((word) => right.words.has(word));
  const smaller = Math.min(left.words.size, right.words.size);
  const likeness = shared.length / (left.words.size + right.words.size - shared.length);
  const least = LEAST_SHARED[left.kind];
  if (shared.length < 2 || shared.length / smaller < least.overlap || likeness < least.likeness) return null;
  if (nameTwoThings(left, right)) return null;
  return Math.round((0.5 + likeness / 2) * 100) / 100;
}

/** "the Team plan" and "the Chain plan" are two subjects, however alike the rest is. */
function nameTwoThings(left: Claim, right: Claim): boolean {
  return hasOtherName(left, right) && hasOtherName(right, left);
}

function hasOtherName(claim: Claim, other: Claim): boolean {
  return [...claim.names].some((name) => !other.words.has(name));
}

function valuesDiffer(left: Claim, right: Claim): boolean {
  if (left.dimension === 'date') return datesDiffer(left.normalized, right.normalized);
  if (left.dimension === 'attribute') return attributesDiffer(left.normalized, right.normalized);
  if (left.kind === 'conflicting_status') return statusesDiffer(left.normalized, right.normalized);
  return left.normalized !== right.normalized;
}

/** A passage that also states the other's value of the same subject doesn't contradict it. */
function dropAgreements(conflicts: readonly Conflict[], claims: readonly Claim[]): Conflict[] {
  const states = (chunkId: string, claim: Claim): boolean =>
    claims.some(
      (other) =>
        other.chunkId === chunkId &&
        other.dimension === claim.dimension &&
        !valuesDiffer(other, claim) &&
        !nameTwoThings(other, claim) &&
        [...claim.words].filter((word) => other.words.has(word)).length >= 2,
    );
  return conflicts.filter(({ left, right }) => !states(left.chunkId, right) && !states(right.chunkId, left));
}
