import { Injectable, Logger } from '@nestjs/common';
import { AppError, type ItemJobPayload } from '@candor/contracts';
import { completeRefresh, Database, findTombstone, loseStep, WRITABLE_STATES } from '@candor/persistence';
import type { IndexOperation } from '@candor/search-index/write';
import { LiveGenerationsService, type LiveIndex } from './live-generations.service.js';
import { toChunkMetadata } from './to-chunk-document.js';

/** Brings the indices up to the item's head, without embedding. Whatever came last counts, so running it twice is harmless. */
@Injectable()
export class RefreshMetadataService {
  private readonly logger = new Logger(RefreshMetadataService.name);

  constructor(
    private readonly database: Database,
    private readonly generations: LiveGenerationsService,
  ) {}

  async refresh(job: ItemJobPayload): Promise<void> {
    const head = await this.database.read((manager) => findTombstone(manager, job.tenantId, job.itemId));
    if (!head || head.deletedAt) return;
    // Without a live version there is nothing in the index yet; indexing will use the head as it is then.
    if (head.liveVersion !== null) {
      const update: IndexOperation = { kind: 'update-metadata', itemId: job.itemId, metadata: toChunkMetadata(head) };
      // As of now: one that is not known yet may have built the item with its head of before.
      for (const index of await this.generations.list(job.tenantId, WRITABLE_STATES))
        await this.apply(index, update, job.requestId);
    }
    await this.database.transaction((transaction) => completeRefresh(transaction, job));
  }

  private async apply(index: LiveIndex, update: IndexOperation, requestId: string): Promise<void> {
    const { generation } = index;
    try {
      await this.generations.apply(index, [update]);
    } catch (error) {
      if (generation.status === 'live') throw error;
      this.logger.warn(
        `Item ${update.itemId} could not be updated in generation ${generation.id}: ${AppError.from(error).code}`,
      );
      await this.database.transaction((transaction) => loseStep(transaction, generation.id, [update.itemId]));
      await this.generations.mend(index, requestId);
    }
  }
}
