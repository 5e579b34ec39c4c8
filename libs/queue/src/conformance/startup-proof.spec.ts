import { Controller } from '@nestjs/common';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import { BullMqStrategy } from '../bullmq.strategy.js';
import { createApp, QueueHarness } from './queue-harness.js';
import { isMissing, removeTestData, testBackends } from './test-backends.js';

@Controller()
class WorkController {
  @EventPattern('test.work')
  work(_payload: unknown): void {}
}
@Controller()
class OnceController {
  @EventPattern('test.once')
  once(_payload: unknown): void {}
}
@Controller()
class StrangeController {
  @EventPattern('test.wrok')
  work(_payload: unknown): void {}
}
@Controller()
class RequestController {
  @MessagePattern('test.once')
  once(_payload: unknown): void {}
}

for (const backend of testBackends()) {
  const suite = isMissing(backend) ? describe.skip : describe;
  suite(`Startup proof on ${backend.name}`, () => {
    let harness: QueueHarness;
    beforeEach(() => {
      if (!backend.options) throw new Error('unreachable');
      harness = new QueueHarness(backend.options);
    });
    afterEach(() => harness.close());
    afterAll(() => removeTestData(backend));

    async function start(...controllers: (new () => object)[]): Promise<void> {
      const app = await createApp(new BullMqStrategy(harness.strategyOptions()), ...controllers);
      try {
        await app.listen();
      } finally {
        await app.close();
      }
    }

    it('starts when each job has one handler', async () => {
      await expect(start(WorkController, OnceController)).resolves.toBeUndefined();
    });

    it.each([
      ['a job without a handler', [WorkController], 'The job "test.once"', 'has no handler'],
      [
        'two handlers of a job',
        [WorkController, WorkController2(), OnceController],
        'The job "test.work"',
        'has 2 handlers',
      ],
      [
        'a handler of an unknown job',
        [WorkController, OnceController, StrangeController],
        '"test.wrok"',
        'no job of the catalogue',
      ],
      ['a request handler', [WorkController, RequestController], '"test.once"', 'must use @EventPattern'],
    ])('refuses %s', async (_label, controllers, job, problem) => {
      const failure = start(...controllers);
      await expect(failure).rejects.toMatchObject({ code: 'CONFIG.INVALID' });
      await expect(failure).rejects.toThrow(job);
      await expect(failure).rejects.toThrow(problem);
    });

    it('refuses a queue that the catalogue does not have', async () => {
      const options = harness.strategyOptions({ queues: { elsewhere: { concurrency: 1 } } });
      const app = await createApp(new BullMqStrategy(options), WorkController, OnceController);
      await expect(app.listen()).rejects.toThrow('no job of the queue "elsewhere"');
      await app.close();
    });
  });
}

function WorkController2(): new () => object {
  @Controller()
  class SecondWorkController {
    @EventPattern('test.work')
    work(_payload: unknown): void {}
  }
  return SecondWorkController;
}
