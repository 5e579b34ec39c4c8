import { randomUUID } from 'node:crypto';
import { AppError } from '@candor/contracts';
import { JobSchedules } from '../job-schedules.js';
import { QueueHarness, until } from './queue-harness.js';
import { isMissing, removeTestData, testBackends } from './test-backends.js';
import { testPayload } from './test-jobs.js';

for (const backend of testBackends()) {
  const suite = isMissing(backend) ? describe.skip : describe;
  suite(`Job schedules on ${backend.name}`, () => {
    let harness: QueueHarness;
    let schedules: JobSchedules;
    beforeEach(() => {
      if (!backend.options) throw new Error('unreachable');
      harness = new QueueHarness(backend.options);
      schedules = new JobSchedules(backend.options);
    });
    afterEach(async () => {
      await harness.close();
      await schedules.close();
    });
    afterAll(() => removeTestData(backend));

    const runsOf = (key: string): number => harness.runs.filter(({ payload }) => payload.key === key).length;

    it('runs the job again and again, from the given time on', async () => {
      await harness.startWorker();
      const first = testPayload();
      await schedules.upsert(harness.jobs.work, { id: 'a', everyMs: 300, firstAt: new Date() }, first);
      const later = testPayload();
      const firstAt = new Date(Date.now() + 3_600_000);
      await schedules.upsert(harness.jobs.work, { id: 'b', everyMs: 300, firstAt }, later);
      await until(() => runsOf(first.key) >= 3);
      expect(runsOf(later.key)).toBe(0);
      expect(harness.letters).toEqual([]);
    });

    it('goes on after a run that failed for good', async () => {
      harness.behave = () => {
        throw new AppError('EXTRACT.UNREADABLE');
      };
      await harness.startWorker();
      const payload = testPayload();
      await schedules.upsert(harness.jobs.work, { id: 'a', everyMs: 300, firstAt: new Date() }, payload);
      await until(() => harness.letters.length >= 2);
      expect(harness.letters[0]?.payload).toEqual(payload);
    });

    it('lists schedules, changes them and takes them away', async () => {
      const firstAt = new Date(Date.now() + 3_600_000);
      await schedules.upsert(harness.jobs.work, { id: 'a', everyMs: 60_000, firstAt }, testPayload());
      await schedules.upsert(harness.jobs.work, { id: 'b', everyMs: 60_000, firstAt }, testPayload());
      await schedules.upsert(harness.jobs.work, { id: 'a', everyMs: 120_000, firstAt }, testPayload());
      const sorted = (await schedules.list(harness.queue)).toSorted((left, right) => (left.id < right.id ? -1 : 1));
      expect(sorted).toEqual([
        { id: 'a', everyMs: 120_000 },
        { id: 'b', everyMs: 60_000 },
      ]);
      expect((await harness.producer.counts(harness.queue)).delayed).toBe(2);
      expect(await schedules.remove(harness.queue, 'a')).toBe(true);
      expect(await schedules.remove(harness.queue, 'a')).toBe(false);
      expect(await schedules.list(harness.queue)).toEqual([{ id: 'b', everyMs: 60_000 }]);
      expect((await harness.producer.counts(harness.queue)).delayed).toBe(1);
    });

    it('lists more than one page', async () => {
      const firstAt = new Date(Date.now() + 3_600_000);
      const ids = Array.from({ length: 205 }, () => randomUUID());
      for (const id of ids) await schedules.upsert(harness.jobs.work, { id, everyMs: 60_000, firstAt }, testPayload());
      expect(new Set((await schedules.list(harness.queue)).map(({ id }) => id))).toEqual(new Set(ids));
    });

    it('refuses a payload that breaks the contract', async () => {
      const broken = { ...testPayload(), tenantId: 'nobody' };
      await expect(
        schedules.upsert(harness.jobs.work, { id: 'a', everyMs: 60_000, firstAt: new Date() }, broken),
      ).rejects.toMatchObject({ code: 'JOB.INVALID_PAYLOAD' });
      expect(await schedules.list(harness.queue)).toEqual([]);
    });
  });
}

describe('Job schedules without a backend', () => {
  it('says within its time that the queue cannot be reached', async () => {
    const schedules = new JobSchedules({ kind: 'redis', url: 'redis://127.0.0.1:1' });
    try {
      await expect(schedules.list('nowhere')).rejects.toMatchObject({ code: 'DEPENDENCY.QUEUE_UNAVAILABLE' });
    } finally {
      await schedules.close();
    }
  });
});
