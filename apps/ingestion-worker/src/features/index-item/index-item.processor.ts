import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { indexItemJob, refreshItemMetadataJob, type ItemJobPayload } from '@candor/contracts';
import { JobHandler, type JobContext } from '@candor/queue';
import { IndexItemService } from './index-item.service.js';
import { RefreshMetadataService } from './refresh-metadata.service.js';

@Controller()
export class IndexItemProcessor {
  constructor(
    private readonly indexing: IndexItemService,
    private readonly refreshing: RefreshMetadataService,
  ) {}

  @JobHandler(indexItemJob)
  index(@Payload() job: ItemJobPayload, @Ctx() context: JobContext): Promise<void> {
    return this.indexing.index(job, context.signal);
  }

  @JobHandler(refreshItemMetadataJob)
  refresh(@Payload() job: ItemJobPayload): Promise<void> {
    return this.refreshing.refresh(job);
  }
}
