import type { CallerScope, ContextBody, RequestId, RetrievalReply } from '@candor/contracts';
import { itemPagePlan } from '../../search/item-page-plan.js';
import { orderHits } from '../../search/order-hits.js';
import type { RetrieveChunksService } from '../../search/retrieve-chunks.service.js';
import { toAuditFacts } from '../../search/to-audit-facts.js';
import { toChunkQuery } from '../../search/to-chunk-query.js';
import { buildContextContract10, buildContextContract11 } from './build-context-contract.js';

/** `/v1/context`: what was found, what was left out and why. */
export class ContextService {
  constructor(private readonly chunks: RetrieveChunksService) {}

  async retrieve(
    caller: CallerScope,
    requestId: RequestId,
    body: ContextBody,
    signal: AbortSignal,
  ): Promise<RetrievalReply<'context'>> {
    const query = { ...toChunkQuery(body), countNotYetKnown: body.contractVersion === '1.1' };
    const page = await this.chunks.retrieve(caller, query, (relevance) => itemPagePlan(body, relevance), signal);
    const input = {
      requestId,
      issuedAt: new Date(),
      request: body,
      page: { ...page, entries: orderHits(page.entries, body.ranking) },
    };
    const result = body.contractVersion === '1.1' ? buildContextContract11(input) : buildContextContract10(input);
    return { result, facts: { ...toAuditFacts(page), contractVersion: body.contractVersion } };
  }
}
