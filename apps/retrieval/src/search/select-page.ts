import type { ItemHead, ReadScope } from '@candor/persistence/views';
import { judgeRelevance, type QueryTerms, type RelevanceRule, type WordMatch } from '@candor/reasoning/relevance';
import type { Candidate, FoundChunk } from '@candor/search-index/read';
import { applyRelevanceFloor, reachesFloor } from './apply-relevance-floor.js';
import { ExclusionTally } from './exclusion-tally.js';
import { fuseCandidates, type Fused } from './fuse-candidates.js';
import { isStale, judgeCandidate, type Rejection } from './judge-candidate.js';
import { judgeValidity } from './judge-validity.js';
import { repeatsPassage } from './repeats-passage.js';

/** What the page is made of and how strict it is. */
export interface PagePlan {
  limit: number;
  /** `item`: the best chunk of each item. `passage`: sections and paragraphs, several of an item. */
  unit: 'item' | 'passage';
  /** Cosine below which nothing is shown; null = everything may be. */
  floor: number | null;
  /** The floor holds in every language: nothing else would leave anything out. */
  keepsFloor?: boolean;
  /** Share of the way from the floor up to the best cosine below which the rest is cut off; null = no such cut. */
  tailShare: number | null;
  /** How to tell whether anything is relevant; null = whatever is found is: nothing was measured for the model. */
  rule: RelevanceRule | null;
  /** Show nothing at all when nothing is relevant. */
  emptyUnlessRelevant: boolean;
  /** Keep what was replaced too, for whoever judges that itself; default false. */
  keepsSuperseded?: boolean;
  /** Share of the dense leg in the fusion; default the usual one. */
  denseWeight?: number;
}

/** What of the query a chunk's text holds, by words. */
export interface ReadWords {
  terms: QueryTerms;
  matchOf: (chunk: FoundChunk) => WordMatch;
}

export type CheckedCandidate = Candidate & { head: ItemHead; match: WordMatch };
export type PageEntry = Fused<CheckedCandidate>;

export interface SelectedPage {
  /** Best first by fusion, at most `limit`. */
  entries: PageEntry[];
  /** Whether anything that the caller may see is relevant to the query. */
  relevant: boolean;
  /** Nothing would be gained by looking further. */
  isFull: boolean;
  excluded: ExclusionTally;
  /** Candidates of which the caller may know: what is hidden from it, or gone, isn't counted. */
  known: number;
  /** Chunk ids of candidates that the recheck alone has kept from the page, and why. */
  rejected: ReadonlyMap<string, Rejection>;
  /** Items that no further round can add anything of. */
  settledItemIds: Set<string>;
  /** Cosine below which no candidate can enter this page; null = none is too low. */
  threshold: number | null;
}

/**
 * Decides what is in the page, from everything found so far and the heads read for it. Access, deletion and versions
 * come before fusion, so that what the caller may not see can't move a score or make a query relevant; floor,
 * duplicates and the limit after.
 * @param at the instant asked about: of equal texts it decides which one still holds.
 */
export function selectPage(
  candidates: Iterable<Candidate>,
  heads: ReadonlyMap<string, ItemHead>,
  scope: ReadScope,
  plan: PagePlan,
  words: ReadWords,
  at: Date,
): SelectedPage {
  const excluded = new ExclusionTally();
  const settledItemIds = new Set<string>();
  const rejected = new Map<string, Rejection>();
  const visible: CheckedCandidate[] = [];
  const refused: { candidate: Candidate; verdict: Rejection }[] = [];
  let known = 0;
  for (const candidate of candidates) {
    const { chunk } = candidate;
    const head = heads.get(headKey(chunk));
    const verdict = judgeCandidate(scope, head);
    if (verdict !== 'withheld' && verdict !== 'gone') known += 1;
    const isKept = verdict === 'visible' || (verdict === 'superseded' && plan.keepsSuperseded === true);
    if (isKept && head) visible.push({ ...candidate, head, match: words.matchOf(chunk) });
    else if (verdict !== 'visible') refused.push({ candidate, verdict });
  }

  const ofUnit = visible.filter((candidate) => isOfUnit(candidate.chunk, plan.unit));
  const fused = fuseCandidates(ofUnit, plan.denseWeight);
  const threshold = thresholdOf(fused, plan);
  const relevant = fused.length > 0 && (plan.rule === null || judgeRelevance(fused, words.terms, plan.rule));
  const { kept, below } = applyRelevanceFloor(fused, threshold, plan.rule);
  for (const { candidate, verdict } of refused) reject(candidate, verdict);
  const isEmptied = plan.emptyUnlessRelevant && !relevant;
  const entries = isEmptied ? [] : takePage(kept);
  if (isEmptied) countBelow(fused, []);
  else countBelow(below, kept);
  // Of an emptied page's further candidates, the most alike have been judged.
  const isFull = (isEmptied ? kept : entries).length >= plan.limit;
  return { entries, relevant, isFull, excluded, known, rejected, settledItemIds, threshold };

  function reject(candidate: Candidate, verdict: Rejection): void {
    const { chunk, cosine } = candidate;
    const { chunkId, itemId, provider } = chunk;
    if (isStale(verdict)) excluded.add(verdict === 'withheld' ? 'withheld' : 'gone', provider, itemId);
    // Held to what visible ones are held to: what is too far would not have been shown in any case.
    else if (reachesFloor({ cosine, match: words.matchOf(chunk) }, threshold, plan.rule))
      excluded.add(verdict, provider, itemId);
    else return;
    rejected.set(chunkId, verdict);
    // Another version of these two may still be the one that holds.
    if (verdict !== 'not_yet_known' && verdict !== 'outdated') settledItemIds.add(itemId);
  }

  function takePage(ordered: readonly PageEntry[]): PageEntry[] {
    const page: PageEntry[] = [];
    const ownerOfContent = ownersOfContent(ordered, at);
    const itemsInPage = new Set<string>();
    const copies: { entry: PageEntry; owner: string }[] = [];
    for (const entry of ordered) {
      const { itemId } = entry.chunk;
      const owner = ownerOfContent.get(entry.head.contentHash) ?? itemId;
      if (owner !== itemId) {
        settledItemIds.add(itemId);
        copies.push({ entry, owner });
        continue;
      }
      if (page.length >= plan.limit) continue;
      const isRepeated =
        plan.unit === 'item' ? itemsInPage.has(itemId) : page.some((shown) => repeatsPassage(shown.chunk, entry.chunk));
      if (isRepeated) continue;
      page.push(entry);
      itemsInPage.add(itemId);
      if (plan.unit === 'item') settledItemIds.add(itemId);
    }
    for (const { entry, owner } of copies) {
      if (itemsInPage.has(owner)) excluded.add('duplicate', entry.chunk.provider, entry.chunk.itemId);
    }
    return page;
  }

  /** Only items of which the nearest passage is judged: one that its words have found may have a nearer one. */
  function countBelow(left: readonly PageEntry[], shown: readonly PageEntry[]): void {
    const itemsAbove = new Set(shown.map((entry) => entry.chunk.itemId));
    // The dense leg has come to what is too far: whatever is nearer is known.
    const areNearestKnown = below.some(({ denseRank }) => denseRank !== null);
    for (const { chunk, denseRank } of left) {
      if (itemsAbove.has(chunk.itemId) || (denseRank === null && !areNearestKnown)) continue;
      excluded.add('relevance_floor', chunk.provider, chunk.itemId);
    }
  }
}

/** Of items with the same content the first one that holds, else the first: a copy must not hide what holds. */
function ownersOfContent(ordered: readonly PageEntry[], at: Date): Map<string, string> {
  const owners = new Map<string, { itemId: string; doubts: number }>();
  for (const { head, chunk } of ordered) {
    const owner = owners.get(head.contentHash);
    const doubts = countDoubts(head, at);
    if (!owner || doubts < owner.doubts) owners.set(head.contentHash, { itemId: chunk.itemId, doubts });
  }
  return new Map([...owners].map(([contentHash, { itemId }]) => [contentHash, itemId]));
}

/** Being replaced weighs more than a time of validity that is over or to come. */
function countDoubts(head: ItemHead, at: Date): number {
  return (head.superseded ? 2 : 0) + (judgeValidity(head, at) === 'valid' ? 0 : 1);
}

/** As `RetrievalViews.recheck` keys its heads. */
export function headKey(chunk: Pick<FoundChunk, 'itemId' | 'version'>): string {
  return `${chunk.itemId}:${chunk.version}`;
}

function isOfUnit(chunk: FoundChunk, unit: PagePlan['unit']): boolean {
  return unit === 'item' || chunk.level !== 'document';
}

function thresholdOf(candidates: readonly Candidate[], { floor, tailShare }: PagePlan): number | null {
  if (tailShare === null || floor === null) return floor;
  const best = candidates.reduce((highest, candidate) => Math.max(highest, candidate.cosine), floor);
  return floor + tailShare * (best - floor);
}
