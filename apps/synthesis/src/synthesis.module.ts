import { Module, type DynamicModule } from '@nestjs/common';
import type { AppError, RetrievalClient } from '@candor/contracts';
import type { ReplyChannel } from '@candor/queue';
import type { Logger } from '@candor/runtime';
import type { ProviderFor } from './create-answer-provider.js';
import { AnswerQuestionProcessor } from './features/answer-question/answer-question.processor.js';
import { AnswerQuestionService } from './features/answer-question/answer-question.service.js';
import { RunReasoningProcessor } from './features/run-reasoning/run-reasoning.processor.js';
import { RunReasoningService } from './features/run-reasoning/run-reasoning.service.js';
import { RunningQuestions } from './running-questions.service.js';
import { REPLY_CHANNEL } from './tokens.js';

export interface SynthesisModuleDependencies {
  retrieval: RetrievalClient;
  providerFor: ProviderFor;
  replies: ReplyChannel;
  logger: Logger;
}

@Module({})
export class SynthesisModule {
  static forRoot({ retrieval, providerFor, replies, logger }: SynthesisModuleDependencies): DynamicModule {
    const dependencies = {
      retrieval,
      providerFor,
      reportError: (error: AppError, requestId: string) =>
        logger.warn({ error, code: error.code, requestId }, 'A question failed'),
    };
    return {
      module: SynthesisModule,
      controllers: [AnswerQuestionProcessor, RunReasoningProcessor],
      providers: [
        { provide: REPLY_CHANNEL, useValue: replies },
        { provide: AnswerQuestionService, useValue: new AnswerQuestionService(dependencies) },
        { provide: RunReasoningService, useValue: new RunReasoningService(dependencies) },
        RunningQuestions,
      ],
    };
  }
}
