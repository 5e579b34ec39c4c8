import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import type { CallerScope } from '@candor/contracts';
import {
  findModelLanguages,
  findRelevanceProfile,
  type EmbedderRegistry,
  type RelevanceProfile,
} from '@candor/embeddings';
import type { LiveGeneration } from '@candor/persistence/views';
import { throwIfCancelled } from '@candor/runtime/cancellation';
import type { SearchIndexReader } from '@candor/search-index/read';
import { observePage } from '../retrieval-metrics.js';
import { adaptToLanguage } from './adapt-to-language.js';
import { resolveItemScope } from './resolve-item-scope.js';
import { RetrievalRun, type ChunkQuery, type RetrievedPage, type Views } from './retrieval-run.js';
import type { PagePlan } from './select-page.js';

/** Tenants whose live generation is remembered; the least recently asked are forgotten. */
const REMEMBERED_TENANTS = 10_000;

type PlanFor = (relevance: RelevanceProfile) => PagePlan;

/** The one query path: scope, embed, both legs, recheck against the truth, page, refill. */
export class RetrieveChunksService {
  private readonly remembered = new LRUCache<string, LiveGeneration>({ max: REMEMBERED_TENANTS });

  constructor(
    private readonly reader: SearchIndexReader,
    private readonly views: Views,
    private readonly embedders: EmbedderRegistry,
    /** Default: what was measured for the model of the index that is searched. */
    private readonly relevance?: RelevanceProfile,
  ) {}

  /**
   * One generation a request: the query is embedded with the live one's own model and compared with its own vectors, in
   * every round. The last known one is searched at once, and the recheck tells which one is live by then; when another was
   * promoted meanwhile, all of it is thrown away.
   *
   * @throws AppError AUTH.INVALID_KEY when the key no longer holds; DEPENDENCY.*; EMBEDDINGS.PROFILE_MISMATCH when the
   *   model of the index can't be opened; REQUEST.CANCELLED once `signal` fires.
   */
  async retrieve(
    caller: CallerScope,
    query: ChunkQuery,
    planFor: PlanFor,
    signal: AbortSignal,
  ): Promise<RetrievedPage> {
    const page = await this.retrieveLive(caller, query, planFor, signal);
    observePage(page);
    return page;
  }

  private async retrieveLive(
    caller: CallerScope,
    query: ChunkQuery,
    planFor: PlanFor,
    signal: AbortSignal,
  ): Promise<RetrievedPage> {
    const started = performance.now();
    const searchIn = (generation: LiveGeneration | null): Promise<RetrievalRun> =>
      this.searchIn(generation, caller, query, planFor, signal);
    const readLive = (): Promise<LiveGeneration | null> => this.views.liveGeneration(caller.tenantId);
    const remembered = this.remembered.get(caller.tenantId);
    const [attempt] = await Promise.allSettled(remembered ? [searchIn(remembered)] : []);
    throwIfCancelled(signal);
    const live = attempt?.status === 'fulfilled' ? attempt.value.live : await readLive();
    throwIfCancelled(signal);
    if (live) this.remembered.set(caller.tenantId, live);
    else this.remembered.delete(caller.tenantId);
    if (attempt && live?.id === remembered?.id) {
      if (attempt.status === 'rejected') throw attempt.reason;
      return attempt.value.finish(live, started);
    }
    return (await searchIn(live)).finish(live, started);
  }

  private async searchIn(
    generation: LiveGeneration | null,
    caller: CallerScope,
    query: ChunkQuery,
    planFor: PlanFor,
    signal: AbortSignal,
  ): Promise<RetrievalRun> {
    const itemIds = await resolveItemScope(this.views, caller.tenantId, {
      sourceItemId: query.sourceItemId ?? null,
      collectionId: query.collectionId ?? null,
      ...(query.tags === undefined ? {} : { tags: query.tags }),
    });
    throwIfCancelled(signal);
    const model = generation?.embedding ?? this.embedders.configured.profile;
    const usual = planFor(this.relevance ?? findRelevanceProfile(model));
    const plan = adaptToLanguage(usual, query.text, findModelLanguages(model));
    const run = new RetrievalRun(caller, query, plan, signal, this.views);

    if (generation === null || itemIds?.length === 0 || run.scope.allowedProviders?.length === 0) await run.checkKey();
    else {
      const text = query.text.trim();
      const vector = run.time('embed', () =>
        this.embedders.use(generation.embedding, (embedder) => embedder.embedQuery(text, signal)),
      );
      const address = { tenantId: caller.tenantId, generation: generation.name };
      await run.search(this.reader, address, vector, itemIds);
    }
    return run;
  }
}
