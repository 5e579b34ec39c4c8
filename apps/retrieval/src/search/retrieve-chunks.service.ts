import { performance } from 'node:perf_hooks';
import type { CallerScope } from '@candor/contracts';
import type { Embedder } from '@candor/embeddings';
import type { SearchIndexReader } from '@candor/search-index/read';
import { resolveItemScope } from './resolve-item-scope.js';
import { RetrievalRun, throwIfStopped, type ChunkQuery, type RetrievedPage, type Views } from './retrieval-run.js';
import type { PagePlan } from './select-page.js';

/** The one query path: scope, embed, both legs, recheck against the truth, page, refill. */
export class RetrieveChunksService {
  constructor(
    private readonly reader: SearchIndexReader,
    private readonly views: Views,
    private readonly embedder: Embedder,
  ) {}

  /**
   * @throws AppError AUTH.INVALID_KEY when the key no longer holds; DEPENDENCY.*; REQUEST.CANCELLED once `signal` fires.
   */
  async retrieve(caller: CallerScope, query: ChunkQuery, plan: PagePlan, signal: AbortSignal): Promise<RetrievedPage> {
    const started = performance.now();
    const run = new RetrievalRun(caller, query, plan, signal, this.views);
    const [vector, generation, itemIds] = await Promise.all([
      run.time('embed', () => this.embedder.embedQuery(query.text.trim(), signal)),
      this.views.liveGeneration(caller.tenantId),
      resolveItemScope(this.views, caller.tenantId, {
        sourceItemId: query.sourceItemId ?? null,
        collectionId: query.collectionId ?? null,
      }),
    ]);
    throwIfStopped(signal);

    if (generation === null || itemIds?.length === 0 || run.scope.allowedProviders?.length === 0) await run.checkKey();
    else {
      const address = { tenantId: caller.tenantId, generation: generation.name };
      await run.search(this.reader, address, vector, itemIds);
    }
    return run.finish(generation, started);
  }
}
