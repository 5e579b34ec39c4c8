import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { AppError, deleteItemJob, type ItemJobPayload } from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import { Database, isDeleted, KEPT_STATES, purgeItem } from '@candor/persistence';
import { JobHandler } from '@candor/queue';
import { SEARCH_INDEX_WRITER, type SearchIndexWriter } from '@candor/search-index/write';
import { LiveGenerationsService, type LiveIndex } from '../index-item/live-generations.service.js';

/** Takes a tombstoned item out of every index that is still there and certifies it once counts by item id are 0. */
@Controller()
export class DeleteItemProcessor {
  constructor(
    private readonly database: Database,
    private readonly generations: LiveGenerationsService,
    @Inject(SEARCH_INDEX_WRITER) private readonly writer: SearchIndexWriter,
  ) {}

  @JobHandler(deleteItemJob)
  async delete(@Payload() job: ItemJobPayload): Promise<void> {
    // Jobs are no authority: only what was deleted in the database goes.
    if (!(await this.database.forTenants([job.tenantId]).read((manager) => isDeleted(manager, job)))) return;
    const { generation } = await this.generations.of(job.tenantId);
    const indexes = await this.generations.list(job.tenantId, KEPT_STATES);
    for (const index of indexes) await this.removeFrom(index, job.itemId);
    await this.database.transaction(async (transaction) => {
      const live = indexes.find((index) => index.generation.status === 'live')?.generation ?? generation;
      if (!(await purgeItem(transaction, job, [live.id]))) return;
      await writeAuditEvents(transaction, [
        {
          tenantId: job.tenantId,
          requestId: job.requestId,
          action: 'item.deleted',
          outcome: 'succeeded',
          actorApiKeyId: null,
          actorType: 'service',
          targetType: 'source_item',
          targetId: job.itemId,
          metadata: { remainingChunks: 0, generationId: live.id, indices: indexes.length },
        },
      ]);
    });
  }

  private async removeFrom(index: LiveIndex, itemId: string): Promise<void> {
    try {
      await this.generations.apply(index, [{ kind: 'delete-item', itemId }]);
    } catch (error) {
      // One that failed or is being given up may have no index any more.
      if (AppError.from(error).code !== 'RESOURCE.NOT_FOUND') throw error;
    }
    const remaining = await this.writer.countItem(index.address, itemId);
    if (remaining > 0)
      throw new AppError('DEPENDENCY.INDEX_UNAVAILABLE', { message: `${remaining} chunks are still in the index.` });
  }
}
