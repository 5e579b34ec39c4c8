import { performance } from 'node:perf_hooks';
import type { CallerScope } from '@candor/contracts';
import {
  findModelLanguages,
  findRelevanceProfile,
  type EmbedderRegistry,
  type RelevanceProfile,
} from '@candor/embeddings';
import type { SearchIndexReader } from '@candor/search-index/read';
import { chooseDenseWeight } from './choose-dense-weight.js';
import { resolveItemScope } from './resolve-item-scope.js';
import { RetrievalRun, throwIfStopped, type ChunkQuery, type RetrievedPage, type Views } from './retrieval-run.js';
import type { PagePlan } from './select-page.js';

/** The one query path: scope, embed, both legs, recheck against the truth, page, refill. */
export class RetrieveChunksService {
  constructor(
    private readonly reader: SearchIndexReader,
    private readonly views: Views,
    private readonly embedders: EmbedderRegistry,
    /** Default: what was measured for the model of the index that is searched. */
    private readonly relevance?: RelevanceProfile,
  ) {}

  /**
   * One generation a request: the live one is looked up first, the query is embedded with its own model and compared
   * with its own vectors, in every round.
   *
   * @throws AppError AUTH.INVALID_KEY when the key no longer holds; DEPENDENCY.*; EMBEDDINGS.PROFILE_MISMATCH when the
   *   model of the index can't be opened; REQUEST.CANCELLED once `signal` fires.
   */
  async retrieve(
    caller: CallerScope,
    query: ChunkQuery,
    planFor: (relevance: RelevanceProfile) => PagePlan,
    signal: AbortSignal,
  ): Promise<RetrievedPage> {
    const started = performance.now();
    const [generation, itemIds] = await Promise.all([
      this.views.liveGeneration(caller.tenantId),
      resolveItemScope(this.views, caller.tenantId, {
        sourceItemId: query.sourceItemId ?? null,
        collectionId: query.collectionId ?? null,
      }),
    ]);
    throwIfStopped(signal);
    const model = generation?.embedding ?? this.embedders.configured.profile;
    const plan: PagePlan = {
      denseWeight: chooseDenseWeight(query.text, findModelLanguages(model)),
      ...planFor(this.relevance ?? findRelevanceProfile(model)),
    };
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
    return run.finish(generation, started);
  }
}
