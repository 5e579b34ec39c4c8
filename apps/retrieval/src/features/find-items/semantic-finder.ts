import type { CallerScope } from '@candor/contracts';
import {
  findRelevanceProfile,
  libraryProfileOf,
  type EmbedderRegistry,
  type RelevanceProfile,
} from '@candor/embeddings';
import type { LibraryItemType } from '@candor/persistence/views';
import { floorOf } from '../../search/item-page-plan.js';
import { orderHits } from '../../search/order-hits.js';
import type { RetrieveChunksService } from '../../search/retrieve-chunks.service.js';
import { roundScore } from '../../search/round-score.js';
import type { PagePlan } from '../../search/select-page.js';
import { findNearest } from './find-nearest.js';
import type { LibraryFinder, LibraryMatch, LibraryQuery } from './library-finder.js';
import type { LibraryReads } from './library-reads.js';

export interface SemanticFinderTools {
  chunks: RetrieveChunksService;
  library: LibraryReads;
  embedders: EmbedderRegistry;
  /** Default: what was measured for the configured model. */
  relevance: RelevanceProfile | undefined;
}

/**
 * What is near to the query, by cosine and never below the model's relevance floor. Documents come through the one path
 * that all of retrieval takes; of prompts and collections every vector is compared.
 */
export class SemanticFinder implements LibraryFinder {
  constructor(
    private readonly tools: SemanticFinderTools,
    private readonly caller: CallerScope,
    private readonly signal: AbortSignal,
  ) {}

  findPrompts(query: LibraryQuery): Promise<LibraryMatch[]> {
    return this.findNear('prompt', query);
  }

  findCollections(query: LibraryQuery): Promise<LibraryMatch[]> {
    return this.findNear('collection', query);
  }

  async findDocuments({ text, tags, limit }: LibraryQuery): Promise<LibraryMatch[]> {
    const page = await this.tools.chunks.retrieve(
      this.caller,
      { text, tags },
      (relevance) => libraryPagePlan(limit, relevance),
      this.signal,
    );
    return orderHits(page.entries, 'similarity').map(({ chunk, cosine, head }) => ({
      id: head.itemId,
      title: head.title,
      description: null,
      score: roundScore(cosine),
      chunkId: chunk.chunkId,
    }));
  }

  private async findNear(itemType: LibraryItemType, { text, tags, limit }: LibraryQuery): Promise<LibraryMatch[]> {
    const { library, embedders } = this.tools;
    const { tenantId } = this.caller;
    const vector = await embedders.configured.embedQuery(text.trim(), this.signal);
    const floor = floorOf(this.tools.relevance ?? findRelevanceProfile(embedders.configured.profile));
    const profile = libraryProfileOf(embedders.configuredEmbedding);
    const pages = library.vectors(tenantId, itemType, { profile, tags });
    const nearest = await findNearest(pages, vector, { floor, limit, signal: this.signal });
    // Read again: what was deleted in the meantime has no title to be shown.
    const heads = await library.heads(
      tenantId,
      itemType,
      nearest.map(({ id }) => id),
    );
    return nearest.flatMap(({ id, cosine }) => {
      const head = heads.get(id);
      return head ? [{ ...head, score: roundScore(cosine) }] : [];
    });
  }
}

/** Best chunks of items, as long as their cosine itself reaches the floor: in a catalogue the score has to speak for itself. */
function libraryPagePlan(limit: number, relevance: RelevanceProfile): PagePlan {
  return {
    limit,
    unit: 'item',
    floor: floorOf(relevance),
    keepsFloor: true,
    tailShare: null,
    rule: null,
    emptyUnlessRelevant: false,
  };
}
