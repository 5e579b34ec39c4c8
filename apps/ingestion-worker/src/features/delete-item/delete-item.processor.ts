import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { AppError, deleteItemJob, type ItemJobPayload } from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import { Database, purgeItem } from '@candor/persistence';
import { JobHandler } from '@candor/queue';
import { SEARCH_INDEX_WRITER, type SearchIndexWriter } from '@candor/search-index/write';
import { LiveGenerationsService } from '../index-item/live-generations.service.js';

/** Takes a tombstoned item out of the index and certifies it once a count by item id is 0. */
@Controller()
export class DeleteItemProcessor {
  constructor(
    private readonly database: Database,
    private readonly generations: LiveGenerationsService,
    @Inject(SEARCH_INDEX_WRITER) private readonly writer: SearchIndexWriter,
  ) {}

  @JobHandler(deleteItemJob)
  async delete(@Payload() job: ItemJobPayload): Promise<void> {
    const { address, generation } = await this.generations.of(job.tenantId);
    await this.writer.apply(address, [{ kind: 'delete-item', itemId: job.itemId }]);
    const remaining = await this.writer.countItem(address, job.itemId);
    if (remaining > 0)
      throw new AppError('DEPENDENCY.INDEX_UNAVAILABLE', { message: `${remaining} chunks are still in the index.` });
    await this.database.transaction(async (transaction) => {
      if (!(await purgeItem(transaction, job, [generation.id]))) return;
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
          metadata: { remainingChunks: 0, generationId: generation.id },
        },
      ]);
    });
  }
}
