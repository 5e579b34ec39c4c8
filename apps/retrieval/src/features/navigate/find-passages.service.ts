import type { CallerScope, FindPassagesRequest, Passage, RetrievalReply } from '@candor/contracts';
import type { RetrieveChunksService } from '../../search/retrieve-chunks.service.js';
import { roundScore } from '../../search/round-score.js';
import type { PageEntry } from '../../search/select-page.js';
import { toAuditFacts } from '../../search/to-audit-facts.js';
import { passagePagePlan } from './passage-page-plan.js';

/** `deep_search`, and the evidence of reasoning: sections and paragraphs in the order of the fusion. */
export class FindPassagesService {
  constructor(private readonly chunks: RetrieveChunksService) {}

  async findPassages(
    caller: CallerScope,
    request: FindPassagesRequest,
    signal: AbortSignal,
  ): Promise<RetrievalReply<'findPassages'>> {
    const query = {
      text: request.query,
      sourceItemId: request.documentId,
      collectionId: request.collectionId,
      excludeChunkIds: request.excludeChunkIds,
    };
    const page = await this.chunks.retrieve(caller, query, (relevance) => passagePagePlan(request, relevance), signal);
    const passages = page.entries.map(toPassage);
    const bestScore = passages.reduce((best, passage) => Math.max(best, passage.score), 0);
    return {
      result: { passages, bestScore, relevant: page.relevant },
      facts: { ...toAuditFacts(page), chunkIds: passages.map((passage) => passage.chunkId) },
    };
  }
}

function toPassage({ chunk, cosine, head }: PageEntry): Passage {
  return {
    chunkId: chunk.chunkId as Passage['chunkId'],
    score: roundScore(cosine),
    level: chunk.level,
    documentTitle: head.title,
    documentId: head.itemId as Passage['documentId'],
    content: chunk.content,
    parentId: chunk.parentId as Passage['parentId'],
    siblingIds: {
      prev: chunk.previousId as Passage['chunkId'] | null,
      next: chunk.nextId as Passage['chunkId'] | null,
    },
  };
}
