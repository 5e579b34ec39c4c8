import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { applyRetentionJob } from '@candor/contracts';
import { JobHandler, type JobContext } from '@candor/queue';
import { ApplyRetentionService } from './apply-retention.service.js';

@Controller()
export class ApplyRetentionProcessor {
  constructor(private readonly retention: ApplyRetentionService) {}

  @JobHandler(applyRetentionJob)
  async apply(@Payload() _job: unknown, @Ctx() { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    await this.retention.applyAll(signal);
  }
}
