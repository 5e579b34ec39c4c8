import { v4 as randomUuid } from 'uuid';
import type { GenerationId, GenerationWorkPayload, RequestId, TenantId } from '@candor/contracts';
import type { Transaction } from '../database.js';
import type { GenerationEntity, GenerationRecipe } from '../entities/generation.entity.js';
import { findItemsOutOfStep, loadItemsToBuild, recordBuilt } from '../repositories/generation-content.repository.js';
import { promoteGeneration, type Promotion } from '../repositories/generation-promotion.repository.js';
import { viewGeneration, type GenerationView } from '../repositories/generation-view.repository.js';
import { createGeneration, finishWork, prepareGeneration } from '../repositories/generation-work.repository.js';
import { findGeneration } from '../repositories/generation.repository.js';
import { buildChunk, type TestTenant } from './test-tenant.js';

export const TEST_RECIPE: GenerationRecipe = {
  embedding: { provider: 'hashing', model: 'hashing', revision: '1', dimensions: 16, maxTokens: 8_192 },
  extractorVersion: '1',
  chunkerVersion: '1',
  indexMappingVersion: 1,
};

/** What gateway and worker would do to the generations of a tenant, without an index. */
export class TestGenerations {
  constructor(private readonly tenant: TestTenant) {}

  run<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.tenant.database.transaction(work);
  }

  query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.tenant.database.read((manager) => manager.query<Row[]>(sql, parameters));
  }

  create(): Promise<GenerationEntity | null> {
    const wanted = { tenantId: this.tenant.id, requestId: randomUuid(), model: null };
    return this.run((transaction) => createGeneration(transaction, wanted));
  }

  jobOf(generationId: string, round: number): GenerationWorkPayload {
    return {
      tenantId: this.tenant.id as TenantId,
      requestId: randomUuid() as RequestId,
      generationId: generationId as GenerationId,
      round,
    };
  }

  async load(id: string): Promise<GenerationEntity> {
    const found = await this.run((transaction) => findGeneration(transaction, this.tenant.id, id));
    if (!found) throw new Error('no such generation');
    return found;
  }

  async view(id: string): Promise<GenerationView> {
    const found = await this.run((transaction) => viewGeneration(transaction, this.tenant.id, id));
    if (!found) throw new Error('no such generation');
    return found;
  }

  /** A build that has opened its model. */
  async prepared(): Promise<string> {
    const generation = await this.create();
    if (!generation) throw new Error('a build exists');
    const name = `chunks-hashing-1-${generation.number}`;
    const opened = { name, pipelineFingerprint: 'recipe-2', recipe: TEST_RECIPE, chunking: 'other' };
    await this.run((transaction) => prepareGeneration(transaction, this.jobOf(generation.id, 1), opened));
    return generation.id;
  }

  async outOfStep(id: string): Promise<string[]> {
    const generation = { id, tenantId: this.tenant.id };
    const items = await this.run((transaction) => findItemsOutOfStep(transaction, generation, null, 100));
    return items.map((item) => item.itemId);
  }

  /** As the builder would, for all that it lacks. */
  async fill(id: string): Promise<void> {
    const generation = await this.load(id);
    for (const itemId of await this.outOfStep(id)) {
      const [item] = await this.run((transaction) => loadItemsToBuild(transaction, this.tenant.id, [itemId]));
      const version = item?.versions.at(-1)?.version ?? 0;
      const built = [{ itemId, version, chunks: [buildChunk('The release')] }];
      await this.run((transaction) => recordBuilt(transaction, generation, built));
    }
  }

  async ready(): Promise<string> {
    const id = await this.prepared();
    await this.fill(id);
    const { workRound } = await this.load(id);
    await this.run((transaction) => finishWork(transaction, this.jobOf(id, workRound)));
    return id;
  }

  promote(generationId: string): Promise<Promotion> {
    const promotion = { tenantId: this.tenant.id, generationId, runId: randomUuid(), requestId: randomUuid() };
    return this.run((transaction) => promoteGeneration(transaction, promotion));
  }
}
