import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { buildGenerationJob, reconcileGenerationJob, type GenerationWorkPayload } from '@candor/contracts';
import { JobHandler, type JobContext } from '@candor/queue';
import { BuildGenerationService } from './build-generation.service.js';

@Controller()
export class BuildGenerationProcessor {
  constructor(private readonly building: BuildGenerationService) {}

  @JobHandler(buildGenerationJob)
  build(@Payload() job: GenerationWorkPayload, @Ctx() context: JobContext): Promise<void> {
    return this.building.run(job, 'build', context.signal);
  }

  @JobHandler(reconcileGenerationJob)
  reconcile(@Payload() job: GenerationWorkPayload, @Ctx() context: JobContext): Promise<void> {
    return this.building.run(job, 'reconcile', context.signal);
  }
}
