import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { requestRereads } from '@candor/persistence';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { SyncHarness } from './testing/sync-harness.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;
const LIMITED = new AppError('CONNECTOR.RATE_LIMITED', { retryAfterSeconds: 60 });
const UNAVAILABLE = new AppError('CONNECTOR.UNAVAILABLE');

withPostgres('items that are to be read again', () => {
  let test: TestDatabase;
  let harness: SyncHarness;
  const ids = Array.from({ length: 10 }, (_, index) => `item-${index}`);

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    harness = await SyncHarness.create(test.database);
    harness.limits.rereadBatch = 3;
    for (const id of ids) harness.connector.put(id);
    await harness.sync();
    for (const id of ids) harness.connector.alter(id, { body: `Changed ${id}.`, revision: '2' });
  });

  const tell = (...externalIds: string[]): Promise<void> =>
    harness.database.transaction((transaction) => requestRereads(transaction, harness.sourceId, externalIds));
  const left = async (): Promise<string[]> => {
    const rows = await harness.query<{ external_id: string }>(
      'SELECT external_id FROM source_rereads WHERE source_id = $1 ORDER BY 1',
      [harness.sourceId],
    );
    return rows.map((row) => row.external_id);
  };
  const chunks = (): number[] => harness.connector.refreshes.map(({ length }) => length);

  it('are all read by one run, in as many slices as that takes', async () => {
    await tell(...ids);
    const run = await harness.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { accepted: 10, failed: 0 } });
    expect(run.slice).toBeGreaterThan(0);
    expect(chunks()).toEqual([3, 3, 3, 1]);
    expect(await left()).toEqual([]);
  });

  it('come before changes, which wait for the last of them', async () => {
    await tell(...ids);
    harness.connector.put('new');
    await harness.start();
    await harness.workOnce();
    expect((await harness.items()).has('new')).toBe(false);
    await harness.work();
    expect((await harness.items()).has('new')).toBe(true);
  });

  it('are done with for good when the provider asks for patience later', async () => {
    await tell(...ids);
    let allowed = 6;
    harness.connector.beforeRefresh = ({ length }) => {
      allowed -= length;
      if (allowed < 0) throw LIMITED;
    };
    const id = await harness.start();
    await harness.work();
    expect(await harness.run(id)).toMatchObject({ waiting: { error: { type: 'CONNECTOR.RATE_LIMITED' } } });
    expect(await left()).toHaveLength(4);
    allowed = 6;
    expect(await harness.workThrough(id)).toMatchObject({ state: 'succeeded', counts: { accepted: 10 } });
    expect(harness.connector.loads.slice(10).toSorted()).toEqual(ids.toSorted());
  });

  it('are done with part by part, as the connector tells them', async () => {
    await tell('item-0', 'item-1', 'item-2');
    harness.connector.splitRefresh = (externalIds) => externalIds.map((id) => [id]);
    harness.connector.beforeRefresh = ([id]) => {
      if (id === 'item-1') throw LIMITED;
    };
    await harness.start();
    await harness.work();
    expect(await left()).toEqual(['item-1', 'item-2']);
  });

  it('are asked for in smaller numbers where the provider allows so few requests, down to one', async () => {
    await tell('item-0', 'item-1');
    harness.connector.beforeRefresh = (externalIds) => {
      if (externalIds.length > 1) throw LIMITED;
    };
    const run = await harness.workThrough(await harness.start());
    expect(run).toMatchObject({ state: 'succeeded', counts: { accepted: 2, failed: 0 } });
    expect(await left()).toEqual([]);
  });

  it('are left to a full run when one alone takes more requests than the provider allows', async () => {
    await tell('item-0', 'item-1', 'item-2', 'item-3');
    harness.connector.beforeRefresh = (externalIds) => {
      if (externalIds.includes('item-1')) throw LIMITED;
    };
    const id = await harness.start();
    const run = await harness.workThrough(id);
    expect(run).toMatchObject({ state: 'succeeded_with_errors', counts: { accepted: 3, failed: 1 } });
    expect(await harness.failures(id)).toMatchObject([
      { externalId: 'item-1', error: { type: 'CONNECTOR.RATE_LIMITED' } },
    ]);
    expect((await harness.source()).wantsFull).toBe(true);
    expect(await left()).toEqual([]);
  });

  it('are given up one by one when they keep the run from going on, whatever else can be read', async () => {
    harness.connector.splitRefresh = (externalIds) => externalIds.map((id) => [id]);
    harness.connector.loadErrors.set('item-1', UNAVAILABLE);
    harness.connector.loadErrors.set('item-4', UNAVAILABLE);
    await tell(...ids);
    const id = await harness.start();
    const run = await harness.workThrough(id);
    expect(run).toMatchObject({ state: 'succeeded_with_errors', counts: { accepted: 8, failed: 2 } });
    expect((await harness.failures(id)).map(({ externalId }) => externalId)).toEqual(['item-1', 'item-4']);
    expect(await left()).toEqual([]);
  });

  it('make a run fail, and wait for the next one, while the provider cannot be reached', async () => {
    await tell(...ids);
    harness.connector.beforeRefresh = () => {
      throw UNAVAILABLE;
    };
    const run = await harness.workThrough(await harness.start());
    expect(run).toMatchObject({ state: 'failed', error: { type: 'CONNECTOR.UNAVAILABLE' } });
    expect(await left()).toHaveLength(10);
    harness.connector.beforeRefresh = () => undefined;
    expect(await harness.sync()).toMatchObject({ state: 'succeeded', counts: { accepted: 10 } });
  });

  describe('told of while the run is under way', () => {
    it('do not keep it from ending', async () => {
      await tell('item-0');
      harness.connector.beforeRefresh = (externalIds) => tell(...externalIds);
      expect(await harness.sync()).toMatchObject({ state: 'succeeded' });
      expect(await left()).toEqual(['item-0']);
    });

    it('are read between its batches', async () => {
      harness.limits.maxBatches = 1;
      const more = Array.from({ length: 6 }, (_, index) => `more-${index}`);
      for (const id of more) harness.connector.put(id);
      await harness.start();
      await harness.workOnce();
      await tell('item-0');
      await harness.workOnce();
      expect(harness.connector.refreshes).toEqual([['item-0']]);
      expect((await harness.items()).has('more-5')).toBe(false);
    });

    it('do not renew its patience with what it cannot get past', async () => {
      harness.connector.put('bad');
      harness.connector.loadErrors.set('bad', UNAVAILABLE);
      const id = await harness.start();
      for (const told of ids) {
        await harness.work();
        await tell(told);
        await harness.outrunLease();
        await harness.sweeper.sweep();
      }
      await harness.work();
      expect(await harness.run(id)).toMatchObject({ state: 'succeeded_with_errors', counts: { failed: 1 } });
      expect(await harness.failures(id)).toMatchObject([{ externalId: 'bad' }]);
    });
  });
});
