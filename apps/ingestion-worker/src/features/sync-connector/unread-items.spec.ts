import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, type AccessPolicy } from '@candor/contracts';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { SyncHarness } from './testing/sync-harness.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;
const ACL: AccessPolicy = { provider: 'notion', mode: 'acl', principals: ['user:ada@example.org'] };
const LOCKED = new AppError('CONNECTOR.ITEM_UNREADABLE', { message: 'Locked.' });

withPostgres('items whose content cannot be read', () => {
  let test: TestDatabase;
  let harness: SyncHarness;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    harness = await SyncHarness.create(test.database);
  });

  const syncedAt = async (id: string): Promise<number | undefined> =>
    (await harness.items()).get(id)?.synced_at.getTime();

  it('take over who may see them, and keep the text, title and mark that were read', async () => {
    harness.connector.put('a');
    await harness.sync();
    const before = await syncedAt('a');
    harness.connector.put('a', { title: 'New name', revision: '2', accessPolicy: ACL, authorName: 'Grace' });
    harness.connector.loadErrors.set('a', LOCKED);
    const run = await harness.sync();
    expect(run).toMatchObject({
      state: 'succeeded_with_errors',
      counts: { listed: 1, accepted: 0, metadata: 1, unchanged: 0, failed: 1 },
    });
    expect(await harness.failures(run.id)).toMatchObject([{ externalId: 'a', title: 'New name' }]);
    expect((await harness.items()).get('a')).toMatchObject({
      access_mode: 'acl',
      principals: ['user:ada@example.org'],
      author_name: 'Grace',
      title: 'Title of a',
      latest_version: 1,
    });
    expect(await syncedAt('a')).toBe(before);
    expect(await harness.takeJob('item.refresh-metadata')).not.toBeNull();
    harness.connector.loadErrors.clear();
    expect((await harness.sync('full')).counts).toMatchObject({ accepted: 1, failed: 0 });
    expect((await harness.items()).get('a')).toMatchObject({ title: 'New name', latest_version: 2 });
    expect(await syncedAt('a')).toBeGreaterThan(before ?? Infinity);
  });

  it('are withheld when their policy cannot be read either', async () => {
    harness.connector.put('a');
    await harness.sync();
    harness.connector.put('a', { revision: '2', accessPolicy: null });
    harness.connector.loadErrors.set('a', LOCKED);
    expect((await harness.sync()).counts).toMatchObject({ metadata: 1, failed: 1, withheld: 1 });
    expect((await harness.items()).get('a')).toMatchObject({ access_mode: 'unknown', principals: [] });
  });

  it('take over what can be kept of what the provider says, and are withheld when it is not the policy', async () => {
    harness.connector.put('a');
    await harness.sync();
    harness.connector.put('a', { revision: '2', url: 'javascript:alert(1)', accessPolicy: ACL });
    expect((await harness.sync()).counts).toMatchObject({ listed: 1, failed: 1, withheld: 0 });
    expect((await harness.items()).get('a')).toMatchObject({ access_mode: 'acl', url: null, author_name: 'Ada' });
    harness.connector.put('a', { revision: '3', accessPolicy: { provider: 'slack', mode: 'provider_scope' } });
    expect((await harness.sync()).counts).toMatchObject({ listed: 1, failed: 1, withheld: 1 });
    expect((await harness.items()).get('a')).toMatchObject({ access_mode: 'unknown' });
  });

  it('count once, as failed, when nothing else about them changed', async () => {
    harness.connector.put('a');
    await harness.sync();
    harness.connector.put('a', { revision: '2' });
    harness.connector.loadErrors.set('a', LOCKED);
    expect((await harness.sync()).counts).toMatchObject({ listed: 1, metadata: 0, unchanged: 0, failed: 1 });
  });

  it('stay as old as their text in later runs that do not name them, until they are read', async () => {
    harness.connector.put('a');
    harness.connector.put('b');
    await harness.sync();
    const before = { a: await syncedAt('a'), b: await syncedAt('b') };
    harness.connector.put('a', { revision: '2' });
    harness.connector.loadErrors.set('a', LOCKED);
    await harness.sync();
    await harness.sync();
    expect(await syncedAt('a')).toBe(before.a);
    expect(await syncedAt('b')).toBeGreaterThan(before.b ?? Infinity);
    harness.connector.loadErrors.clear();
    harness.connector.put('a', { revision: '3' });
    await harness.sync();
    const read = await syncedAt('a');
    expect(read).toBeGreaterThan(before.a ?? Infinity);
    await harness.sync();
    expect(await syncedAt('a')).toBeGreaterThan(read ?? Infinity);
  });

  it('stay so beyond the failures that are kept of a run', async () => {
    const ids = Array.from({ length: 210 }, (_, index) => `item-${index}`);
    harness.connector.batchSize = 300;
    ids.forEach((id) => harness.connector.put(id));
    await harness.sync();
    const before = await harness.items();
    for (const id of ids) {
      harness.connector.put(id, { revision: '2' });
      harness.connector.loadErrors.set(id, LOCKED);
    }
    expect((await harness.sync()).counts.failed).toBe(210);
    const after = await harness.items();
    for (const id of ids) expect(after.get(id)?.synced_at).toEqual(before.get(id)?.synced_at);
  });
});
