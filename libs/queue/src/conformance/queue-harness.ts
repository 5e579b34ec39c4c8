import type { INestMicroservice } from '@nestjs/common';
import { Controller, Module } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { NestFactory } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BullMqStrategy } from '../bullmq.strategy.js';
import type { JobContext } from '../job-context.js';
import { JobHandler } from '../job-handler.decorator.js';
import { JobProducer } from '../job-producer.js';
import type { QueueBackendOptions } from '../queue-backend.js';
import { RpcErrorFilter } from '../rpc-error.filter.js';
import type { BullMqStrategyOptions, DeadLetter, JobFailure } from '../strategy-options.js';
import { makeTestJobs, type TestJobs } from './test-jobs.js';

export interface Run {
  worker: string;
  payload: { key: string };
  context: JobContext;
}
type Behaviour = (run: Run) => Promise<void> | void;

/** One queue, its producer, and any number of Nest applications that work on it. */
export class QueueHarness {
  readonly queue = `q-${randomUUID().slice(0, 8)}`;
  readonly jobs: TestJobs = makeTestJobs(this.queue);
  readonly runs: Run[] = [];
  readonly letters: DeadLetter[] = [];
  readonly failures: JobFailure[] = [];
  readonly producer: JobProducer;
  behave: Behaviour = () => undefined;
  private readonly closers: (() => Promise<unknown>)[] = [];

  constructor(readonly backend: QueueBackendOptions) {
    this.producer = new JobProducer(backend);
  }

  strategyOptions(changes: Partial<BullMqStrategyOptions> = {}): BullMqStrategyOptions {
    return {
      backend: this.backend,
      catalogue: Object.values(this.jobs),
      queues: { [this.jobs.work.queue]: { concurrency: 4 }, [this.jobs.once.queue]: { concurrency: 4 } },
      onDeadLetter: async (letter) => void this.letters.push(letter),
      onFailure: (failure) => void this.failures.push(failure),
      parking: { baseMs: 20, maxMs: 100 },
      abortGraceMs: 200,
      ...changes,
    };
  }

  async startWorker(changes: Partial<BullMqStrategyOptions> = {}, worker = 'worker'): Promise<BullMqStrategy> {
    const strategy = new BullMqStrategy(this.strategyOptions(changes));
    const app = await createApp(strategy, this.makeController(worker));
    this.closers.push(() => app.close());
    await app.listen();
    return strategy;
  }

  /** A controller whose handlers record the run and then do as told. */
  makeController(worker: string): new () => object {
    const { work, once } = this.jobs;
    const handle = async (payload: { key: string }, context: JobContext): Promise<void> => {
      const run = { worker, payload, context };
      this.runs.push(run);
      await this.behave(run);
    };
    @Controller()
    class TestController {
      @JobHandler(work)
      async work(@Payload() payload: { key: string }, @Ctx() context: JobContext): Promise<void> {
        await handle(payload, context);
      }
      @JobHandler(once)
      async once(@Payload() payload: { key: string }, @Ctx() context: JobContext): Promise<void> {
        await handle(payload, context);
      }
    }
    return TestController;
  }

  async close(): Promise<void> {
    await Promise.all(this.closers.map((close) => close()));
    await this.producer.close();
  }
}

export async function createApp(
  strategy: BullMqStrategy,
  ...controllers: (new () => object)[]
): Promise<INestMicroservice> {
  @Module({ controllers })
  class TestModule {}
  const app = await NestFactory.createMicroservice(TestModule, { strategy, logger: false, abortOnError: false });
  app.useGlobalFilters(new RpcErrorFilter());
  return app;
}

/** Polls until `condition` holds; the test's own timeout is the bound. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}
