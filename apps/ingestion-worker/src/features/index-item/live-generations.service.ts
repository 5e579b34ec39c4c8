import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@candor/contracts';
import { EMBEDDER, type Embedder } from '@candor/embeddings';
import { Database, ensureLiveGeneration, listForeignFingerprints, type GenerationEntity } from '@candor/persistence';
import {
  INDEX_MAPPING_VERSION,
  SEARCH_INDEX_WRITER,
  type IndexAddress,
  type SearchIndexWriter,
} from '@candor/search-index/write';
import { pipelineFingerprint } from '../extract-item/pipeline-fingerprint.js';

export interface LiveIndex {
  generation: GenerationEntity;
  address: IndexAddress;
}

/** Where a tenant's chunks go, made on first use. */
@Injectable()
export class LiveGenerationsService {
  private readonly prepared = new Map<string, Promise<LiveIndex>>();
  readonly fingerprint: string;

  constructor(
    private readonly database: Database,
    @Inject(SEARCH_INDEX_WRITER) private readonly index: SearchIndexWriter,
    @Inject(EMBEDDER) private readonly embedder: Embedder,
  ) {
    this.fingerprint = pipelineFingerprint({ embedding: embedder.profile, indexMappingVersion: INDEX_MAPPING_VERSION });
  }

  /** Vectors of two recipes must never meet in one index: a changed recipe needs a new generation. */
  async requireOwnRecipe(): Promise<void> {
    const foreign = await this.database.read((manager) => listForeignFingerprints(manager, this.fingerprint));
    if (foreign.length === 0) return;
    throw new AppError('EMBEDDINGS.PROFILE_MISMATCH', {
      message:
        'The live index was built with another embedding model, chunker or mapping. Start with that one, or build a new generation.',
      details: { live: foreign, configured: this.fingerprint },
    });
  }

  of(tenantId: string): Promise<LiveIndex> {
    let live = this.prepared.get(tenantId);
    if (!live) {
      live = this.prepare(tenantId);
      this.prepared.set(tenantId, live);
      live.catch(() => this.prepared.delete(tenantId));
    }
    return live;
  }

  private async prepare(tenantId: string): Promise<LiveIndex> {
    const generation = await this.database.transaction((transaction) =>
      ensureLiveGeneration(transaction, tenantId, { pipelineFingerprint: this.fingerprint }),
    );
    if (generation.pipelineFingerprint !== this.fingerprint) await this.requireOwnRecipe();
    const address = { tenantId, generation: generation.name };
    await this.index.ensureIndex(address, this.embedder.profile.dimensions);
    return { generation, address };
  }
}
