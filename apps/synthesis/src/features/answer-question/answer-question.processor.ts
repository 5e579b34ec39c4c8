import { performance } from 'node:perf_hooks';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { answerQuestionJob, type AnswerQuestionPayload, type ReasoningReplyEnvelope } from '@candor/contracts';
import { JobHandler, type JobContext, type ReplyChannel } from '@candor/queue';
import { REPLY_CHANNEL } from '../../tokens.js';
import { AnswerQuestionService } from './answer-question.service.js';
import { RunningQuestions } from '../../running-questions.service.js';
import { observeAnswer } from '../../synthesis-metrics.js';

/** A question from the queue; its answer goes over the reply channel and nowhere else. */
@Controller()
export class AnswerQuestionProcessor {
  constructor(
    private readonly questions: AnswerQuestionService,
    private readonly running: RunningQuestions,
    @Inject(REPLY_CHANNEL) private readonly replies: ReplyChannel,
  ) {}

  @JobHandler(answerQuestionJob)
  async answer(@Payload() job: AnswerQuestionPayload, @Ctx() context: JobContext): Promise<void> {
    const started = performance.now();
    const reply = await this.running.run(job.runId, context.signal, (signal) => this.questions.answer(job, signal));
    observeAnswer(reply, performance.now() - started);
    await this.replies.publish(job.replyTo, { runId: job.runId, reply } satisfies ReasoningReplyEnvelope);
  }
}
