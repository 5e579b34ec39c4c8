import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  checkSourceJob,
  removeSourceJob,
  scheduleSourceJob,
  startDueRunJob,
  type CheckSourcePayload,
  type RemoveSourcePayload,
  type ScheduleSourcePayload,
  type StartDueRunPayload,
} from '@candor/contracts';
import { JobHandler, type JobContext } from '@candor/queue';
import { CheckSourceService } from './check-source.service.js';
import { RemoveSourceService } from './remove-source.service.js';
import { SourceSchedulesService } from './source-schedules.service.js';

/** Everything about sources that is short: it must not wait behind syncs. */
@Controller()
export class ManageSourceProcessor {
  constructor(
    private readonly checks: CheckSourceService,
    private readonly removals: RemoveSourceService,
    private readonly schedules: SourceSchedulesService,
  ) {}

  @JobHandler(checkSourceJob)
  check(@Payload() job: CheckSourcePayload, @Ctx() { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    return this.checks.check(job, signal);
  }

  @JobHandler(removeSourceJob)
  remove(@Payload() job: RemoveSourcePayload): Promise<void> {
    return this.removals.removeSlice(job);
  }

  @JobHandler(scheduleSourceJob)
  schedule(@Payload() job: ScheduleSourcePayload): Promise<void> {
    return this.schedules.apply(job.sourceId);
  }

  @JobHandler(startDueRunJob)
  startDueRun(@Payload() job: StartDueRunPayload): Promise<void> {
    return this.schedules.startDueRun(job);
  }
}
