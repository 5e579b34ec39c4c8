import { Module, type DynamicModule } from '@nestjs/common';
import type { RetrievalClient } from '@candor/contracts';
import type { ReplyChannel } from '@candor/queue';
import type { AnswerProvider } from '@candor/reasoning';
import type { Logger } from '@candor/runtime';
import { AnswerQuestionProcessor } from './features/answer-question/answer-question.processor.js';
import { AnswerQuestionService } from './features/answer-question/answer-question.service.js';
import { RunningQuestions } from './features/answer-question/running-questions.service.js';
import { REPLY_CHANNEL } from './tokens.js';

export interface SynthesisModuleDependencies {
  retrieval: RetrievalClient;
  answerProvider: AnswerProvider;
  replies: ReplyChannel;
  logger: Logger;
}

@Module({})
export class SynthesisModule {
  static forRoot({ retrieval, answerProvider, replies, logger }: SynthesisModuleDependencies): DynamicModule {
    const questions = new AnswerQuestionService({
      retrieval,
      answerProvider,
      reportError: (error, requestId) => logger.warn({ error, code: error.code, requestId }, 'A question failed'),
    });
    return {
      module: SynthesisModule,
      controllers: [AnswerQuestionProcessor],
      providers: [
        { provide: REPLY_CHANNEL, useValue: replies },
        { provide: AnswerQuestionService, useValue: questions },
        RunningQuestions,
      ],
    };
  }
}
