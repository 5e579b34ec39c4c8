import { Inject, Injectable, Logger } from '@nestjs/common';
import { AppError, type GenerationState } from '@candor/contracts';
import { EmbedderRegistry, type StoredEmbedding } from '@candor/embeddings';
import {
  adoptRecipe,
  countChunksUpTo,
  Database,
  ensureLiveGeneration,
  listGenerationsIn,
  listLiveRecipes,
  saveConfiguredRecipe,
  startWork,
  WRITABLE_STATES,
  type GenerationEntity,
  type GenerationRecipe,
} from '@candor/persistence';
import {
  SEARCH_INDEX_WRITER,
  type CountChunks,
  type IndexAddress,
  type IndexOperation,
  type SearchIndexWriter,
} from '@candor/search-index/write';
import { chunkCounter } from '../../generations/chunk-counter.js';
import { buildRecipe, chunkingOf, fingerprintOf, nameGeneration } from '../../generations/recipe.js';

export interface LiveIndex {
  generation: GenerationEntity;
  address: IndexAddress;
}

export interface WritableIndexes {
  live: LiveIndex;
  /** Being built, or kept for a roll-back: every change reaches them too. */
  others: LiveIndex[];
}

/** Nothing tells when somebody rebuilds it. */
const LOST_RETRY_SECONDS = 60;
/** How long a worker may not know of a build or a swap; completions find out by themselves, see `completeIndexings`. */
const REMEMBERED_MS = 1_000;

interface Remembered {
  indexes: Promise<WritableIndexes>;
  until: number;
}

/** Where a tenant's chunks go; the live generation is made on first use. */
@Injectable()
export class LiveGenerationsService {
  private readonly logger = new Logger(LiveGenerationsService.name);
  private readonly remembered = new Map<string, Remembered>();
  /** Indices that are known to be there, by name. */
  private readonly ensured = new Set<string>();
  readonly recipe: GenerationRecipe;
  readonly fingerprint: string;

  constructor(
    private readonly database: Database,
    @Inject(SEARCH_INDEX_WRITER) private readonly index: SearchIndexWriter,
    private readonly embedders: EmbedderRegistry,
  ) {
    this.recipe = buildRecipe(embedders.configuredEmbedding, index.mappingVersion);
    this.fingerprint = fingerprintOf(this.recipe);
  }

  /**
   * Says what this worker is configured with, and makes sure that it can go on with every index that is used: each with
   * the model that it was built with, whatever is configured now.
   *
   * @throws AppError EMBEDDINGS.PROFILE_MISMATCH when the model of one can't be opened.
   */
  async announce(): Promise<void> {
    const used = await this.database.system('recipes').transaction(async (transaction) => {
      await adoptRecipe(transaction, this.fingerprint, this.recipe);
      await saveConfiguredRecipe(transaction, this.fingerprint, this.recipe);
      return listLiveRecipes(transaction);
    });
    for (const { pipelineFingerprint, recipe, tenants } of used) {
      if (pipelineFingerprint === this.fingerprint) continue;
      if (!recipe) throw unknownRecipe(pipelineFingerprint, this.fingerprint);
      await this.requireModel(recipe.embedding);
      this.logger.warn(
        `The indices of ${tenants} tenants were built with ${recipe.embedding.model} (${pipelineFingerprint.slice(0, 8)}), ` +
          `configured is ${this.recipe.embedding.model} (${this.fingerprint.slice(0, 8)}). They go on as they are; ` +
          'POST /v1/generations builds new ones.',
      );
    }
  }

  /** Not to be waited for: an operator has to bring the files back, or configure the server again. */
  private async requireModel(embedding: StoredEmbedding): Promise<void> {
    try {
      await this.embedders.use(embedding, async () => undefined);
    } catch (error) {
      const { code } = AppError.from(error);
      if (code !== 'DEPENDENCY.EMBEDDINGS_UNAVAILABLE') throw error;
      throw new AppError('EMBEDDINGS.PROFILE_MISMATCH', {
        message: `An index was built with ${embedding.model}, whose files cannot be read. Put them into CANDOR_MODELS_DIR, in a folder of that name.`,
        cause: error,
      });
    }
  }

  /** The live one. */
  async of(tenantId: string): Promise<LiveIndex> {
    return (await this.writable(tenantId)).live;
  }

  /** All that a change has to reach, at most a second old. */
  writable(tenantId: string): Promise<WritableIndexes> {
    const known = this.remembered.get(tenantId);
    if (known && known.until > Date.now()) return known.indexes;
    const indexes = this.readWritable(tenantId);
    this.remembered.set(tenantId, { indexes, until: Date.now() + REMEMBERED_MS });
    indexes.catch(() => this.forget(tenantId));
    return indexes;
  }

  /**
   * Writes to one of the indices.
   *
   * @throws AppError DEPENDENCY.INDEX_UNAVAILABLE when the live one was lost: jobs wait until it is built anew. RESOURCE.NOT_FOUND of
   *   any other one, which may be given up by now.
   */
  async apply({ generation, address }: LiveIndex, operations: readonly IndexOperation[]): Promise<void> {
    try {
      await this.index.apply(address, operations);
    } catch (error) {
      if (generation.status !== 'live' || AppError.from(error).code !== 'RESOURCE.NOT_FOUND') throw error;
      this.ensured.delete(keyOf(address));
      this.forget(generation.tenantId);
      throw lostIndex(generation, error);
    }
  }

  /** Wants what a generation lacks to be built, unless it is at that already. */
  async mend({ generation }: LiveIndex, requestId: string): Promise<void> {
    const { id, tenantId } = generation;
    await this.database
      .forTenants([tenantId])
      .transaction((transaction) => startWork(transaction, { id, tenantId, requestId }, 'reconcile'));
  }

  forget(tenantId: string): void {
    this.remembered.delete(tenantId);
  }

  /** All whose index may be there, as of now. */
  async list(tenantId: string, states: readonly GenerationState[]): Promise<LiveIndex[]> {
    const generations = await this.database
      .forTenants([tenantId])
      .read((manager) => listGenerationsIn(manager, tenantId, states));
    return generations.map(toIndex);
  }

  private async readWritable(tenantId: string): Promise<WritableIndexes> {
    const generations = await this.database
      .forTenants([tenantId])
      .read((manager) => listGenerationsIn(manager, tenantId, WRITABLE_STATES));
    const known = generations.find((each) => each.status === 'live');
    if (known) await this.requireIndex(known);
    const live = known ?? (await this.createLive(tenantId));
    await this.ensureIndex(live, chunkCounter(this.database, tenantId));
    return { live: toIndex(live), others: generations.filter((each) => each.id !== live.id).map(toIndex) };
  }

  /** Committed when its index is there: a search between the two would take a server that is creating it for one that is down. */
  private createLive(tenantId: string): Promise<GenerationEntity> {
    return this.database.forTenants([tenantId]).transaction(async (transaction) => {
      const generation = await ensureLiveGeneration(transaction, tenantId, {
        pipelineFingerprint: this.fingerprint,
        recipe: this.recipe,
        chunking: chunkingOf(this.recipe),
        nameOf: (number) => nameGeneration(this.recipe, number),
      });
      await this.ensureIndex(generation, (upTo) => countChunksUpTo(transaction, tenantId, upTo));
      return generation;
    });
  }

  /** An empty one in the place of one that was lost would answer "nothing found". */
  private async requireIndex(generation: GenerationEntity): Promise<void> {
    const { address } = toIndex(generation);
    if (generation.itemCount === 0 || this.ensured.has(keyOf(address)) || (await this.index.hasIndex(address))) return;
    throw lostIndex(generation);
  }

  private async ensureIndex(generation: GenerationEntity, countChunks: CountChunks): Promise<void> {
    const { address } = toIndex(generation);
    const key = keyOf(address);
    if (this.ensured.has(key)) return;
    const embedding = generation.recipe?.embedding ?? this.recipe.embedding;
    await this.index.ensureIndex(address, embedding.dimensions, countChunks);
    this.ensured.add(key);
  }
}

export function toIndex(generation: GenerationEntity): LiveIndex {
  return { generation, address: { tenantId: generation.tenantId, generation: generation.name } };
}

function keyOf({ tenantId, generation }: IndexAddress): string {
  return `${tenantId}/${generation}`;
}

export function lostIndex({ id }: GenerationEntity, cause?: unknown): AppError {
  return new AppError('DEPENDENCY.INDEX_UNAVAILABLE', {
    message: `The index of the live generation ${id} was lost. It has to be rebuilt: docs/guides/backup-and-restore.md.`,
    retryAfterSeconds: LOST_RETRY_SECONDS,
    cause,
  });
}

function unknownRecipe(live: string, configured: string): AppError {
  return new AppError('EMBEDDINGS.PROFILE_MISMATCH', {
    message:
      'An index is older than the record of its model, and it is not the configured one. Start once with the model that it was built with.',
    details: { live, configured },
  });
}
