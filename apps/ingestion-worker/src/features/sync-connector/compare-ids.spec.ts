import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@candor/contracts';
import { cancelSyncRun } from '@candor/persistence';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { SyncHarness } from './testing/sync-harness.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

withPostgres('comparing all ids', () => {
  let test: TestDatabase;
  let harness: SyncHarness;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    harness = await SyncHarness.create(test.database);
    for (const id of ['a', 'b', 'c', 'd', 'e']) harness.connector.put(id);
    await harness.sync();
  });

  const present = async (): Promise<string[]> =>
    [...(await harness.items()).values()]
      .filter((item) => item.deleted_at === null)
      .map((item) => item.external_id)
      .sort();

  it.each(['reconcile', 'full'] as const)('finds what was deleted unseen (%s)', async (mode) => {
    harness.connector.vanish('b');
    harness.connector.vanish('d');
    harness.limits.deleteBatch = 1;
    expect((await harness.sync()).counts.deleted).toBe(0);
    const run = await harness.sync(mode);
    expect(run.state).toBe('succeeded');
    // A full run's journal names them as gone, a comparison finds them by itself.
    expect(run.counts.deleted).toBe(2);
    expect(await present()).toEqual(['a', 'c', 'e']);
    expect((await harness.source()).lastReconciledAt).not.toBeNull();
  });

  it('deletes nothing when the listing is empty, and says so', async () => {
    harness.connector.listing = async function* () {
      yield [];
    };
    const run = await harness.sync('reconcile');
    expect(run).toMatchObject({ state: 'failed', error: { type: 'CONNECTOR.LISTING_REFUSED' } });
    expect(await present()).toHaveLength(5);
    expect(await harness.source()).toMatchObject({
      lastReconciledAt: null,
      lastError: { type: 'CONNECTOR.LISTING_REFUSED' },
    });
  });

  it.each(['reconcile', 'full'] as const)(
    'judges only what the listing sees, and tells what it does not (%s)',
    async (mode) => {
      const failure = { externalId: 'scope', title: null, error: new AppError('CONNECTOR.ITEM_UNREADABLE') };
      harness.connector.listing = async function* () {
        yield ['a'];
        yield { onlyUnder: ['a', 'b'], failure };
      };
      const run = await harness.sync(mode);
      expect(run.state).toBe(mode === 'full' ? 'succeeded' : 'succeeded_with_errors');
      expect(await present()).toEqual(['a', 'c', 'd', 'e']);
      // A full run tells it with its changes, which this connector has nothing of.
      expect((await harness.failures(run.id)).map(({ externalId }) => externalId)).toEqual(
        mode === 'full' ? [] : ['scope'],
      );
    },
  );

  it('counts what is stored of a listing that names more than there is', async () => {
    harness.connector.listing = async function* () {
      yield ['a', 'b', 'c', 'd', 'x', 'y'];
    };
    expect((await harness.sync('reconcile')).counts).toMatchObject({ listed: 4, deleted: 1 });
  });

  it('deletes only what the provider confirms to be gone, and keeps the rest', async () => {
    harness.connector.listing = async function* () {
      yield ['a'];
    };
    const asked: string[] = [];
    harness.connector.confirmGone = async (ids) => {
      asked.push(...ids);
      return ids.filter((id) => id === 'd');
    };
    harness.limits.deleteBatch = 3;
    const run = await harness.sync('reconcile');
    expect(run).toMatchObject({ state: 'succeeded', counts: { deleted: 1 } });
    expect(asked.sort()).toEqual(['b', 'c', 'd', 'e']);
    expect(await present()).toEqual(['a', 'b', 'c', 'e']);
  });

  it('has new patience with each batch of them that it is through with', async () => {
    harness.connector.listing = async function* () {
      yield ['a'];
    };
    Object.assign(harness.limits, { deleteBatch: 1, maxRetries: 2 });
    let asked = 0;
    harness.connector.confirmGone = async (ids) => {
      asked += 1;
      if (asked % 2 === 1) throw new AppError('CONNECTOR.UNAVAILABLE');
      return [...ids].filter((id) => id !== 'c');
    };
    const run = await harness.workThrough(await harness.start('reconcile'));
    expect(run).toMatchObject({ state: 'succeeded', counts: { deleted: 3 } });
    expect(await present()).toEqual(['a', 'c']);
  });

  it('deletes nothing when the listing names only strangers', async () => {
    harness.connector.listing = async function* () {
      yield ['x', 'y'];
    };
    expect((await harness.sync('reconcile')).state).toBe('failed');
    expect(await present()).toHaveLength(5);
  });

  it('deletes nothing when the listing breaks off, and tries again', async () => {
    harness.connector.listing = async function* () {
      yield ['a'];
      throw new AppError('CONNECTOR.UNAVAILABLE');
    };
    const id = await harness.start('reconcile');
    await harness.work();
    expect((await harness.run(id)).waiting).not.toBeNull();
    expect(await present()).toHaveLength(5);
    harness.connector.listing = null;
    await harness.outrunLease();
    await harness.sweeper.sweep();
    await harness.work();
    expect(await harness.run(id)).toMatchObject({ state: 'succeeded', counts: { deleted: 0 } });
    expect(await present()).toHaveLength(5);
  });

  it('a cancel reaches it in the middle of a long listing', async () => {
    harness.limits.heartbeatMs = 10;
    let pages = 0;
    const id = await harness.start('reconcile');
    harness.connector.listing = async function* () {
      for (;;) {
        pages += 1;
        yield ['a'];
        if (pages === 2) {
          const viewer = { tenantId: harness.tenant.id, providers: null };
          await harness.database.transaction((transaction) => cancelSyncRun(transaction, viewer, id));
        }
        await delay(5);
      }
    };
    await harness.work();
    expect((await harness.run(id)).state).toBe('cancelled');
    expect(await present()).toHaveLength(5);
  });

  it('spares what was taken in while it listed', async () => {
    harness.connector.listing = async function* () {
      yield ['a', 'b', 'c', 'd', 'e'];
      await harness.tenant.accept([
        {
          provider: 'notion',
          connectorId: harness.sourceId,
          sourceKind: 'document',
          externalId: 'newcomer',
          title: 'New',
          body: 'New.',
          mimeType: 'text/plain',
        },
      ]);
    };
    await harness.sync('reconcile');
    expect(await present()).toContain('newcomer');
  });
});
