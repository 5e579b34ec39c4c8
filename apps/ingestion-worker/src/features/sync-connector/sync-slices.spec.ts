import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { cancelSyncRun, LostLeaseError, updateSource } from '@candor/persistence';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { SyncHarness } from './testing/sync-harness.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

withPostgres('a sync in slices', () => {
  let test: TestDatabase;
  let harness: SyncHarness;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    harness = await SyncHarness.create(test.database);
  });

  const put = (...ids: string[]): void => ids.forEach((id) => harness.connector.put(id));
  const many = Array.from({ length: 11 }, (_, index) => `item-${index}`);

  it.each([
    [true, 3],
    [false, 4],
  ])('takes turns: a few batches a job, each job enqueues the next (last one marked: %s)', async (marksLast, jobs) => {
    put(...many);
    harness.connector.marksLast = marksLast;
    const id = await harness.start();
    expect(await harness.work()).toBe(jobs);
    expect(await harness.run(id)).toMatchObject({ state: 'succeeded', slice: jobs - 1, counts: { accepted: 11 } });
    expect([...(await harness.items()).keys()]).toHaveLength(11);
  });

  it('goes on from the last stored batch after a crash, and stores none twice', async () => {
    put(...many);
    harness.limits.maxBatches = 100;
    const id = await harness.start();
    const crash = new AbortController();
    let batches = 0;
    harness.connector.beforeBatch = () => {
      batches += 1;
      if (batches === 3) crash.abort(new AppError('DEADLINE.EXCEEDED'));
    };
    await expect(harness.workOnce(crash.signal)).rejects.toMatchObject({ code: 'DEADLINE.EXCEEDED' });
    expect(await harness.run(id)).toMatchObject({ state: 'running', counts: { accepted: 4 } });
    await harness.outrunLease();
    expect(await harness.sweeper.sweep()).toBe(1);
    await harness.work();
    expect(await harness.run(id)).toMatchObject({ state: 'succeeded', counts: { listed: 11, accepted: 11 } });
    expect(harness.connector.loads.toSorted()).toEqual(many.toSorted());
  });

  it('gives up on a provider that says the same again and gets no further', async () => {
    const { connector } = harness;
    const nothing = { items: [], deletedIds: [], failures: [] };
    harness.open = () => ({
      provider: connector.provider,
      check: () => connector.check(),
      listIds: () => connector.listIds(),
      changes: async function* () {
        yield { ...nothing, cursor: { position: 0 } };
        throw new AppError('CONNECTOR.UNAVAILABLE');
      },
    });
    expect(await harness.workThrough(await harness.start())).toMatchObject({ state: 'failed' });
  });

  it('leaves a run alone whose job the queue still has, and one whose worker is alive', async () => {
    put('a');
    const id = await harness.start();
    await harness.takeJob('source.sync');
    expect(await harness.sweeper.sweep()).toBe(0);
    await harness.outrunLease();
    harness.isPending = true;
    expect(await harness.sweeper.sweep()).toBe(0);
    harness.isPending = false;
    await harness.outrunLease();
    expect(await harness.sweeper.sweep()).toBe(1);
    await harness.work();
    expect((await harness.run(id)).state).toBe('succeeded');
  });

  it('has nothing to do for a slice that was done', async () => {
    put('a');
    const id = await harness.start();
    const job = await harness.takeJob<never>('source.sync');
    const signal = new AbortController().signal;
    await harness.processor.sync(job as never, { signal });
    await harness.processor.sync(job as never, { signal });
    expect((await harness.run(id)).counts.accepted).toBe(1);
  });

  it('a worker that was taken for dead stores nothing any more', async () => {
    put('a', 'b');
    await harness.start();
    const job = await harness.takeJob<never>('source.sync');
    const signal = new AbortController().signal;
    const first = await harness.slices.claim(job as never);
    const second = await harness.slices.claim(job as never);
    if (!first || !second) throw new Error('not claimed');
    await expect(harness.slices.work(first, signal)).rejects.toBeInstanceOf(LostLeaseError);
    expect((await harness.items()).size).toBe(0);
    expect(await harness.slices.work(second, signal)).toBe('done');
    expect((await harness.items()).size).toBe(2);
  });

  it('a cancel stops it at the next batch, and what was stored stays', async () => {
    put(...many);
    harness.limits.maxBatches = 100;
    const id = await harness.start();
    let batches = 0;
    harness.connector.beforeBatch = async () => {
      batches += 1;
      if (batches !== 3) return;
      await harness.database.transaction((transaction) =>
        cancelSyncRun(transaction, { tenantId: harness.tenant.id, providers: null }, id),
      );
    };
    await harness.work();
    expect(await harness.run(id)).toMatchObject({ state: 'cancelled', counts: { accepted: 4 } });
    expect((await harness.items()).size).toBe(4);
    harness.connector.beforeBatch = () => undefined;
    expect((await harness.sync()).counts).toMatchObject({ accepted: 7 });
  });

  it('a cancel reaches one that nobody works on at once', async () => {
    const id = await harness.start();
    const viewer = { tenantId: harness.tenant.id, providers: null };
    await harness.database.transaction((transaction) => cancelSyncRun(transaction, viewer, id));
    expect((await harness.run(id)).state).toBe('cancelled');
    await harness.work();
    expect((await harness.run(id)).counts.listed).toBe(0);
  });

  it('stops when its source is paused', async () => {
    put('a', 'b', 'c');
    const id = await harness.start();
    harness.connector.beforeBatch = () =>
      harness.database.transaction((transaction) => updateSource(transaction, harness.sourceId, { state: 'paused' }));
    await harness.work();
    expect((await harness.run(id)).state).toBe('cancelled');
    expect((await harness.items()).size).toBe(0);
  });
});
