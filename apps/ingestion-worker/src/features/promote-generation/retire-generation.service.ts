import { Inject, Injectable } from '@nestjs/common';
import type { GenerationWorkPayload } from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import { claimWork, completeRetirement, Database } from '@candor/persistence';
import { SEARCH_INDEX_WRITER, type SearchIndexWriter } from '@candor/search-index/write';
import { LiveGenerationsService, toIndex } from '../index-item/live-generations.service.js';

/** Drops the index of a generation that was given up; requests that began before have ended by now. */
@Injectable()
export class RetireGenerationService {
  constructor(
    private readonly database: Database,
    private readonly generations: LiveGenerationsService,
    @Inject(SEARCH_INDEX_WRITER) private readonly writer: SearchIndexWriter,
  ) {}

  async retire(job: GenerationWorkPayload): Promise<void> {
    const generation = await this.database.transaction((transaction) => claimWork(transaction, job, 'retire'));
    if (generation?.status !== 'retiring') return;
    this.generations.forget(job.tenantId);
    if (generation.pipelineFingerprint !== '') await this.writer.dropIndex(toIndex(generation).address);
    await this.database.transaction(async (transaction) => {
      if (!(await completeRetirement(transaction, generation.id))) return;
      await writeAuditEvents(transaction, [
        {
          tenantId: job.tenantId,
          requestId: job.requestId,
          action: 'generation.retire',
          outcome: 'succeeded',
          actorApiKeyId: null,
          actorType: 'service',
          targetType: 'generation',
          targetId: generation.id,
          metadata: { name: generation.name },
        },
      ]);
    });
  }
}
