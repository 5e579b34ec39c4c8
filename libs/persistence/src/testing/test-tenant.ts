import { createHash, randomBytes } from 'node:crypto';
import { v4 as randomUuid } from 'uuid';
import { ingestDocumentSchema, type IngestDocument, type ItemJobPayload } from '@candor/contracts';
import type { Database } from '../database.js';
import type { ApiKeyEntity } from '../entities/api-key.entity.js';
import type { StoredBlock } from '../entities/source-item.entity.js';
import { insertApiKey } from '../repositories/api-key.repository.js';
import { ensureLiveGeneration } from '../repositories/generation.repository.js';
import { acceptDocuments, type AcceptedItem } from '../repositories/ingest.repository.js';
import type { NewDocument } from '../repositories/item-file.repository.js';
import { completeIndexings, type Completion, type NewChunk } from '../repositories/item-completion.repository.js';
import { purgeItem, tombstoneItem } from '../repositories/item-pipeline.repository.js';
import {
  saveExtractions,
  startStages,
  type ExtractedText,
  type ItemStage,
  type StageStart,
} from '../repositories/item-stages.repository.js';
import { insertTenant } from '../repositories/tenant.repository.js';

export function buildDocument(fields: Partial<IngestDocument> = {}): IngestDocument {
  return ingestDocumentSchema.parse({
    provider: 'slack',
    sourceKind: 'message',
    externalId: `external-${randomBytes(6).toString('hex')}`,
    title: 'Release plan',
    body: 'The release is on Monday.',
    ...fields,
  });
}

/** One chunk over the whole of a text. */
export function buildChunk(text: string, fields: Partial<NewChunk> = {}): NewChunk {
  return {
    id: randomUuid(),
    ordinal: 0,
    level: 'document',
    parentId: null,
    previousId: null,
    nextId: null,
    start: 0,
    end: text.length,
    sectionPath: [],
    headingText: null,
    ...fields,
  };
}

/** A tenant with a live generation, and what its gateway and worker would do to its items. */
export class TestTenant {
  private constructor(
    readonly database: Database,
    readonly id: string,
    readonly generationId: string,
  ) {}

  static async create(database: Database): Promise<TestTenant> {
    const id = randomUuid();
    return database.transaction(async (transaction) => {
      await insertTenant(transaction, { id, name: 'Test', isDefault: false });
      const generation = await ensureLiveGeneration(transaction, id, { pipelineFingerprint: 'recipe-1' });
      return new TestTenant(database, id, generation.id);
    });
  }

  accept(documents: readonly NewDocument[], requestId: string = randomUuid()): Promise<AcceptedItem[]> {
    return this.database.transaction((transaction) => acceptDocuments(transaction, this.id, requestId, documents));
  }

  async acceptOne(document: NewDocument, requestId?: string): Promise<AcceptedItem> {
    const [item] = await this.accept([document], requestId);
    if (!item) throw new Error('nothing was accepted');
    return item;
  }

  job(item: Pick<AcceptedItem, 'itemId' | 'version'>, epoch = 0): ItemJobPayload {
    return {
      tenantId: this.id,
      requestId: randomUuid(),
      itemId: item.itemId,
      version: item.version,
      epoch,
    } as ItemJobPayload;
  }

  /** Up to the stage `indexing`; the text is as given. */
  async extract(item: Pick<AcceptedItem, 'itemId' | 'version'>, text: string): Promise<void> {
    const start = await this.start(item, 'extracting');
    if (start.kind !== 'proceed') throw new Error(`extraction was skipped: ${start.reason}`);
    await this.saveText(item, text);
  }

  async start(item: Pick<AcceptedItem, 'itemId' | 'version'>, stage: ItemStage): Promise<StageStart> {
    const [start] = await this.database.transaction((transaction) => startStages(transaction, [this.job(item)], stage));
    if (!start) throw new Error('no answer');
    return start;
  }

  /** Whether the version was still being extracted. */
  async saveText(
    item: Pick<AcceptedItem, 'itemId' | 'version'>,
    text: string,
    blocks: StoredBlock[] = [],
  ): Promise<boolean> {
    const extraction = { job: this.job(item), text, blocks };
    const [saved] = await this.database.transaction((transaction) => saveExtractions(transaction, [extraction]));
    return saved === true;
  }

  async complete(
    item: Pick<AcceptedItem, 'itemId' | 'version'>,
    chunks: readonly NewChunk[],
    metadataHash = '',
    extraction?: ExtractedText,
  ): Promise<Completion> {
    const entry = { job: this.job(item), chunks, metadataHash, extraction, generationIds: [this.generationId] };
    const [completion] = await this.database.transaction((transaction) => completeIndexings(transaction, [entry]));
    if (!completion) throw new Error('no answer');
    return completion;
  }

  /** Through all stages; returns the id of the item's only chunk. */
  async index(item: Pick<AcceptedItem, 'itemId' | 'version'>, text = 'The release is on Monday.'): Promise<string> {
    await this.extract(item, text);
    await this.start(item, 'indexing');
    const chunk = buildChunk(text);
    await this.complete(item, [chunk]);
    return chunk.id;
  }

  /** Accepted and indexed. */
  async add(document: IngestDocument): Promise<AcceptedItem & { chunkId: string }> {
    const item = await this.acceptOne(document);
    return { ...item, chunkId: await this.index(item, document.body) };
  }

  async tombstone(itemId: string): Promise<void> {
    await this.database.transaction((transaction) => tombstoneItem(transaction, this.id, itemId));
  }

  async purge(item: Pick<AcceptedItem, 'itemId' | 'version'>): Promise<boolean> {
    return this.database.transaction((transaction) => purgeItem(transaction, this.job(item), [this.generationId]));
  }

  /** A key that may do everything, unless told otherwise; its secret is `publicId` itself. */
  async addKey(fields: Partial<ApiKeyEntity> = {}): Promise<ApiKeyEntity & { publicId: string }> {
    const publicId = randomBytes(8).toString('hex');
    const secretSha256 = createHash('sha256').update(publicId).digest();
    const apiKey = await this.database.transaction((transaction) =>
      insertApiKey(
        transaction,
        {
          id: randomUuid(),
          tenantId: this.id,
          name: 'Test key',
          actorType: 'application',
          allowedActions: ['admin'],
          allowedProviders: null,
          principals: null,
          rateLimitPerMinute: null,
          isInstallationKey: false,
          expiresAt: null,
          ...fields,
        },
        { publicId, secretSha256 },
      ),
    );
    return { ...apiKey, publicId };
  }
}
