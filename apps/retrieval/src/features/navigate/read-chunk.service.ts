import { performance } from 'node:perf_hooks';
import { AppError, type CallerScope, type ChunkReading, type RetrievalReply } from '@candor/contracts';
import { maySeeItem, type ChunkRecord, type ItemHead } from '@candor/persistence/views';
import { narrowToKey } from '../../search/narrow-scope.js';
import type { Views } from '../../search/retrieval-run.js';
import { headKey } from '../../search/select-page.js';
import { countWords } from './count-words.js';

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
    const { key, heads } = await this.views.recheck(caller.apiKeyId, record ? [record] : []);
    if (key === null || key.tenantId !== caller.tenantId) throw new AppError('AUTH.INVALID_KEY');
    const head = record ? heads.get(headKey(record)) : undefined;
    if (!record || !head || !maySeeItem(narrowToKey(caller, key), head)) throw new AppError('RESOURCE.NOT_FOUND');
    return {
      result: toReading(record, head),
      facts: {
        itemIds: [record.itemId],
        chunkIds: [record.chunkId],
        providers: [head.provider],
        version: record.version,
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

/** Postgres would refuse anything else with an error of its own. */
function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}
