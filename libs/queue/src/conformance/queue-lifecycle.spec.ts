import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@candor/contracts';
import { openWorker } from '../queue-backend.js';
import { QueueHarness, until } from './queue-harness.js';
import { isMissing, removeTestData, testBackends } from './test-backends.js';
import { testPayload } from './test-jobs.js';

/** Resolves with the reason when the signal fires. */
function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }));
}

for (const backend of testBackends()) {
  const suite = isMissing(backend) ? describe.skip : describe;
  suite(`Life cycle on ${backend.name}`, () => {
    let harness: QueueHarness;
    beforeEach(() => {
      if (!backend.options) throw new Error('unreachable');
      harness = new QueueHarness(backend.options);
    });
    afterEach(() => harness.close());
    afterAll(() => removeTestData(backend));

    it('parks a job while a dependency is down, without using its attempts', async () => {
      let isDown = true;
      harness.behave = () => {
        if (isDown) throw new AppError('DEPENDENCY.INDEX_UNAVAILABLE');
      };
      await harness.startWorker();
      await harness.producer.add(harness.jobs.work, testPayload());
      await until(() => harness.runs.length > harness.jobs.work.attempts + 2);
      isDown = false;
      const before = harness.runs.length;
      await until(async () => {
        const { active, delayed, waiting } = await harness.producer.counts(harness.queue);
        return active + delayed + waiting === 0;
      });
      expect(harness.runs.length).toBe(before + 1);
      expect(new Set(harness.runs.map(({ context }) => context.attempt))).toEqual(new Set([1]));
      expect(new Set(harness.failures.map(({ outcome }) => outcome))).toEqual(new Set(['park']));
      expect(harness.letters).toEqual([]);
    });

    it('ends a job whose statements always take too long once others are served, and not while nobody is', async () => {
      let isOverloaded = true;
      harness.behave = async ({ payload }) => {
        await sleep(20);
        if (isOverloaded || payload.key === 'huge') throw new AppError('DEPENDENCY.DATABASE_TIMEOUT');
      };
      const { work } = harness.jobs;
      await harness.startWorker();
      await harness.producer.add(work, testPayload('huge'));
      await harness.producer.add(work, testPayload('small'));
      const runsOf = (key: string) => harness.runs.filter(({ payload }) => payload.key === key);
      await until(() => runsOf('huge').length > work.attempts + 2 && runsOf('small').length > work.attempts + 2);
      expect(harness.letters).toEqual([]);
      expect(Math.max(...harness.runs.map(({ context }) => context.attempt))).toBe(work.attempts);
      isOverloaded = false;
      // While others of its kind come and go, the one that can't be done ends: not at once, as one of them failed lately.
      for (let index = 0; harness.letters.length === 0; index += 1) {
        await harness.producer.add(work, testPayload(`more${index}`));
        await sleep(20);
      }
      expect(harness.letters).toMatchObject([
        { jobId: 'work-huge', error: { type: 'DEPENDENCY.DATABASE_TIMEOUT' }, attemptsMade: work.attempts },
      ]);
      await until(async () => {
        const { active, delayed, waiting } = await harness.producer.counts(harness.queue);
        return active + delayed + waiting === 0;
      });
      expect(harness.letters).toHaveLength(1);
    }, 30_000);

    it('parks a job whose dead letter could not be written, and tries again', async () => {
      let writes = 0;
      harness.behave = () => {
        throw new AppError('EXTRACT.UNREADABLE');
      };
      await harness.startWorker({
        onDeadLetter: async (letter) => {
          writes += 1;
          if (writes === 1) throw new AppError('DEPENDENCY.DATABASE_UNAVAILABLE');
          harness.letters.push(letter);
        },
      });
      await harness.producer.add(harness.jobs.work, testPayload());
      await until(() => harness.letters.length === 1);
      expect(writes).toBe(2);
    });

    it('cancels a running job: its signal fires, it is not retried', async () => {
      let reason: unknown;
      harness.behave = async ({ context }) => {
        reason = await aborted(context.signal);
        throw new Error('aborted');
      };
      const strategy = await harness.startWorker();
      const { jobId } = await harness.producer.add(harness.jobs.work, testPayload());
      await until(() => harness.runs.length === 1);
      expect(strategy.cancel('work-of-somebody-else')).toBe(false);
      expect(strategy.cancel(jobId)).toBe(true);
      await until(async () => (await harness.producer.counts(harness.queue)).failed === 1);
      expect(reason).toMatchObject({ code: 'REQUEST.CANCELLED' });
      expect(harness.runs).toHaveLength(1);
      expect(harness.failures).toMatchObject([{ outcome: 'cancel', nextAttemptAt: null }]);
      expect(harness.letters).toEqual([]);
    });

    it('ends an attempt that ignores its signal, and retries it', async () => {
      harness.jobs.work.timeoutMs = 50;
      harness.behave = ({ context }) => (context.attempt === 1 ? new Promise<void>(() => undefined) : undefined);
      await harness.startWorker({ abortGraceMs: 50 });
      await harness.producer.add(harness.jobs.work, testPayload());
      await until(() => harness.runs.length === 2);
      expect(harness.runs[0]?.context.signal.aborted).toBe(true);
      expect(harness.failures).toMatchObject([
        { outcome: 'retry', nextAttemptAt: expect.any(Date), error: { code: 'DEADLINE.EXCEEDED' } },
      ]);
    });

    it('drains on close: the running job ends well, the waiting one stays', async () => {
      let release: () => void = () => undefined;
      let done = false;
      harness.behave = async () => {
        await new Promise<void>((resolve) => (release = resolve));
        done = true;
      };
      const strategy = await harness.startWorker({ queues: { [harness.queue]: { concurrency: 1 } } });
      await harness.producer.add(harness.jobs.work, testPayload('first'));
      await harness.producer.add(harness.jobs.work, testPayload('second'));
      await until(() => harness.runs.length === 1);
      const closing = strategy.close();
      release();
      await closing;
      expect(done).toBe(true);
      expect(harness.failures).toEqual([]);
      expect(await harness.producer.counts(harness.queue)).toMatchObject({ waiting: 1, active: 0, failed: 0 });
    });

    it('keeps the job of one attempt that it waits for on close, however long that takes: no other worker finds it stalled', async () => {
      const stalled = { lockDurationMs: 1_500, intervalMs: 300 };
      let done = false;
      harness.behave = async () => {
        await sleep(3_500);
        done = true;
      };
      const closing = await harness.startWorker({ stalled, closeGraceMs: 10_000 }, 'old');
      await harness.producer.add(harness.jobs.once, testPayload());
      await until(() => harness.runs.length === 1);
      await harness.startWorker({ stalled }, 'new');
      await closing.close();
      expect(done).toBe(true);
      expect([harness.runs.length, harness.letters, harness.failures]).toEqual([1, [], []]);
    });

    it('hands a job that outlives the grace to the next worker, with its attempts', async () => {
      let isStopping = true;
      harness.behave = async ({ context }) => {
        if (!isStopping) return;
        await aborted(context.signal);
        throw new Error('aborted');
      };
      const strategy = await harness.startWorker({ closeGraceMs: 50 }, 'old');
      await harness.producer.add(harness.jobs.work, testPayload());
      await until(() => harness.runs.length === 1);
      await strategy.close();
      isStopping = false;
      await harness.startWorker({}, 'new');
      await until(() => harness.runs.length === 2);
      expect(harness.runs.map(({ worker, context }) => [worker, context.attempt])).toEqual([
        ['old', 1],
        ['new', 1],
      ]);
    });

    it.each(['work', 'once'] as const)('recovers the job "%s" of a dead worker by its stall rule', async (name) => {
      const job = harness.jobs[name];
      const dead = await startDyingWorker(job.queue, name === 'once' ? 0 : 2);
      try {
        await harness.producer.add(job, testPayload());
        await dead.taken;
        await harness.startWorker({ stalled: { lockDurationMs: 1_000, intervalMs: 200 } });
        await until(() => harness.runs.length + harness.letters.length > 0);
        expect(harness.runs).toHaveLength(name === 'work' ? 1 : 0);
        expect(harness.letters).toHaveLength(name === 'work' ? 0 : 1);
      } finally {
        await dead.bury();
      }
    });

    it('runs a job whose workers died three times', async () => {
      const dead: Awaited<ReturnType<typeof startDyingWorker>>[] = [];
      try {
        await harness.producer.add(harness.jobs.work, testPayload());
        for (let times = 0; times < 3; times += 1) {
          const worker = await startDyingWorker(harness.jobs.work.queue, 10);
          dead.push(worker);
          await worker.taken;
        }
        await harness.startWorker({ stalled: { lockDurationMs: 1_000, intervalMs: 200 } });
        await until(() => harness.runs.length + harness.letters.length > 0);
        expect([harness.runs.length, harness.letters]).toEqual([1, []]);
      } finally {
        for (const worker of dead) await worker.bury();
      }
    });

    it('runs handlers inside the given job context', async () => {
      const seen: string[] = [];
      await harness.startWorker({
        runInJobContext: async (context, run) => {
          seen.push(`before ${context.requestId}`);
          const result = await run();
          seen.push('after');
          return result;
        },
      });
      const payload = testPayload();
      await harness.producer.add(harness.jobs.work, payload);
      await until(() => seen.length === 2);
      expect(seen).toEqual([`before ${payload.requestId}`, 'after']);
    });

    /** Takes one job, then neither works nor renews its lock. */
    async function startDyingWorker(
      queue: string,
      maxStalledCount: number,
    ): Promise<{ taken: Promise<void>; bury: () => Promise<void> }> {
      await harness.producer.counts(queue);
      let onTaken: () => void = () => undefined;
      let letGo: () => void = () => undefined;
      const taken = new Promise<void>((resolve) => (onTaken = resolve));
      const held = new Promise<void>((resolve) => (letGo = resolve));
      const worker = openWorker(
        harness.backend,
        queue,
        async () => {
          // The lock is left to expire: what a killed process does.
          await stopRenewing();
          onTaken();
          await held;
        },
        { concurrency: 1, maxStalledCount, lockDurationMs: 300, stalledIntervalMs: 200 },
      );
      const stopRenewing = async (): Promise<void> => {
        // Nor does a dead worker look for stalled jobs.
        Reflect.set(worker, 'stalledCheckerGeneration', Infinity);
        const manager: unknown = Reflect.get(worker, 'lockManager');
        if (typeof manager === 'object' && manager !== null) await (manager as { close(): Promise<void> }).close();
      };
      worker.on('error', () => undefined);
      await worker.waitUntilReady();
      return {
        taken,
        bury: async () => {
          letGo();
          await worker.close(true);
        },
      };
    }
  });
}
