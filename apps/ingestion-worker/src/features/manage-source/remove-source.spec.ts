import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { removeSourceJob, type ItemJobPayload, type RemoveSourcePayload } from '@candor/contracts';
import { beginRemoval, findSourceOverview, purgeItem, readCredentials, type SourceOverview } from '@candor/persistence';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { SyncHarness } from '../sync-connector/testing/sync-harness.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;
const ITEMS = 210;

withPostgres('removing a source', () => {
  let test: TestDatabase;
  let harness: SyncHarness;
  const requestId = randomUuid();

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    harness = await SyncHarness.create(test.database);
    harness.connector.batchSize = 50;
    harness.limits.maxBatches = 100;
    for (let index = 0; index < ITEMS; index += 1) harness.connector.put(`item-${index}`);
    await harness.sync();
  });

  const begin = (): Promise<void> =>
    harness.database.transaction((transaction) =>
      beginRemoval(transaction, { tenantId: harness.tenant.id, sourceId: harness.sourceId, requestId, apiKeyId: null }),
    );
  const removeOnce = async (): Promise<boolean> => {
    const job = await harness.takeJob<RemoveSourcePayload>(removeSourceJob.name);
    if (!job) return false;
    await harness.removals.removeSlice(job);
    return true;
  };
  const removeAll = async (): Promise<void> => {
    while (await removeOnce());
  };
  const outrun = (): Promise<unknown> =>
    harness.query(`UPDATE source_connectors SET removal_lease = now() - interval '1 second' WHERE id = $1`, [
      harness.sourceId,
    ]);
  const overview = async (): Promise<SourceOverview> => {
    const viewer = { tenantId: harness.tenant.id, providers: null };
    const found = await harness.database.read((manager) => findSourceOverview(manager, viewer, harness.sourceId));
    if (!found) throw new Error('no source');
    return found;
  };
  /** As the delete-item stage does once the index holds nothing more of an item. */
  const purge = async (most = Infinity): Promise<string[]> => {
    const purged: string[] = [];
    while (purged.length < most) {
      const job = await harness.takeJob<ItemJobPayload>('item.delete');
      if (!job) break;
      await harness.database.transaction((transaction) => purgeItem(transaction, job, [harness.tenant.generationId]));
      purged.push(job.itemId);
    }
    return purged;
  };

  it('hides every item and erases the credentials in one commit', async () => {
    await begin();
    for (const item of (await harness.items()).values()) expect(item.deleted_at).not.toBeNull();
    expect(await harness.database.read((manager) => readCredentials(manager, harness.sourceId))).toBeNull();
    expect(await overview()).toMatchObject({
      state: 'deleting',
      credentialFields: [],
      credentialsKeyId: null,
      removalTotal: ITEMS,
      itemsRemaining: ITEMS,
      items: { total: 0, withheld: 0 },
    });
  });

  it('deletes item by item with progress, and certifies the end', async () => {
    await begin();
    await removeAll();
    expect(new Set(await purge(100)).size).toBe(100);
    expect(await overview()).toMatchObject({ state: 'deleting', removalTotal: ITEMS, itemsRemaining: ITEMS - 100 });
    await outrun();
    expect(await harness.sweeper.sweep()).toBe(1);
    await removeAll();
    expect((await overview()).state).toBe('deleting');
    await purge();
    await outrun();
    await harness.sweeper.sweep();
    await removeAll();
    expect(await overview()).toMatchObject({ state: 'deleted', itemsRemaining: 0 });
    const actions = await harness.auditActions();
    expect(actions.filter((action) => action === 'item.delete')).toHaveLength(ITEMS);
    expect(actions.filter((action) => action === 'source.removed')).toHaveLength(1);
  });

  it('survives the loss of its jobs', async () => {
    await begin();
    await harness.takeJob(removeSourceJob.name);
    expect(await harness.sweeper.sweep()).toBe(0);
    await outrun();
    expect(await harness.sweeper.sweep()).toBe(1);
    await removeAll();
    expect(await purge()).toHaveLength(ITEMS);
  });

  it('repeated, it begins anew under new job ids, and a late part of the first has nothing to do', async () => {
    await begin();
    const late = await harness.takeJob<RemoveSourcePayload>(removeSourceJob.name);
    await begin();
    if (!late) throw new Error('no job');
    await harness.removals.removeSlice(late);
    expect(await purge()).toEqual([]);
    await removeAll();
    expect(await purge()).toHaveLength(ITEMS);
    await outrun();
    await harness.sweeper.sweep();
    await removeAll();
    expect((await overview()).state).toBe('deleted');
    await begin();
    expect((await overview()).state).toBe('deleted');
    expect(await removeOnce()).toBe(false);
  });

  it('ends a run that is under way, which stores nothing more', async () => {
    harness.connector.put('late');
    const id = await harness.start();
    harness.connector.beforeBatch = begin;
    await harness.work();
    expect((await harness.run(id)).state).toBe('cancelled');
    expect((await harness.items()).has('late')).toBe(false);
  });

  it('takes along what was pushed under its id meanwhile', async () => {
    await begin();
    await harness.tenant.accept([
      {
        provider: 'notion',
        connectorId: harness.sourceId,
        sourceKind: 'document',
        externalId: 'pushed',
        title: 'Pushed',
        body: 'Pushed.',
        mimeType: 'text/plain',
      },
    ]);
    await removeAll();
    expect((await harness.items()).get('pushed')?.deleted_at).not.toBeNull();
    expect(await purge()).toHaveLength(ITEMS + 1);
  });
});
