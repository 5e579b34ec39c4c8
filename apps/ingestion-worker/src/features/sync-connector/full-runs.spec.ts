import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { cancelSyncRun, endActiveRun, wantFullRun } from '@candor/persistence';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { SyncHarness } from './testing/sync-harness.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

withPostgres('a full run', () => {
  let test: TestDatabase;
  let harness: SyncHarness;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    harness = await SyncHarness.create(test.database);
    for (const id of ['a', 'b', 'c']) harness.connector.put(id);
    await harness.sync();
    await test.database.transaction((transaction) => wantFullRun(transaction, harness.sourceId));
  });

  const isWanted = async (): Promise<boolean> => (await harness.source()).wantsFull;
  const cancel = (id: string): Promise<unknown> =>
    test.database.transaction((transaction) =>
      cancelSyncRun(transaction, { tenantId: harness.tenant.id, providers: null }, id),
    );

  it('is wanted until one begins, whatever other runs do', async () => {
    await harness.sync();
    await harness.sync('reconcile');
    expect(await isWanted()).toBe(true);
    await harness.start('full');
    expect(await isWanted()).toBe(false);
    await harness.work();
    expect(await isWanted()).toBe(false);
  });

  it('is wanted again for what it gave up on itself', async () => {
    harness.connector.batchSize = 10;
    harness.connector.put('b', { body: 'Another text.', revision: '2' });
    harness.connector.loadErrors.set('b', new AppError('CONNECTOR.UNAVAILABLE'));
    const run = await harness.workThrough(await harness.start('full'));
    expect(run).toMatchObject({ state: 'succeeded_with_errors', counts: { failed: 1 } });
    expect(await isWanted()).toBe(true);
    harness.connector.loadErrors.clear();
    expect(await harness.sync('full')).toMatchObject({ state: 'succeeded', counts: { accepted: 1 } });
    expect(await isWanted()).toBe(false);
  });

  it('that fails is still wanted', async () => {
    harness.refuse(new AppError('CONNECTOR.CREDENTIALS_REJECTED'));
    expect((await harness.sync('full')).state).toBe('failed');
    expect(await isWanted()).toBe(true);
  });

  it('that is cancelled before anybody works on it is still wanted', async () => {
    await cancel(await harness.start('full'));
    expect(await isWanted()).toBe(true);
  });

  it('that is cancelled while somebody works on it is still wanted', async () => {
    const id = await harness.start('full');
    harness.connector.beforeBatch = async () => {
      await cancel(id);
      expect(await isWanted()).toBe(false);
    };
    await harness.work();
    expect((await harness.run(id)).state).toBe('cancelled');
    expect(await isWanted()).toBe(true);
  });

  it('that is stopped from outside is still wanted', async () => {
    await harness.start('full');
    await test.database.transaction((transaction) => endActiveRun(transaction, harness.sourceId));
    expect(await isWanted()).toBe(true);
  });
});
