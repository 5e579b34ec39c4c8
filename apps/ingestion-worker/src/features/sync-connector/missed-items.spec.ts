import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { markDeletedByCaller, tombstoneItem } from '@candor/persistence';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { SyncHarness } from './testing/sync-harness.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

withPostgres('items that a listing names and no change told of', () => {
  let test: TestDatabase;
  let harness: SyncHarness;
  /** Told by a listing from the beginning alone. */
  let toldAnew: string[];

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    harness = await SyncHarness.create(test.database);
    toldAnew = [];
    const { connector } = harness;
    harness.open = () => ({
      provider: connector.provider,
      check: () => connector.check(),
      listIds: () => connector.listIds(),
      changes: (cursor, signal) => {
        if (cursor === null) toldAnew.forEach((id) => connector.put(id));
        return connector.changes(cursor, signal);
      },
    });
    connector.put('a');
    await harness.sync();
  });

  const countFullRuns = async (): Promise<number> => {
    const rows = await harness.query(`SELECT 1 FROM sync_runs WHERE source_id = $1 AND mode = 'full'`, [
      harness.sourceId,
    ]);
    return rows.length;
  };
  /** What happens in a day. */
  const passDay = async (): Promise<void> => {
    await harness.sync();
    await harness.sync('reconcile');
  };

  it('come with a full run, unless the next changes bring them', async () => {
    toldAnew = ['old'];
    harness.connector.alter('old', {});
    await harness.sync('reconcile');
    expect(await countFullRuns()).toBe(0);
    await passDay();
    expect(await countFullRuns()).toBe(1);
    expect([...(await harness.items()).keys()].sort()).toEqual(['a', 'old']);
    await passDay();
    await passDay();
    expect(await countFullRuns()).toBe(1);
    expect((await harness.source()).wantsFull).toBe(false);
  });

  it('are not asked for while no other run has gone through in between', async () => {
    harness.connector.alter('old', {});
    await harness.sync('reconcile');
    await harness.sync('reconcile');
    expect(await countFullRuns()).toBe(0);
  });

  it('are not asked for when they came by themselves', async () => {
    harness.connector.alter('new', {});
    await harness.sync('reconcile');
    harness.connector.put('new');
    await passDay();
    await passDay();
    expect(await countFullRuns()).toBe(0);
  });

  it('are asked for once when not even a full run brings them', async () => {
    harness.connector.alter('odd', {});
    for (let day = 0; day < 4; day += 1) await passDay();
    expect(await countFullRuns()).toBe(1);
  });

  it('are not asked for when they failed for good, a caller deleted them, or they are guesses', async () => {
    harness.connector.put('locked');
    harness.connector.loadErrors.set('locked', new AppError('CONNECTOR.ITEM_UNREADABLE'));
    harness.connector.put('unwanted');
    await harness.sync();
    const id = (await harness.items()).get('unwanted')?.id ?? '';
    await test.database.transaction(async (transaction) => {
      await tombstoneItem(transaction, harness.tenant.id, id);
      await markDeletedByCaller(transaction, harness.tenant.id, id);
    });
    harness.connector.listing = async function* () {
      yield ['a', 'locked', 'unwanted'];
      yield { ids: ['a/1', 'a/2'], areGuesses: true };
    };
    for (let day = 0; day < 3; day += 1) await passDay();
    expect(await countFullRuns()).toBe(0);
  });

  it('are read again one by one where the provider allows it', async () => {
    harness.open = null;
    harness.connector.alter('old', {});
    await harness.sync('reconcile');
    await passDay();
    expect(harness.connector.refreshes).toEqual([['old']]);
    expect([...(await harness.items()).keys()].sort()).toEqual(['a', 'old']);
    expect(await countFullRuns()).toBe(0);
  });
});
