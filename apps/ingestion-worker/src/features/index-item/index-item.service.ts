import { Inject, Injectable } from '@nestjs/common';
import { refreshItemMetadataJob, type ItemJobPayload } from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import { EMBEDDER, type Embedder } from '@candor/embeddings';
import {
  completeIndexing,
  Database,
  enqueueItemJob,
  startStage,
  type Completion,
  type ItemVersionEntity,
  type SourceItemEntity,
} from '@candor/persistence';
import { SEARCH_INDEX_WRITER, type SearchIndexWriter } from '@candor/search-index/write';
import { chunkDocument, chunkLimitsFor, type ChunkNode } from '../extract-item/chunk-document.js';
import { LiveGenerationsService, type LiveIndex } from './live-generations.service.js';
import { passageText, toChunkDocument } from './to-chunk-document.js';

/** Text → chunks → vectors → index; the version becomes the live one in the commit that ends it. */
@Injectable()
export class IndexItemService {
  constructor(
    private readonly database: Database,
    private readonly generations: LiveGenerationsService,
    @Inject(SEARCH_INDEX_WRITER) private readonly writer: SearchIndexWriter,
    @Inject(EMBEDDER) private readonly embedder: Embedder,
  ) {}

  async index(job: ItemJobPayload, signal: AbortSignal): Promise<void> {
    const live = await this.generations.of(job.tenantId);
    const start = await this.database.transaction((transaction) => startStage(transaction, job, 'indexing'));
    if (start.kind === 'skip') {
      if (start.reason === 'deleted') await this.removeLeftovers(live, job);
      return;
    }
    const { head, version } = start;
    const nodes = this.chunk(version);
    await this.write(live, head, version, nodes, signal);
    const completion = await this.complete(job, live, head, nodes);
    if (completion.kind === 'deleted') await this.removeLeftovers(live, job);
  }

  /** A delete that came meanwhile may have counted before this item's chunks were written. */
  private removeLeftovers(live: LiveIndex, job: ItemJobPayload): Promise<void> {
    return this.writer.apply(live.address, [{ kind: 'delete-item', itemId: job.itemId }]);
  }

  private chunk(version: ItemVersionEntity): ChunkNode[] {
    return chunkDocument({
      itemId: version.itemId,
      version: version.version,
      title: version.title,
      text: version.text ?? '',
      blocks: version.blocks ?? [],
      countTokens: (text) => this.embedder.countTokens(text),
      limits: chunkLimitsFor(this.embedder.profile.maxTokens),
    });
  }

  private async write(
    live: LiveIndex,
    head: SourceItemEntity,
    version: ItemVersionEntity,
    nodes: readonly ChunkNode[],
    signal: AbortSignal,
  ): Promise<void> {
    const indexed = nodes.filter((node) => node.indexed);
    const text = version.text ?? '';
    const vectors = await this.embedder.embedPassages(
      indexed.map((node) => passageText(version.title, node, text)),
      signal,
    );
    signal.throwIfAborted();
    const chunks = indexed.map((node, position) => {
      const vector = vectors[position];
      if (!vector) throw new Error('the embedder returned fewer vectors than texts');
      return toChunkDocument({ head, version, node, text, vector });
    });
    await this.writer.apply(live.address, [
      {
        kind: 'put-version',
        itemId: version.itemId,
        version: version.version,
        recordedAt: version.recordedAt.toISOString(),
        chunks,
      },
    ]);
  }

  private complete(
    job: ItemJobPayload,
    live: LiveIndex,
    head: SourceItemEntity,
    nodes: readonly ChunkNode[],
  ): Promise<Completion> {
    return this.database.transaction(async (transaction) => {
      const completion = await completeIndexing(transaction, job, {
        chunks: nodes.map((node) => ({ ...node, id: node.chunkId })),
        metadataHash: head.metadataHash,
        generationId: live.generation.id,
      });
      if (completion.kind !== 'indexed') return completion;
      if (completion.metadataChanged)
        await enqueueItemJob(transaction, refreshItemMetadataJob.name, { ...job, epoch: completion.revision });
      await writeAuditEvents(transaction, [
        {
          tenantId: job.tenantId,
          requestId: job.requestId,
          action: 'item.index',
          outcome: 'succeeded',
          actorApiKeyId: null,
          actorType: 'service',
          targetType: 'source_item',
          targetId: job.itemId,
          metadata: { version: job.version, chunks: nodes.length, generationId: live.generation.id },
        },
      ]);
      return completion;
    });
  }
}
