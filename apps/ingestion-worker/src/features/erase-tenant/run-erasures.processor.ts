import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { runErasuresJob } from '@candor/contracts';
import { JobHandler, type JobContext } from '@candor/queue';
import { RunErasuresService } from './run-erasures.service.js';

@Controller()
export class RunErasuresProcessor {
  constructor(private readonly erasures: RunErasuresService) {}

  @JobHandler(runErasuresJob)
  async run(@Payload() _job: unknown, @Ctx() { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    await this.erasures.runAll(signal);
  }
}
