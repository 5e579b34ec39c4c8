import { performance } from 'node:perf_hooks';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { runReasoningJob, type ReasoningReplyEnvelope, type RunReasoningPayload } from '@candor/contracts';
import { JobHandler, type JobContext, type ReplyChannel } from '@candor/queue';
import { REPLY_CHANNEL } from '../../tokens.js';
import { RunningQuestions } from '../../running-questions.service.js';
import { observeRun } from '../../synthesis-metrics.js';
import { RunReasoningService } from './run-reasoning.service.js';

/** A reasoning request from the queue; its response goes over the reply channel and nowhere else. */
@Controller()
export class RunReasoningProcessor {
  constructor(
    private readonly reasoning: RunReasoningService,
    private readonly running: RunningQuestions,
    @Inject(REPLY_CHANNEL) private readonly replies: ReplyChannel,
  ) {}

  @JobHandler(runReasoningJob)
  async run(@Payload() job: RunReasoningPayload, @Ctx() context: JobContext): Promise<void> {
    const started = performance.now();
    const reply = await this.running.run(job.runId, context.signal, (signal) => this.reasoning.run(job, signal));
    observeRun(reply, performance.now() - started);
    await this.replies.publish(job.replyTo, { runId: job.runId, reply } satisfies ReasoningReplyEnvelope);
  }
}
