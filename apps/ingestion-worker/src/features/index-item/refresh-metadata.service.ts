import { Inject, Injectable } from '@nestjs/common';
import type { ItemJobPayload } from '@candor/contracts';
import { completeRefresh, Database, findTombstone } from '@candor/persistence';
import { SEARCH_INDEX_WRITER, type SearchIndexWriter } from '@candor/search-index/write';
import { LiveGenerationsService } from './live-generations.service.js';
import { toChunkMetadata } from './to-chunk-document.js';

/** Brings the index up to the item's head, without embedding. Whatever came last counts, so running it twice is harmless. */
@Injectable()
export class RefreshMetadataService {
  constructor(
    private readonly database: Database,
    private readonly generations: LiveGenerationsService,
    @Inject(SEARCH_INDEX_WRITER) private readonly writer: SearchIndexWriter,
  ) {}

  async refresh(job: ItemJobPayload): Promise<void> {
    const head = await this.database.read((manager) => findTombstone(manager, job.tenantId, job.itemId));
    if (!head || head.deletedAt) return;
    // Without a live version there is nothing in the index yet; indexing will use the head as it is then.
    if (head.liveVersion !== null) {
      const { address } = await this.generations.of(job.tenantId);
      await this.writer.apply(address, [
        { kind: 'update-metadata', itemId: job.itemId, metadata: toChunkMetadata(head) },
      ]);
    }
    await this.database.transaction((transaction) => completeRefresh(transaction, job));
  }
}
