import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  promoteGenerationJob,
  retireGenerationJob,
  type GenerationWorkPayload,
  type PromoteGenerationPayload,
} from '@candor/contracts';
import { JobHandler, type JobContext } from '@candor/queue';
import { PromoteGenerationService } from './promote-generation.service.js';
import { RetireGenerationService } from './retire-generation.service.js';

@Controller()
export class PromoteGenerationProcessor {
  constructor(
    private readonly promoting: PromoteGenerationService,
    private readonly retiring: RetireGenerationService,
  ) {}

  @JobHandler(promoteGenerationJob)
  promote(@Payload() job: PromoteGenerationPayload, @Ctx() context: JobContext): Promise<void> {
    return this.promoting.promote(job, context.signal);
  }

  @JobHandler(retireGenerationJob)
  retire(@Payload() job: GenerationWorkPayload): Promise<void> {
    return this.retiring.retire(job);
  }
}
