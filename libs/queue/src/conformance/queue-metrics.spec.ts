import { AppError } from '@candor/contracts';
import { processMetrics } from '@candor/runtime/metrics';
import { setTimeout as sleep } from 'node:timers/promises';
import { sampleQueues } from '../sample-queues.js';
import { QueueHarness, until } from './queue-harness.js';
import { isMissing, removeTestData, testBackends } from './test-backends.js';
import { testPayload } from './test-jobs.js';

/** Values of a metric by its labels, e.g. `{queue="a",state="waiting"}` → 2. */
async function valuesOf(name: string): Promise<Record<string, number>> {
  const lines = (await processMetrics().metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
  return Object.fromEntries(
    lines.map((line) => [line.slice(name.length, line.indexOf('} ') + 1), Number(line.slice(line.indexOf('} ') + 2))]),
  );
}

for (const backend of testBackends()) {
  const suite = isMissing(backend) ? describe.skip : describe;
  suite(`Metrics of the queues on ${backend.name}`, () => {
    let harness: QueueHarness;
    beforeEach(() => {
      if (!backend.options) throw new Error('unreachable');
      harness = new QueueHarness(backend.options);
      processMetrics().resetMetrics();
    });
    afterEach(() => harness.close());
    afterAll(() => removeTestData(backend));

    it('tell depth by state and the age of the oldest waiting job, prioritised or not', async () => {
      const { queue, producer, jobs } = harness;
      expect(await producer.oldestWaitingMs(queue)).toBe(0);
      await producer.add(jobs.work, testPayload('low'), { priority: 5 });
      await sleep(500);
      const aged = await producer.oldestWaitingMs(queue);
      expect(aged).toBeGreaterThanOrEqual(490);
      await producer.add(jobs.work, testPayload('young'));
      await producer.addMany(
        Array.from({ length: 5 }, (_, n) => ({ job: jobs.work, payload: testPayload(`urgent${n}`), priority: 1 })),
      );
      expect(await producer.oldestWaitingMs(queue)).toBeGreaterThanOrEqual(aged);
      await producer.add(jobs.work, testPayload('later'), { delayMs: 60_000 });
      sampleQueues(producer, [queue]);
      expect(await valuesOf('candor_queue_jobs')).toEqual({
        [`{queue="${queue}",state="waiting"}`]: 7,
        [`{queue="${queue}",state="active"}`]: 0,
        [`{queue="${queue}",state="delayed"}`]: 1,
      });
      const [age = 0] = Object.values(await valuesOf('candor_queue_oldest_waiting_seconds'));
      expect(age * 1_000).toBeGreaterThanOrEqual(aged);
    });

    it('tell how long jobs waited and ran and how they ended', async () => {
      const { queue } = harness.jobs.work;
      harness.behave = ({ payload }) => {
        if (payload.key === 'bad') throw new AppError('REQUEST.TOO_LARGE');
      };
      await harness.producer.add(harness.jobs.work, testPayload('good'));
      await harness.producer.add(harness.jobs.work, testPayload('bad'));
      await harness.startWorker();
      await until(async () => harness.letters.length === 1 && (await harness.producer.counts(queue)).active === 0);
      expect(await valuesOf('candor_job_duration_seconds_count')).toEqual({
        '{job_name="test.work",outcome="done"}': 1,
        '{job_name="test.work",outcome="dead-letter"}': 1,
      });
      expect(await valuesOf('candor_job_wait_seconds_count')).toEqual({ '{job_name="test.work"}': 2 });
    });
  });
}
