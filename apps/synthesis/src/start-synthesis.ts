import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { answerQuestionJob, runReasoningJob } from '@candor/contracts';
import { BullMqStrategy, RpcErrorFilter, type QueueBackendOptions } from '@candor/queue';
import { loadTokenCounter } from '@candor/reasoning';
import { createRequestContext, NestPinoLogger, runInRequestContext } from '@candor/runtime';
import { replyToDeadLetter } from './reply-to-dead-letter.js';
import { SynthesisModule, type SynthesisModuleDependencies } from './synthesis.module.js';

export interface SynthesisDependencies extends SynthesisModuleDependencies {
  queue: QueueBackendOptions;
  /** Questions at the same time; default 8. */
  concurrency?: number;
}

export interface RunningSynthesis {
  /** Takes no new questions, lets the running ones finish. */
  stop(): Promise<void>;
}

/**
 * Longest time of a question that was taken, ms. Nobody asks it again, so closing lets it run; each ends by the deadline of
 * its gateway, most far sooner.
 */
export const LONGEST_QUESTION_MS = Math.max(answerQuestionJob.timeoutMs, runReasoningJob.timeoutMs);

/** Answers questions from the `reasoning` queue; the caller owns and closes the dependencies. */
export async function startSynthesis(dependencies: SynthesisDependencies): Promise<RunningSynthesis> {
  const { logger, queue, replies } = dependencies;
  const strategy = new BullMqStrategy({
    backend: queue,
    queues: { [answerQuestionJob.queue]: { concurrency: dependencies.concurrency ?? 8 } },
    closeGraceMs: LONGEST_QUESTION_MS,
    // The question ended without its handler's own reply (a stall, a bad payload): its gateway need not wait in vain.
    onDeadLetter: async (letter) => {
      const lost = replyToDeadLetter(letter);
      if (lost) await replies.publish(lost.replyTo, lost.envelope);
    },
    onFailure: ({ job, outcome, error }) => logger.warn({ job, outcome, code: error.code, error }, 'Question failed'),
    runInJobContext: ({ requestId, tenantId }, run) =>
      runInRequestContext(createRequestContext(requestId, { tenantId }), run),
  });
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(SynthesisModule.forRoot(dependencies), {
    strategy,
    logger: new NestPinoLogger(logger),
    abortOnError: false,
  });
  app.useGlobalFilters(new RpcErrorFilter());
  // The first question must not wait for the tokenizer's tables.
  await loadTokenCounter();
  await app.listen();
  return { stop: () => app.close() };
}
