import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { AppError } from '@candor/contracts';
import { markDeletedByCaller, requestReread, tombstoneItem, tombstoneItems } from '@candor/persistence';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { SyncHarness } from './testing/sync-harness.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

withPostgres('an item of a source that was deleted', () => {
  let test: TestDatabase;
  let harness: SyncHarness;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    harness = await SyncHarness.create(test.database);
    harness.connector.put('a');
    harness.connector.put('b');
    await harness.sync();
    harness.connector.loads.length = 0;
  });

  async function deleteAsCaller(externalId: string): Promise<void> {
    const id = (await harness.items()).get(externalId)?.id ?? '';
    await test.database.transaction(async (transaction) => {
      await tombstoneItem(transaction, harness.tenant.id, id);
      await markDeletedByCaller(transaction, harness.tenant.id, id);
    });
  }

  /** As an event of its source does. */
  async function deleteByEvent(externalId: string): Promise<void> {
    const id = (await harness.items()).get(externalId)?.id ?? '';
    const request = { tenantId: harness.tenant.id, requestId: randomUUID() };
    await test.database.transaction((transaction) => tombstoneItems(transaction, request, [id]));
  }

  const living = async (): Promise<string[]> => {
    const rows = await harness.query<{ external_id: string }>(
      'SELECT external_id FROM source_items WHERE connector_id = $1 AND deleted_at IS NULL ORDER BY 1',
      [harness.sourceId],
    );
    return rows.map((row) => row.external_id);
  };

  it('by a caller stays so when its source names it again, unread and counted', async () => {
    await deleteAsCaller('a');
    harness.connector.put('a', { body: 'Another text.', revision: '2' });
    const run = await harness.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { listed: 1, accepted: 0, failed: 0, suppressed: 1 } });
    const full = await harness.sync('full');
    // Two changes of it are told again, in two batches.
    expect(full.counts).toMatchObject({ listed: 3, accepted: 0, unchanged: 1, suppressed: 2 });
    expect(await living()).toEqual(['b']);
    expect(harness.connector.loads).toEqual([]);
  });

  it('by a caller while a run reads it stays so too', async () => {
    const read = harness.connector.load.bind(harness.connector);
    harness.connector.load = async (externalId) => {
      await deleteAsCaller(externalId);
      return read(externalId);
    };
    harness.connector.put('a', { body: 'Another text.', revision: '2' });
    expect((await harness.sync()).counts).toMatchObject({ listed: 1, accepted: 0, suppressed: 1 });
    expect(await living()).toEqual(['b']);
  });

  it('by its source comes back when it is restored there', async () => {
    harness.connector.delete('a');
    expect((await harness.sync()).counts.deleted).toBe(1);
    harness.connector.put('a');
    expect((await harness.sync()).counts).toMatchObject({ accepted: 1, suppressed: 0 });
    expect(await living()).toEqual(['a', 'b']);
  });

  it('by a caller is no failure when it cannot be read', async () => {
    await deleteAsCaller('a');
    harness.connector.put('a', { revision: '2' });
    harness.connector.loadErrors.set('a', new AppError('CONNECTOR.ITEM_UNREADABLE'));
    expect((await harness.sync()).counts).toMatchObject({ failed: 0, suppressed: 1 });
  });

  describe('by an event, after a run has read it', () => {
    const OVERTAKEN = { listed: 1, accepted: 0, unchanged: 0, failed: 0, suppressed: 1 };

    it('stays so, and is counted', async () => {
      harness.connector.beforeBatch = () => deleteByEvent('a');
      harness.connector.put('a', { body: 'Another text.', revision: '2' });
      expect(await harness.sync()).toMatchObject({ state: 'succeeded', counts: OVERTAKEN });
      expect(await living()).toEqual(['b']);
    });

    it('stays so when nothing about it had changed', async () => {
      harness.connector.beforeBatch = () => deleteByEvent('a');
      harness.connector.put('a');
      expect(await harness.sync()).toMatchObject({ state: 'succeeded', counts: OVERTAKEN });
      expect(await living()).toEqual(['b']);
    });

    it('is no failure when its content could not be read', async () => {
      harness.connector.beforeBatch = () => deleteByEvent('a');
      harness.connector.put('a', { revision: '2' });
      harness.connector.loadErrors.set('a', new AppError('CONNECTOR.ITEM_UNREADABLE'));
      expect(await harness.sync()).toMatchObject({ state: 'succeeded', counts: OVERTAKEN });
    });

    it('stays so when it was read again', async () => {
      await test.database.transaction((transaction) => requestReread(transaction, harness.sourceId, 'a'));
      harness.connector.alter('a', { body: 'Another text.', revision: '2' });
      harness.connector.beforeRefresh = () => deleteByEvent('a');
      expect((await harness.sync()).counts).toMatchObject(OVERTAKEN);
      expect(await living()).toEqual(['b']);
    });

    it('comes back with a batch that is read later', async () => {
      harness.connector.batchSize = 1;
      harness.connector.put('b', { body: 'Another text.', revision: '2' });
      harness.connector.put('a', { body: 'Another text.', revision: '2' });
      let batches = 0;
      harness.connector.beforeBatch = async () => {
        batches += 1;
        if (batches === 1) await deleteByEvent('a');
      };
      expect((await harness.sync()).counts).toMatchObject({ listed: 2, accepted: 2, suppressed: 0 });
      expect(await living()).toEqual(['a', 'b']);
    });
  });
});
