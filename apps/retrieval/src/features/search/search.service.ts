import type { CallerScope, RetrievalReply, SearchBody } from '@candor/contracts';
import { itemPagePlan } from '../../search/item-page-plan.js';
import { orderHits } from '../../search/order-hits.js';
import type { RetrieveChunksService } from '../../search/retrieve-chunks.service.js';
import { toAuditFacts } from '../../search/to-audit-facts.js';
import { toChunkQuery } from '../../search/to-chunk-query.js';
import { toHit } from '../../search/to-hit.js';

/** `/v1/search`: the same retrieval as `/v1/context`, no envelope (seed 002). */
export class SearchService {
  constructor(private readonly chunks: RetrieveChunksService) {}

  async search(caller: CallerScope, body: SearchBody, signal: AbortSignal): Promise<RetrievalReply<'search'>> {
    const page = await this.chunks.retrieve(
      caller,
      toChunkQuery(body),
      (relevance) => itemPagePlan(body, relevance),
      signal,
    );
    const now = new Date();
    const hits = orderHits(page.entries, body.ranking).map((entry) => toHit(entry, page.scope, now));
    return { result: { query: body.query, hits }, facts: toAuditFacts(page) };
  }
}
