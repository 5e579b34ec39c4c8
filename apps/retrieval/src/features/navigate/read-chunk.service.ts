import { performance } from 'node:perf_hooks';
import type { CallerScope, ChunkReading, RetrievalReply } from '@candor/contracts';
import type { ChunkRecord, ItemHead } from '@candor/persistence/views';
import type { Views } from '../../search/retrieval-run.js';
import { countWords } from './count-words.js';
import { isUuid, requireReadable } from './require-readable.js';

/** `deep_read`: one passage, from the truth and not from the index, so that ids of older versions stay readable. */
export class ReadChunkService {
  constructor(private readonly views: Views) {}

  /**
   * @throws AppError AUTH.INVALID_KEY; RESOURCE.NOT_FOUND, the same whether the chunk is absent, deleted or not the
   *   caller's to read.
   */
  async readChunk(caller: CallerScope, chunkId: string): Promise<RetrievalReply<'readChunk'>> {
    const started = performance.now();
    const record = isUuid(chunkId) ? await this.views.readChunk(caller.tenantId, chunkId) : null;
    const { chunk, head } = await requireReadable(this.views, caller, record);
    return {
      result: toReading(chunk, head),
      facts: {
        itemIds: [chunk.itemId],
        chunkIds: [chunk.chunkId],
        providers: [head.provider],
        version: chunk.version,
        tookMs: { total: Math.round((performance.now() - started) * 10) / 10 },
      },
    };
  }
}

function toReading(record: ChunkRecord, head: ItemHead): ChunkReading {
  return {
    chunkId: record.chunkId as ChunkReading['chunkId'],
    content: record.content,
    level: record.level,
    hierarchy: {
      documentTitle: head.title,
      documentId: record.itemId as ChunkReading['hierarchy']['documentId'],
      sectionPath: record.sectionPath,
      position: {
        ordinal: record.ordinal,
        total: record.total,
        parentId: record.parentId as ChunkReading['chunkId'] | null,
        prev: record.previousId as ChunkReading['chunkId'] | null,
        next: record.nextId as ChunkReading['chunkId'] | null,
        version: record.version,
        isLive: head.current,
      },
    },
    metadata: {
      wordCount: countWords(record.content),
      startIndex: record.startIndex,
      endIndex: record.endIndex,
      headingText: record.headingText,
    },
  };
}
