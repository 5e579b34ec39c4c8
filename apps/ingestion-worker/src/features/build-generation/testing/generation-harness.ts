import { randomUUID } from 'node:crypto';
import type {
  GenerationWorkPayload,
  IngestDocument,
  ItemJobPayload,
  PromoteGenerationPayload,
} from '@candor/contracts';
import type { EmbedderRegistry } from '@candor/embeddings';
import {
  acceptDocuments,
  createGeneration,
  findGeneration,
  findLiveGeneration,
  insertTenant,
  requestPromotion,
  retireGeneration,
  startWork,
  tombstoneItem,
  viewGeneration,
  type Database,
  type GenerationEntity,
  type GenerationView,
} from '@candor/persistence';
import type { Candidate, FoundChunk, SearchIndexReader } from '@candor/search-index/read';
import { BatchedIndexWriter, type SearchIndexWriter } from '@candor/search-index/write';
import { CompareIndexService } from '../../../generations/compare-index.service.js';
import { RebuildItemsService } from '../../../generations/rebuild-items.service.js';
import { ItemPipelineService } from '../../../pipeline/item-pipeline.service.js';
import { PassageEmbeddingService } from '../../../pipeline/passage-embedding.service.js';
import { DeleteItemProcessor } from '../../delete-item/delete-item.processor.js';
import { extractText } from '../../extract-item/extract-text.js';
import { IndexItemService } from '../../index-item/index-item.service.js';
import { LiveGenerationsService, toIndex } from '../../index-item/live-generations.service.js';
import { RefreshMetadataService } from '../../index-item/refresh-metadata.service.js';
import { PromoteGenerationService } from '../../promote-generation/promote-generation.service.js';
import { RetireGenerationService } from '../../promote-generation/retire-generation.service.js';
import { BuildGenerationService } from '../build-generation.service.js';
import { PrepareGenerationService } from '../prepare-generation.service.js';

export const never: AbortSignal = new AbortController().signal;

export interface IndexedItem {
  itemId: string;
  version: number;
}

/** One worker and one tenant over a real database and a real index, job by job. */
export class GenerationHarness {
  readonly generations: LiveGenerationsService;
  readonly indexing: IndexItemService;
  readonly refreshing: RefreshMetadataService;
  readonly deleting: DeleteItemProcessor;
  readonly building: BuildGenerationService;
  readonly rebuilding: RebuildItemsService;
  readonly comparing: CompareIndexService;
  readonly promoting: PromoteGenerationService;
  readonly retiring: RetireGenerationService;
  readonly pipeline: ItemPipelineService;

  private constructor(
    readonly database: Database,
    readonly reader: SearchIndexReader,
    readonly writer: SearchIndexWriter,
    readonly embedders: EmbedderRegistry,
    readonly tenantId: string,
  ) {
    const batched = new BatchedIndexWriter(writer);
    const embedding = new PassageEmbeddingService();
    this.generations = new LiveGenerationsService(database, batched, embedders);
    this.pipeline = new ItemPipelineService(database);
    this.indexing = new IndexItemService(database, this.pipeline, this.generations, embedding, embedders, batched);
    this.refreshing = new RefreshMetadataService(database, this.generations);
    this.deleting = new DeleteItemProcessor(database, this.generations, batched);
    this.comparing = new CompareIndexService(database, batched);
    this.rebuilding = new RebuildItemsService(database, embedders, embedding, batched);
    const preparing = new PrepareGenerationService(database, embedders, batched);
    this.building = new BuildGenerationService(database, preparing, this.rebuilding, this.comparing, batched);
    this.promoting = new PromoteGenerationService(database, this.generations, embedders, this.comparing, batched);
    this.retiring = new RetireGenerationService(database, this.generations, batched);
  }

  static async create(
    database: Database,
    index: { reader: SearchIndexReader; writer: SearchIndexWriter },
    embedders: EmbedderRegistry,
  ): Promise<GenerationHarness> {
    const id = randomUUID();
    await database.transaction((transaction) => insertTenant(transaction, { id, name: 'Test', isDefault: false }));
    return new GenerationHarness(database, index.reader, index.writer, embedders, id);
  }

  /** The same tenant and index after a restart with another configuration. */
  restart(embedders: EmbedderRegistry): GenerationHarness {
    return new GenerationHarness(this.database, this.reader, this.writer, embedders, this.tenantId);
  }

  async accept(document: IngestDocument): Promise<IndexedItem> {
    const [item] = await this.database.transaction((transaction) =>
      acceptDocuments(transaction, this.tenantId, randomUUID(), [document]),
    );
    if (!item) throw new Error('nothing was accepted');
    return item;
  }

  job({ itemId, version }: IndexedItem): ItemJobPayload {
    return { tenantId: this.tenantId, requestId: randomUUID(), itemId, version, epoch: 0 } as ItemJobPayload;
  }

  async extract(item: IndexedItem): Promise<void> {
    const start = await this.pipeline.start(this.job(item), 'extracting');
    if (start.kind !== 'proceed') throw new Error('not to be extracted');
    const { title, body, mimeType } = start.version;
    await this.pipeline.saveExtraction({
      job: this.job(item),
      ...extractText({ title, body: body ?? '', mimeType }),
    });
  }

  async index(item: IndexedItem): Promise<void> {
    await this.indexing.index(this.job(item), never);
  }

  async add(document: IngestDocument): Promise<IndexedItem> {
    const item = await this.accept(document);
    await this.extract(item);
    await this.index(item);
    return item;
  }

  async tombstone(item: IndexedItem): Promise<void> {
    await this.database.transaction((transaction) => tombstoneItem(transaction, this.tenantId, item.itemId));
  }

  async delete(item: IndexedItem): Promise<void> {
    await this.tombstone(item);
    await this.deleting.delete(this.job(item));
  }

  /** Wants a build; its jobs are run by `work`. */
  async create(model: string | null = null): Promise<string> {
    const wanted = { tenantId: this.tenantId, requestId: randomUUID(), model };
    const generation = await this.database.transaction((transaction) => createGeneration(transaction, wanted));
    if (!generation) throw new Error('another build exists');
    return generation.id;
  }

  /** The newest job of the generation's work, as the outbox has it. */
  async nextWork(id: string): Promise<GenerationWorkPayload> {
    const { workRound: round } = await this.load(id);
    return { tenantId: this.tenantId, requestId: randomUUID(), generationId: id, round } as GenerationWorkPayload;
  }

  /** Runs slices until the work has ended. */
  async work(id: string, kind: 'build' | 'reconcile' = 'build'): Promise<GenerationView> {
    for (;;) {
      if ((await this.load(id)).work !== kind) return this.view(id);
      await this.building.run(await this.nextWork(id), kind, never);
    }
  }

  async build(model: string | null = null): Promise<string> {
    const id = await this.create(model);
    await this.work(id);
    return id;
  }

  async reconcile(id: string): Promise<GenerationView> {
    const generation = { id, tenantId: this.tenantId, requestId: randomUUID() };
    await this.database.transaction((transaction) => startWork(transaction, generation, 'reconcile'));
    return this.work(id, 'reconcile');
  }

  /** The generation's record after the promotion was tried. */
  async promote(id: string): Promise<GenerationEntity> {
    const run = { runId: randomUUID(), requestId: randomUUID() };
    await this.database.transaction((transaction) =>
      requestPromotion(transaction, { id, tenantId: this.tenantId }, run),
    );
    const job = { tenantId: this.tenantId, generationId: id, ...run } as PromoteGenerationPayload;
    await this.promoting.promote(job, never);
    return this.load(id);
  }

  async retire(id: string): Promise<boolean> {
    const generation = { id, tenantId: this.tenantId, requestId: randomUUID() };
    const isWanted = await this.database.transaction((transaction) => retireGeneration(transaction, generation));
    if (isWanted) await this.retiring.retire(await this.nextWork(id));
    return isWanted;
  }

  async load(id: string): Promise<GenerationEntity> {
    const found = await this.database.read((manager) => findGeneration(manager, this.tenantId, id));
    if (!found) throw new Error('no such generation');
    return found;
  }

  async view(id: string): Promise<GenerationView> {
    const found = await this.database.read((manager) => viewGeneration(manager, this.tenantId, id));
    if (!found) throw new Error('no such generation');
    return found;
  }

  async live(): Promise<GenerationEntity> {
    const found = await this.database.read((manager) => findLiveGeneration(manager, this.tenantId));
    if (!found) throw new Error('nothing is live');
    return found;
  }

  /** All chunks that the generation's index has, in the order of items and ordinals; with `knownAsOf` those of then. */
  async chunks(id: string, knownAsOf?: string): Promise<FoundChunk[]> {
    const dimensions = (await this.load(id)).recipe?.embedding.dimensions ?? 0;
    const candidates = await this.candidates(
      id,
      new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions)),
      knownAsOf,
    );
    return candidates
      .map((candidate) => candidate.chunk)
      .sort((left, right) => left.itemId.localeCompare(right.itemId) || left.ordinal - right.ordinal);
  }

  /** Everything that the generation's index has, with its cosine to the vector. */
  async candidates(id: string, vector: Float32Array, knownAsOf?: string): Promise<Candidate[]> {
    const filter = { tenantId: this.tenantId, providers: null, principals: null, itemIds: null };
    const { candidates } = await this.reader.findCandidates(toIndex(await this.load(id)).address, {
      filter: knownAsOf === undefined ? filter : { ...filter, knownAsOf },
      vector,
      text: 'word',
      k: 500,
    });
    return candidates;
  }

  countItem(generation: GenerationEntity, item: IndexedItem): Promise<number> {
    return this.writer.countItem(toIndex(generation).address, item.itemId);
  }

  query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.database.read((manager) => manager.query<Row[]>(sql, parameters));
  }
}
