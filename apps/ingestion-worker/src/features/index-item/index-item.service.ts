import { Inject, Injectable, Logger } from '@nestjs/common';
import { AppError, type ItemJobPayload } from '@candor/contracts';
import { EmbedderRegistry } from '@candor/embeddings';
import { Database, findGenerationsInStep, type Completion, type ExtractedText } from '@candor/persistence';
import { SEARCH_INDEX_WRITER, type SearchIndexWriter } from '@candor/search-index/write';
import { cutVersion, toChunkDocuments, toRegistryChunks, type CutVersion } from '../../generations/chunk-version.js';
import { ItemPipelineService, type StartedStage as Stage } from '../../pipeline/item-pipeline.service.js';
import { PassageEmbeddingService } from '../../pipeline/passage-embedding.service.js';
import { readVersionText } from '../../pipeline/read-version-text.js';
import { LiveGenerationsService, type LiveIndex, type WritableIndexes } from './live-generations.service.js';

interface Written {
  index: LiveIndex;
  cut: CutVersion;
}

/** Text → chunks → vectors → index; the version becomes the live one in the commit that ends it. */
@Injectable()
export class IndexItemService {
  private readonly logger = new Logger(IndexItemService.name);

  constructor(
    private readonly database: Database,
    private readonly pipeline: ItemPipelineService,
    private readonly generations: LiveGenerationsService,
    private readonly embedding: PassageEmbeddingService,
    private readonly embedders: EmbedderRegistry,
    @Inject(SEARCH_INDEX_WRITER) private readonly writer: SearchIndexWriter,
  ) {}

  async index(job: ItemJobPayload, signal: AbortSignal): Promise<void> {
    const indexes = await this.generations.writable(job.tenantId);
    const start = await this.pipeline.start(job, 'indexing');
    if (start.kind === 'skip') {
      if (start.reason === 'deleted') await this.removeLeftovers([indexes.live, ...indexes.others], job);
      return;
    }
    const done = await this.pipeline.withContent(job, start, async ({ head, version: stored }) => {
      const { version, extraction } = readVersionText(stored);
      const written = await this.writeAll(indexes, { head, version }, signal);
      const completion = await this.complete(job, start, indexes, { written, extraction });
      // Its text is over with its turn.
      return { completion, written: written.map(({ index }) => index) };
    });
    if (!done) return;
    await this.mendUnwritten(job, indexes, done.written);
    for (const index of done.written) await this.tidy(index, job, start, done.completion);
  }

  /** The live index has to take it. One beside it that doesn't is out of step from now on, which its build mends. */
  private async writeAll(indexes: WritableIndexes, stage: Stage, signal: AbortSignal): Promise<Written[]> {
    const written = [await this.write(indexes.live, stage, signal)];
    for (const index of await this.inStep(indexes.others, stage)) {
      try {
        written.push(await this.write(index, stage, signal));
      } catch (error) {
        signal.throwIfAborted();
        const { code } = AppError.from(error);
        this.logger.warn(`Item ${stage.head.id} could not be written to generation ${index.generation.id}: ${code}`);
      }
    }
    return written;
  }

  /** An index that lacks what is live now would lack it for ever in its history: its build writes the item whole. */
  private async inStep(others: readonly LiveIndex[], { head }: Stage): Promise<LiveIndex[]> {
    if (others.length === 0) return [];
    const ids = others.map(({ generation }) => generation.id);
    const inStep = await this.database.read((manager) => findGenerationsInStep(manager, head.id, ids));
    return others.filter(({ generation }) => inStep.has(generation.id));
  }

  private async write(index: LiveIndex, { head, version }: Stage, signal: AbortSignal): Promise<Written> {
    const { generation } = index;
    // Before the model's work, which would be lost.
    await this.writer.ping(signal);
    const cut = await this.embedders.use(generation.recipe?.embedding ?? null, (embedder) =>
      cutVersion(version, generation, embedder, (texts) =>
        this.embedding.embed(embedder, head.tenantId, texts, signal),
      ),
    );
    signal.throwIfAborted();
    await this.generations.apply(index, [
      {
        kind: 'put-version',
        itemId: version.itemId,
        version: version.version,
        recordedAt: version.recordedAt.toISOString(),
        chunks: toChunkDocuments(cut, head),
        isFirst: version.version === 1,
      },
    ]);
    return { index, cut };
  }

  private async complete(
    job: ItemJobPayload,
    { head }: Stage,
    indexes: WritableIndexes,
    { written, extraction }: { written: readonly Written[]; extraction: ExtractedText | undefined },
  ): Promise<Completion> {
    try {
      return await this.pipeline.complete({
        job,
        chunks: written.flatMap(({ index, cut }) => toRegistryChunks(cut, index.generation)),
        extraction,
        metadataHash: head.metadataHash,
        generationIds: written.map(({ index }) => index.generation.id),
        knownIds: [indexes.live, ...indexes.others].map(({ generation }) => generation.id),
      });
    } catch (error) {
      // The next attempt writes to those that there are now.
      if (AppError.from(error).code === 'GENERATION.CHANGED') this.generations.forget(job.tenantId);
      throw error;
    }
  }

  /** A complete generation that lacks an item from now on is filled again; one that is being built finds it by itself. */
  private async mendUnwritten(
    job: ItemJobPayload,
    { others }: WritableIndexes,
    written: readonly LiveIndex[],
  ): Promise<void> {
    for (const index of others)
      if (index.generation.status !== 'building' && !written.includes(index))
        await this.generations.mend(index, job.requestId);
  }

  /** The index may have been written by another run, or by a delete, between our write and our commit. */
  private async tidy(
    index: LiveIndex,
    job: ItemJobPayload,
    { head, version }: Stage,
    completion: Completion,
  ): Promise<void> {
    switch (completion.kind) {
      case 'deleted':
        return this.removeLeftovers([index], job);
      case 'already_done':
        // A newer version won: what we wrote stands beside it.
        if (completion.live && completion.live.version > job.version) await this.settle(index, job, completion.live);
        return;
      case 'indexed':
        // An older version was written while we wrote ours, and neither of us saw the other.
        if (completion.previousVersion !== head.liveVersion) await this.settle(index, job, version);
    }
  }

  private settle(index: LiveIndex, job: ItemJobPayload, to: { version: number; recordedAt: Date }): Promise<void> {
    const recordedAt = to.recordedAt.toISOString();
    return this.writer.apply(index.address, [
      { kind: 'settle-version', itemId: job.itemId, version: to.version, recordedAt },
    ]);
  }

  /** A delete that came meanwhile may have counted before this item's chunks were written. */
  private async removeLeftovers(indexes: readonly LiveIndex[], job: ItemJobPayload): Promise<void> {
    for (const { address } of indexes) await this.writer.apply(address, [{ kind: 'delete-item', itemId: job.itemId }]);
  }
}
