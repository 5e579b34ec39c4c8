import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { sealAuditJob } from '@candor/contracts';
import { JobHandler, type JobContext } from '@candor/queue';
import { SealAuditService } from './seal-audit.service.js';

@Controller()
export class SealAuditProcessor {
  constructor(private readonly seals: SealAuditService) {}

  @JobHandler(sealAuditJob)
  async seal(@Payload() _job: unknown, @Ctx() { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    await this.seals.sealAll(signal);
  }
}
