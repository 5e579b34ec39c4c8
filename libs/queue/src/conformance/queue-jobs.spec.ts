import { randomUUID } from 'node:crypto';
import { AppError } from '@candor/contracts';
import { setTimeout as sleep } from 'node:timers/promises';
import { openQueue } from '../queue-backend.js';
import { connectRedisFailFast, type QueueBackendOptions } from '../queue-backend.js';
import { QueueHarness, until } from './queue-harness.js';
import { isMissing, removeTestData, testBackends } from './test-backends.js';
import { testPayload } from './test-jobs.js';

async function addRaw(backend: QueueBackendOptions, queueName: string, name: string, data: unknown): Promise<void> {
  const redis = backend.kind === 'redis' ? connectRedisFailFast(backend.url) : undefined;
  const queue = openQueue(backend, queueName, redis);
  await queue.waitUntilReady();
  await queue.add(name, data, { attempts: 3 });
  await queue.close();
  redis?.disconnect();
}

for (const backend of testBackends()) {
  const suite = isMissing(backend) ? describe.skip : describe;
  suite(`Jobs on ${backend.name}`, () => {
    let harness: QueueHarness;
    beforeEach(() => {
      if (!backend.options) throw new Error('unreachable');
      harness = new QueueHarness(backend.options);
    });
    afterEach(() => harness.close());
    afterAll(() => removeTestData(backend));

    it('brings a job to its handler, with its context', async () => {
      await harness.startWorker();
      const payload = testPayload('a');
      expect(await harness.producer.add(harness.jobs.work, payload)).toEqual({ jobId: 'work-a' });
      await until(() => harness.runs.length === 1);
      const [run] = harness.runs;
      expect(run?.payload).toEqual(payload);
      expect(run?.context).toMatchObject({
        jobName: 'test.work',
        jobId: 'work-a',
        attempt: 1,
        tenantId: payload.tenantId,
        requestId: payload.requestId,
      });
    });

    it('takes many jobs at once, each once, also when some are there already or come twice', async () => {
      const entryOf = (key: string): { job: typeof harness.jobs.work; payload: unknown } => ({
        job: harness.jobs.work,
        payload: testPayload(key),
      });
      await harness.producer.add(harness.jobs.work, testPayload('a'));
      const keys = ['a', ...Array.from({ length: 50 }, (_value, index) => `many${index}`), 'many7'];
      await harness.producer.addMany(keys.map(entryOf));
      await harness.producer.addMany([]);
      await harness.startWorker();
      await until(() => harness.runs.length >= 51);
      await harness.producer.addMany(keys.map(entryOf));
      await harness.producer.add(harness.jobs.work, testPayload('last'));
      await until(() => harness.runs.some(({ context }) => context.jobId === 'work-last'));
      expect(harness.runs).toHaveLength(52);
      const bad = { job: harness.jobs.work, payload: { ...testPayload(), tenantId: 'no uuid' } };
      await expect(harness.producer.addMany([entryOf('never'), bad])).rejects.toMatchObject({
        code: 'JOB.INVALID_PAYLOAD',
      });
      expect(await harness.producer.counts(harness.queue)).toMatchObject({ waiting: 0 });
    });

    it('refuses a bad payload on add, and adds nothing', async () => {
      const bad = { ...testPayload(), tenantId: 'no uuid' };
      await expect(harness.producer.add(harness.jobs.work, bad)).rejects.toMatchObject({ code: 'JOB.INVALID_PAYLOAD' });
      expect(await harness.producer.counts(harness.queue)).toMatchObject({ waiting: 0 });
    });

    it('retries a retryable failure, and counts the attempts', async () => {
      harness.behave = ({ context }) => {
        if (context.attempt < 3) throw new AppError('INTERNAL.UNEXPECTED');
      };
      await harness.startWorker();
      await harness.producer.add(harness.jobs.work, testPayload());
      await until(() => harness.runs.length === 3);
      expect(harness.runs.map(({ context }) => context.attempt)).toEqual([1, 2, 3]);
      expect(harness.letters).toEqual([]);
    });

    it('retries an error that is no AppError, and writes the dead letter after the last attempt', async () => {
      harness.behave = () => {
        throw new TypeError('secret content');
      };
      await harness.startWorker();
      const payload = testPayload('last');
      await harness.producer.add(harness.jobs.work, payload);
      await until(() => harness.letters.length === 1);
      expect(harness.runs).toHaveLength(3);
      expect(harness.letters[0]).toMatchObject({
        job: 'test.work',
        jobId: 'work-last',
        queue: harness.queue,
        payload,
        error: { type: 'INTERNAL.UNEXPECTED' },
        attemptsMade: 3,
      });
      expect(JSON.stringify(harness.letters)).not.toContain('secret content');
    });

    it('ends a permanent failure at once, and stores its code alone', async () => {
      harness.behave = () => {
        throw new AppError('EXTRACT.EMPTY', { message: 'said to the caller' });
      };
      await harness.startWorker();
      await harness.producer.add(harness.jobs.work, testPayload());
      await until(async () => (await harness.producer.counts(harness.queue)).failed === 1);
      expect(harness.runs).toHaveLength(1);
      expect(harness.letters[0]?.error).toEqual({ type: 'EXTRACT.EMPTY', message: 'said to the caller' });
      const redis = harness.backend.kind === 'redis' ? connectRedisFailFast(harness.backend.url) : undefined;
      const queue = openQueue(harness.backend, harness.queue, redis);
      await queue.waitUntilReady();
      const [failed] = await queue.getFailed();
      expect(failed).toMatchObject({ failedReason: 'EXTRACT.EMPTY', stacktrace: [] });
      await queue.close();
      redis?.disconnect();
    });

    it('runs two adds of one id once', async () => {
      await harness.producer.add(harness.jobs.work, testPayload('same'));
      await harness.producer.add(harness.jobs.work, testPayload('same'));
      expect(await harness.producer.counts(harness.queue)).toMatchObject({ waiting: 1 });
      await harness.startWorker();
      await until(() => harness.runs.length === 1);
      await until(async () => (await harness.producer.counts(harness.queue)).active === 0);
      await harness.producer.add(harness.jobs.work, testPayload('same'));
      await harness.producer.add(harness.jobs.work, testPayload('other'));
      await until(() => harness.runs.some(({ payload }) => payload.key === 'other'));
      expect(harness.runs.map(({ payload }) => payload.key)).toEqual(['same', 'other']);
    });

    it('holds a delayed job back', async () => {
      await harness.startWorker();
      await harness.producer.add(harness.jobs.work, testPayload('later'), { delayMs: 400 });
      await harness.producer.add(harness.jobs.work, testPayload('now'));
      await until(() => harness.runs.length === 2);
      expect(harness.runs.map(({ payload }) => payload.key)).toEqual(['now', 'later']);
    });

    it('lets the jobs of a call that have no priority go before those that have one', async () => {
      const entryOf = (key: string): { job: typeof harness.jobs.work; payload: unknown } => ({
        job: harness.jobs.work,
        payload: testPayload(key),
      });
      await harness.producer.addMany([{ ...entryOf('gives way'), priority: 1 }, entryOf('goes first')]);
      await harness.startWorker({ queues: { [harness.queue]: { concurrency: 1 } } });
      await until(() => harness.runs.length === 2);
      expect(harness.runs.map(({ payload }) => payload.key)).toEqual(['goes first', 'gives way']);
    });

    it('takes a prioritised job before a less urgent one', async () => {
      await harness.producer.add(harness.jobs.work, testPayload('low'), { priority: 10 });
      await harness.producer.add(harness.jobs.work, testPayload('high'), { priority: 1 });
      await harness.startWorker({ queues: { [harness.queue]: { concurrency: 1 } } });
      await until(() => harness.runs.length === 2);
      expect(harness.runs.map(({ payload }) => payload.key)).toEqual(['high', 'low']);
    });

    it.each([
      ['is no envelope', 'test.work', { key: 'x' }],
      ['breaks its contract', 'test.work', { payload: { key: 'x' } }],
      ['has a name nobody knows', 'test.unknown', { payload: {} }],
    ])('dead-letters a job that %s, unrun', async (_label, name, data) => {
      await harness.startWorker();
      await addRaw(harness.backend, harness.queue, name, data);
      await until(() => harness.letters.length === 1);
      expect(harness.letters[0]).toMatchObject({ job: name, error: { type: 'JOB.INVALID_PAYLOAD' }, attemptsMade: 1 });
      expect(harness.runs).toEqual([]);
    });

    it('drops a job unrun whose deadline has passed', async () => {
      const deadline = new Date(Date.now() - 1_000).toISOString();
      await harness.producer.add(harness.jobs.once, { ...testPayload(), deadline });
      await harness.startWorker();
      await until(() => harness.letters.length === 1);
      expect(harness.letters[0]?.error.type).toBe('JOB.DEADLINE_PASSED');
      expect(harness.runs).toEqual([]);
    });

    it('leaves nothing of a job of one attempt behind, done or failed', async () => {
      harness.behave = ({ payload }) => {
        if (payload.key === 'bad') throw new AppError('DEPENDENCY.RETRIEVAL_UNAVAILABLE');
      };
      await harness.startWorker();
      await harness.producer.add(harness.jobs.once, testPayload('good'));
      await harness.producer.add(harness.jobs.once, testPayload('bad'));
      await until(() => harness.letters.length === 1 && harness.runs.length === 2);
      const empty = { waiting: 0, active: 0, delayed: 0, failed: 0 };
      const { queue } = harness.jobs.once;
      await until(async () => JSON.stringify(await harness.producer.counts(queue)) === JSON.stringify(empty));
      // The same id is accepted again, so nothing is remembered.
      await harness.producer.add(harness.jobs.once, testPayload('good'));
      await until(() => harness.runs.length === 3);
    });

    it('removes a waiting job, and says so', async () => {
      const { jobId } = await harness.producer.add(harness.jobs.work, testPayload());
      expect(await harness.producer.remove(harness.jobs.work, jobId)).toBe(true);
      expect(await harness.producer.remove(harness.jobs.work, jobId)).toBe(false);
      expect(await harness.producer.counts(harness.queue)).toMatchObject({ waiting: 0 });
    });

    it('removes every job of a tenant and of no other, ended ones too, and counts those that run', async () => {
      const [theirs, others] = [randomUUID(), randomUUID()];
      for (let index = 0; index < 5; index += 1) {
        await harness.producer.add(harness.jobs.work, { ...testPayload(), tenantId: theirs });
        await harness.producer.add(harness.jobs.work, { ...testPayload(), tenantId: others }, { delayMs: 60_000 });
        await harness.producer.add(harness.jobs.work, { ...testPayload(), tenantId: theirs }, { delayMs: 60_000 });
      }
      expect(await harness.producer.removeOfTenant(harness.queue, theirs)).toBe(0);
      expect(await harness.producer.counts(harness.queue)).toMatchObject({ waiting: 0, delayed: 5 });
      let release: () => void = () => undefined;
      harness.behave = () => new Promise<void>((resolve) => (release = resolve));
      await harness.startWorker();
      await harness.producer.add(harness.jobs.work, { ...testPayload(), tenantId: theirs });
      await until(() => harness.runs.length === 1);
      expect(await harness.producer.removeOfTenant(harness.queue, theirs)).toBe(1);
      release();
      await until(async () => (await harness.producer.removeOfTenant(harness.queue, theirs)) === 0);
      expect(await harness.producer.removeOfTenant(harness.queue, others)).toBe(0);
      expect(await harness.producer.counts(harness.queue)).toMatchObject({ delayed: 0 });
    });

    it('does not remove a running job', async () => {
      let release: () => void = () => undefined;
      harness.behave = () => new Promise<void>((resolve) => (release = resolve));
      await harness.startWorker();
      const { jobId } = await harness.producer.add(harness.jobs.work, testPayload());
      await until(() => harness.runs.length === 1);
      expect(await harness.producer.remove(harness.jobs.work, jobId)).toBe(false);
      release();
    });

    it('shares the jobs out between two workers, each once', async () => {
      harness.behave = () => sleep(20);
      await harness.startWorker({ queues: { [harness.queue]: { concurrency: 1 } } }, 'one');
      await harness.startWorker({ queues: { [harness.queue]: { concurrency: 1 } } }, 'two');
      const keys = Array.from({ length: 30 }, (_value, index) => `k${index}`);
      await Promise.all(keys.map((key) => harness.producer.add(harness.jobs.work, testPayload(key))));
      await until(() => harness.runs.length >= keys.length);
      await until(async () => (await harness.producer.counts(harness.queue)).active === 0);
      expect(harness.runs.map(({ payload }) => payload.key).sort()).toEqual([...keys].sort());
      expect(new Set(harness.runs.map(({ worker }) => worker))).toEqual(new Set(['one', 'two']));
    });

    it('answers a ping', async () => {
      await expect(harness.producer.ping()).resolves.toBeUndefined();
    });
  });
}
