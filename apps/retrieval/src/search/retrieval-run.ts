import { performance } from 'node:perf_hooks';
import { AppError, type CallerScope, type Provider } from '@candor/contracts';
import type { ItemHead, KeyHead, LiveGeneration, ReadScope, RetrievalViews } from '@candor/persistence/views';
import {
  MAX_CANDIDATES,
  type Candidate,
  type ChunkFilter,
  type IndexAddress,
  type SearchIndexReader,
} from '@candor/search-index/read';
import type { ExclusionTally } from './exclusion-tally.js';
import { throwIfCancelled } from '@candor/runtime/cancellation';
import { readQueryTerms, type WordMatch } from '@candor/reasoning/relevance';
import { FUSION } from './fusion-settings.js';
import { judgeRound } from './judge-round.js';
import { MatchOnDemand } from './match-on-demand.js';
import { narrowToKey, narrowToRequest } from './narrow-scope.js';
import {
  headKey,
  selectPage,
  type PageEntry,
  type PagePlan,
  type ReadWords,
  type SelectedPage,
} from './select-page.js';

/** Thousands of changes take the index minutes. */
const CATCH_UP_SECONDS = 30;

/** The truth, as retrieval reads it. */
export type Views = Pick<
  RetrievalViews,
  'collectionItems' | 'expandChunk' | 'liveGeneration' | 'readChunk' | 'recheck' | 'sourceProblems' | 'taggedItems'
>;

export interface ChunkQuery {
  /** As sent; trimmed before it is embedded. */
  text: string;
  sourceItemId?: string | undefined;
  collectionId?: string | undefined;
  /** Of the items: all of them. */
  tags?: readonly string[] | undefined;
  providers?: readonly Provider[] | undefined;
  updatedAfter?: string | undefined;
  updatedBefore?: string | undefined;
  knownAsOf?: string | undefined;
  /** Chunks not to be returned again. */
  excludeChunkIds?: readonly string[] | undefined;
  /** With `knownAsOf`: also look for what came later, so that it can be counted. Costs one more index query. */
  countNotYetKnown?: boolean;
}

export interface RetrievedPage {
  /** Best first by fusion. */
  entries: PageEntry[];
  /** Whether anything that the caller may see is relevant to the query. */
  relevant: boolean;
  excluded: ExclusionTally;
  key: KeyHead;
  /** What the key may read. */
  keyScope: ReadScope;
  /** The same, narrowed to the providers asked for. */
  scope: ReadScope;
  /** null = the tenant has no index yet. */
  generation: LiveGeneration | null;
  /** Share of the dense leg in the fusion. */
  denseWeight: number;
  /** Distinct chunks considered. */
  candidates: number;
  rounds: number;
  exact: boolean;
  /** Milliseconds. */
  tookMs: { embed: number; search: number; recheck: number; total: number };
}

/** What one request has gathered so far: the rounds, the pool of candidates, the heads read for them. */
export class RetrievalRun {
  scope: ReadScope;
  /** The generation that is live as of the last recheck, whichever one is searched. */
  live: LiveGeneration | null = null;
  private keyScope: ReadScope;
  private key: KeyHead | undefined;
  private readonly words: ReadWords;
  private readonly at: Date;
  private readonly pool = new Map<string, Candidate>();
  private readonly heads = new Map<string, ItemHead>();
  private selected: SelectedPage;
  private rounds = 0;
  private exact = true;
  private readonly took = { embed: 0, search: 0, recheck: 0 };

  constructor(
    private readonly caller: CallerScope,
    private readonly query: ChunkQuery,
    private readonly plan: PagePlan,
    private readonly signal: AbortSignal,
    private readonly views: Views,
  ) {
    this.keyScope = narrowToKey(caller, null);
    this.scope = narrowToRequest(this.keyScope, query.providers ?? null);
    this.words = readWordsOnce(query.text);
    this.at = query.knownAsOf === undefined ? new Date() : new Date(query.knownAsOf);
    this.selected = this.select();
  }

  /**
   * @throws AppError DEPENDENCY.INDEX_UNAVAILABLE when the effort is spent on what doesn't hold any more: a short or empty page
   *   would say that there is no more.
   */
  async search(
    reader: SearchIndexReader,
    address: IndexAddress,
    vector: Promise<Float32Array>,
    itemIds: string[] | null,
  ): Promise<void> {
    let k = FUSION.candidatesPerLeg(this.plan.limit);
    for (;;) {
      this.rounds += 1;
      const { found, later } = await this.findRound(reader, address, { vector, k, filter: this.filterOf(itemIds) });
      throwIfCancelled(this.signal);
      for (const candidate of [...found, ...later]) this.pool.set(candidate.chunk.chunkId, candidate);
      await this.recheck([...found, ...later]);
      throwIfCancelled(this.signal);
      this.selected = this.select();
      const { rounds, selected, words } = this;
      const outcome = judgeRound({ found, k, rounds }, selected, this.plan.rule, words);
      if (outcome === 'index_behind') throw indexBehind();
      if (outcome === 'finished') return;
      k = Math.min(MAX_CANDIDATES, k * FUSION.refillGrowth);
    }
  }

  checkKey(): Promise<void> {
    return this.recheck([]);
  }

  async time<Result>(part: 'embed' | 'recheck', work: () => Promise<Result>): Promise<Result> {
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.took[part] += performance.now() - started;
    }
  }

  finish(generation: LiveGeneration | null, started: number): RetrievedPage {
    // Every way here has read the key's head.
    if (!this.key) throw new AppError('AUTH.INVALID_KEY');
    const { entries, relevant, excluded } = this.selected;
    return {
      entries,
      relevant,
      excluded,
      key: this.key,
      keyScope: this.keyScope,
      scope: this.scope,
      generation,
      denseWeight: this.plan.denseWeight ?? FUSION.denseWeight,
      candidates: this.selected.known,
      rounds: this.rounds,
      exact: this.exact,
      tookMs: { ...this.took, total: performance.now() - started },
    };
  }

  private async findRound(
    reader: SearchIndexReader,
    address: IndexAddress,
    round: { vector: Promise<Float32Array>; k: number; filter: ChunkFilter },
  ): Promise<{ found: Candidate[]; later: Candidate[] }> {
    const { k, filter } = round;
    // Only the first round comes before the vector.
    const vector = this.rounds === 1 ? round.vector : await round.vector;
    const shared = { vector, text: this.query.text.trim(), k, signal: this.signal };
    const { knownAsOf, ...always } = filter;
    const countsLater = knownAsOf !== undefined && this.query.countNotYetKnown === true && this.rounds === 1;
    const started = performance.now();
    const search = Promise.all([
      reader.findCandidates(address, { ...shared, filter }),
      countsLater ? reader.findCandidates(address, { ...shared, filter: always }) : null,
    ]);
    const [embeddedAt, [result, unbounded]] = await Promise.all([round.vector.then(() => performance.now()), search]);
    this.took.search += performance.now() - Math.max(started, embeddedAt);
    this.exact &&= result.exact;
    const later = (unbounded?.candidates ?? []).filter(
      ({ chunk }) => Date.parse(chunk.recordedAt) > Date.parse(knownAsOf ?? ''),
    );
    return { found: result.candidates, later };
  }

  private async recheck(found: readonly Candidate[]): Promise<void> {
    const versions = new Map(
      found.map(({ chunk }) => [headKey(chunk), { itemId: chunk.itemId, version: chunk.version }]),
    );
    const { key, heads, generation } = await this.time('recheck', () =>
      this.views.recheck(this.caller.apiKeyId, [...versions.values()], this.query.knownAsOf ?? null),
    );
    if (key === null || key.tenantId !== this.caller.tenantId) throw new AppError('AUTH.INVALID_KEY');
    this.key = key;
    this.live = generation;
    this.keyScope = narrowToKey(this.caller, key);
    this.scope = narrowToRequest(this.keyScope, this.query.providers ?? null);
    for (const [id, head] of heads) this.heads.set(id, head);
  }

  private select(): SelectedPage {
    return selectPage(this.pool.values(), this.heads, this.scope, this.plan, this.words, this.at);
  }

  private filterOf(itemIds: string[] | null): ChunkFilter {
    const { query, scope, selected } = this;
    const chunkIds = new Set(query.excludeChunkIds);
    for (const { chunk } of this.pool.values()) {
      if (!selected.settledItemIds.has(chunk.itemId)) chunkIds.add(chunk.chunkId);
    }
    return {
      tenantId: this.caller.tenantId,
      providers: scope.allowedProviders === null ? null : [...scope.allowedProviders],
      principals: scope.principals === null ? null : [...scope.principals],
      itemIds,
      ...(selected.settledItemIds.size === 0 ? {} : { excludeItemIds: [...selected.settledItemIds] }),
      ...(chunkIds.size === 0 ? {} : { excludeChunkIds: [...chunkIds] }),
      ...(query.updatedAfter === undefined ? {} : { updatedAfter: query.updatedAfter }),
      ...(query.updatedBefore === undefined ? {} : { updatedBefore: query.updatedBefore }),
      ...(query.knownAsOf === undefined ? {} : { knownAsOf: query.knownAsOf }),
    };
  }
}

function indexBehind(): AppError {
  return new AppError('DEPENDENCY.INDEX_UNAVAILABLE', {
    message:
      'The search index is far behind: most of what it has nearest to this query no longer holds. Try again in a while.',
    retryAfterSeconds: CATCH_UP_SECONDS,
  });
}

/** Each chunk is read once, however many rounds look at it again. */
function readWordsOnce(query: string): ReadWords {
  const terms = readQueryTerms(query);
  const matches = new Map<string, WordMatch>();
  return {
    terms,
    matchOf: ({ chunkId, title, sectionPath, content }) => {
      const match = matches.get(chunkId) ?? new MatchOnDemand(terms, { headings: [title, ...sectionPath], content });
      matches.set(chunkId, match);
      return match;
    },
  };
}
