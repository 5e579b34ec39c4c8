import { performance } from 'node:perf_hooks';
import {
  DEFAULT_EXPAND_COUNTS,
  type CallerScope,
  type ExpandChunkBody,
  type ExpandedChunk,
  type RetrievalReply,
} from '@candor/contracts';
import type { ChunkNodeRecord, ItemHead } from '@candor/persistence/views';
import type { Views } from '../../search/retrieval-run.js';
import { isUuid, requireReadable } from './require-readable.js';

/** `deep_expand`: what stands around a passage in its own version of the document, from the truth and not from the index. */
export class ExpandChunkService {
  constructor(private readonly views: Views) {}

  /**
   * @throws AppError AUTH.INVALID_KEY; RESOURCE.NOT_FOUND, the same whether the chunk is absent, deleted or not the
   *   caller's to read.
   */
  async expandChunk(caller: CallerScope, request: ExpandChunkBody): Promise<RetrievalReply<'expandChunk'>> {
    const started = performance.now();
    const { chunkId, direction } = request;
    const step = { direction, count: request.count ?? DEFAULT_EXPAND_COUNTS[direction] };
    const expansion = isUuid(chunkId) ? await this.views.expandChunk(caller.tenantId, chunkId, step) : null;
    // All of them are chunks of the one version, so one check is for all.
    const { chunk, head } = await requireReadable(this.views, caller, expansion?.chunk ?? null);
    const chunks = (expansion?.found ?? []).map((found) => toExpanded(found, head));
    return {
      result: { chunks },
      facts: {
        itemIds: [chunk.itemId],
        chunkIds: chunks.map((found) => found.chunkId),
        providers: [head.provider],
        version: chunk.version,
        direction,
        tookMs: { total: Math.round((performance.now() - started) * 10) / 10 },
      },
    };
  }
}

function toExpanded(chunk: ChunkNodeRecord, head: ItemHead): ExpandedChunk {
  const chunkId = chunk.chunkId as ExpandedChunk['chunkId'];
  return {
    _id: chunkId,
    chunkId,
    level: chunk.level,
    chunkIndex: chunk.ordinal,
    documentTitle: head.title,
    documentId: chunk.itemId as ExpandedChunk['documentId'],
    parentId: chunk.parentId as ExpandedChunk['parentId'],
    content: chunk.content,
  };
}
