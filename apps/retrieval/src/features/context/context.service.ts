import type { CallerScope, ContextBody, RequestId, RetrievalReply } from '@candor/contracts';
import { itemPagePlan } from '../../search/item-page-plan.js';
import { orderHits } from '../../search/order-hits.js';
import type { Views } from '../../search/retrieval-run.js';
import { countExclusions } from '../../retrieval-metrics.js';
import type { RetrieveChunksService } from '../../search/retrieve-chunks.service.js';
import { toAuditFacts } from '../../search/to-audit-facts.js';
import { toChunkQuery } from '../../search/to-chunk-query.js';
import { buildContextContract10, buildContextContract11 } from './build-context-contract.js';

/** `/v1/context`: what was found, what was left out and why. */
export class ContextService {
  constructor(
    private readonly chunks: RetrieveChunksService,
    private readonly views: Pick<Views, 'sourceProblems'>,
  ) {}

  async retrieve(
    caller: CallerScope,
    requestId: RequestId,
    body: ContextBody,
    signal: AbortSignal,
  ): Promise<RetrievalReply<'context'>> {
    const isFull = body.contractVersion === '1.1';
    const query = { ...toChunkQuery(body), countNotYetKnown: isFull };
    // At the same time, so that nobody waits for it.
    const [page, problems] = await Promise.all([
      this.chunks.retrieve(caller, query, (relevance) => itemPagePlan(body, relevance), signal),
      isFull ? this.views.sourceProblems(caller.apiKeyId, caller.principals, body.knownAsOf ?? null) : [],
    ]);
    const input = {
      requestId,
      issuedAt: new Date(),
      request: body,
      page: { ...page, entries: orderHits(page.entries, body.ranking) },
    };
    const result = isFull ? buildContextContract11(input, problems) : buildContextContract10(input);
    countExclusions(result.exclusions);
    return { result, facts: { ...toAuditFacts(page), contractVersion: body.contractVersion } };
  }
}
