import { Inject, Injectable } from '@nestjs/common';
import type { GenerationWorkPayload } from '@candor/contracts';
import { EmbedderRegistry } from '@candor/embeddings';
import { Database, findGeneration, prepareGeneration, type GenerationEntity } from '@candor/persistence';
import { SEARCH_INDEX_WRITER, type SearchIndexWriter } from '@candor/search-index/write';
import { chunkCounter } from '../../generations/chunk-counter.js';
import { buildRecipe, chunkingOf, fingerprintOf, nameGeneration } from '../../generations/recipe.js';

/** Opens the model that was asked for and makes the index; from its commit on, every change of an item reaches it. */
@Injectable()
export class PrepareGenerationService {
  constructor(
    private readonly database: Database,
    private readonly embedders: EmbedderRegistry,
    @Inject(SEARCH_INDEX_WRITER) private readonly writer: SearchIndexWriter,
  ) {}

  /** Null when the build was given up meanwhile. Errors: CONFIG.INVALID for a model that can't be opened here. */
  async prepare(job: GenerationWorkPayload, generation: GenerationEntity): Promise<GenerationEntity | null> {
    const recipe = buildRecipe(await this.embedders.resolve(generation.requestedModel), this.writer.mappingVersion);
    const name = nameGeneration(recipe, generation.number);
    await this.writer.ensureIndex(
      { tenantId: job.tenantId, generation: name },
      recipe.embedding.dimensions,
      chunkCounter(this.database, job.tenantId),
    );
    const prepared = { name, recipe, pipelineFingerprint: fingerprintOf(recipe), chunking: chunkingOf(recipe) };
    return this.database.transaction(async (transaction) =>
      (await prepareGeneration(transaction, job, prepared))
        ? findGeneration(transaction, job.tenantId, job.generationId)
        : null,
    );
  }
}
