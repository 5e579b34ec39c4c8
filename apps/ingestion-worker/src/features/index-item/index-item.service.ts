import { Inject, Injectable } from '@nestjs/common';
import type { ItemJobPayload } from '@candor/contracts';
import { EMBEDDER, type Embedder } from '@candor/embeddings';
import type { Completion, ItemVersionEntity, SourceItemEntity } from '@candor/persistence';
import { SEARCH_INDEX_WRITER, type SearchIndexWriter } from '@candor/search-index/write';
import { ItemPipelineService } from '../../pipeline/item-pipeline.service.js';
import { PassageEmbeddingService } from '../../pipeline/passage-embedding.service.js';
import { chunkDocument, chunkLimitsFor, type ChunkNode } from '../extract-item/chunk-document.js';
import { LiveGenerationsService, type LiveIndex } from './live-generations.service.js';
import { passageText, toChunkDocument } from './to-chunk-document.js';

/** Text → chunks → vectors → index; the version becomes the live one in the commit that ends it. */
@Injectable()
export class IndexItemService {
  constructor(
    private readonly pipeline: ItemPipelineService,
    private readonly generations: LiveGenerationsService,
    private readonly embedding: PassageEmbeddingService,
    @Inject(SEARCH_INDEX_WRITER) private readonly writer: SearchIndexWriter,
    @Inject(EMBEDDER) private readonly embedder: Embedder,
  ) {}

  async index(job: ItemJobPayload, signal: AbortSignal): Promise<void> {
    const live = await this.generations.of(job.tenantId);
    const start = await this.pipeline.start(job, 'indexing');
    if (start.kind === 'skip') {
      if (start.reason === 'deleted') await this.removeLeftovers(live, job);
      return;
    }
    const { head, version } = start;
    const nodes = this.chunk(version);
    await this.write(live, head, version, nodes, signal);
    const completion = await this.pipeline.complete({
      job,
      chunks: nodes.map((node) => ({ ...node, id: node.chunkId })),
      metadataHash: head.metadataHash,
      generationIds: [live.generation.id],
    });
    await this.tidy(live, job, start, completion);
  }

  /** The index may have been written by another run, or by a delete, between our write and our commit. */
  private async tidy(
    live: LiveIndex,
    job: ItemJobPayload,
    { head, version }: { head: SourceItemEntity; version: ItemVersionEntity },
    completion: Completion,
  ): Promise<void> {
    switch (completion.kind) {
      case 'deleted':
        return this.removeLeftovers(live, job);
      case 'already_done':
        // A newer version won: what we wrote stands beside it.
        if (completion.live && completion.live.version > job.version) await this.settle(live, job, completion.live);
        return;
      case 'indexed':
        // An older version was written while we wrote ours, and neither of us saw the other.
        if (completion.previousVersion !== head.liveVersion) await this.settle(live, job, version);
    }
  }

  private settle(live: LiveIndex, job: ItemJobPayload, to: { version: number; recordedAt: Date }): Promise<void> {
    const recordedAt = to.recordedAt.toISOString();
    return this.writer.apply(live.address, [
      { kind: 'settle-version', itemId: job.itemId, version: to.version, recordedAt },
    ]);
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
    const vectors = await this.embedding.embed(
      this.embedder,
      indexed.map((node) => passageText(version.title, node, text)),
    );
    signal.throwIfAborted();
    const chunks = indexed.map((node, position) =>
      toChunkDocument({ head, version, node, text, vector: vectors[position] as Float32Array }),
    );
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
}
