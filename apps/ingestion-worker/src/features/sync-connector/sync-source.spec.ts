import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, syncSourceJob, type AccessPolicy } from '@candor/contracts';
import { requestReread } from '@candor/persistence';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { createLogger } from '@candor/runtime';
import { RecordDeadLetterService } from '../../dead-letters/record-dead-letter.service.js';
import { SyncHarness } from './testing/sync-harness.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;
const ACL: AccessPolicy = { provider: 'notion', mode: 'acl', principals: ['user:ada@example.org'] };

withPostgres('a sync', () => {
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

  it('takes in everything with its url, author and policy, and says so', async () => {
    put('a', 'b', 'c');
    harness.connector.put('d', { accessPolicy: null });
    const run = await harness.sync();
    expect(run).toMatchObject({
      state: 'succeeded',
      counts: { listed: 4, accepted: 4, unchanged: 0, metadata: 0, deleted: 0, failed: 0, withheld: 1 },
    });
    const items = await harness.items();
    expect([...items.keys()].sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(items.get('a')).toMatchObject({
      title: 'Title of a',
      url: 'https://notes.example.org/a',
      author_name: 'Ada',
      access_mode: 'provider_scope',
      latest_version: 1,
    });
    expect(items.get('d')).toMatchObject({ access_mode: 'unknown' });
    const source = await harness.source();
    expect(source.lastSuccessAt).not.toBeNull();
    expect(source.lastError).toBeNull();
    expect(await harness.auditActions()).toEqual([...Array<string>(4).fill('item.accept'), 'source.sync']);
    const rows = await harness.query('SELECT 1 FROM ingestion_items WHERE request_id = $1', [run.id]);
    expect(rows).toHaveLength(4);
  });

  it('takes in nothing the second time, and the items are as fresh as the run', async () => {
    put('a', 'b', 'c');
    await harness.sync();
    const before = await harness.items();
    const reads = harness.connector.loads.length;
    const run = await harness.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { listed: 0, accepted: 0, failed: 0 } });
    expect(harness.connector.loads).toHaveLength(reads);
    const after = await harness.items();
    for (const [id, item] of after) {
      expect(item.latest_version).toBe(1);
      expect(item.synced_at.getTime()).toBeGreaterThan(before.get(id)?.synced_at.getTime() ?? Infinity);
    }
  });

  it('a full run names everything again and reads nothing whose mark is known', async () => {
    put('a', 'b', 'c');
    await harness.sync();
    const reads = harness.connector.loads.length;
    const run = await harness.sync('full');
    expect(run).toMatchObject({ state: 'succeeded', counts: { listed: 3, accepted: 0, unchanged: 3 } });
    expect(harness.connector.loads).toHaveLength(reads);
    expect((await harness.source()).lastReconciledAt).not.toBeNull();
  });

  it('reads one item that was edited, and only that', async () => {
    put('a', 'b', 'c');
    await harness.sync();
    harness.connector.loads.length = 0;
    harness.connector.put('b', { body: 'Another text.', revision: '2' });
    const run = await harness.sync();
    expect(run.counts).toMatchObject({ accepted: 1, unchanged: 0 });
    expect(harness.connector.loads).toEqual(['b']);
    expect((await harness.items()).get('b')?.latest_version).toBe(2);
    expect(await harness.bodies('b')).toEqual(['Text of b.', 'Another text.']);
  });

  it('takes a changed policy over without reading or versioning anything', async () => {
    put('a');
    await harness.sync();
    harness.connector.loads.length = 0;
    harness.connector.put('a', { accessPolicy: ACL });
    const run = await harness.sync();
    expect(run.counts).toMatchObject({ accepted: 0, metadata: 1 });
    expect(harness.connector.loads).toEqual([]);
    expect((await harness.items()).get('a')).toMatchObject({
      latest_version: 1,
      access_mode: 'acl',
      principals: ['user:ada@example.org'],
    });
    expect(await harness.takeJob('item.refresh-metadata')).not.toBeNull();
  });

  it('gives a renamed item a version of its stored content, without reading it again', async () => {
    put('a');
    await harness.sync();
    harness.connector.loads.length = 0;
    harness.connector.put('a', { title: 'New name' });
    expect((await harness.sync()).counts).toMatchObject({ accepted: 1 });
    expect(harness.connector.loads).toEqual([]);
    expect(await harness.bodies('a')).toEqual(['Text of a.', 'Text of a.']);
    expect((await harness.items()).get('a')).toMatchObject({ title: 'New name', latest_version: 2 });
  });

  it('does the same for a file', async () => {
    harness.connector.file = { kind: 'file', name: 'a.txt', mediaType: 'text/plain', bytes: Buffer.from('bytes') };
    put('a');
    await harness.sync();
    harness.connector.loads.length = 0;
    harness.connector.put('a', { title: 'New name' });
    await harness.sync();
    expect(harness.connector.loads).toEqual([]);
    const files = await harness.query<{ bytes: Buffer }>('SELECT bytes FROM item_files WHERE tenant_id = $1', [
      harness.tenant.id,
    ]);
    expect(files.map(({ bytes }) => bytes.toString())).toEqual(['bytes', 'bytes']);
  });

  it('leaves content alone that could not be read, until it changes or everything is listed anew', async () => {
    put('a');
    await harness.sync();
    const fail = () =>
      harness.query(`UPDATE item_versions SET state = 'failed' WHERE tenant_id = $1`, [harness.tenant.id]);
    await fail();
    harness.connector.loads.length = 0;
    harness.connector.put('a');
    expect((await harness.sync()).counts).toMatchObject({ accepted: 0, unchanged: 1 });
    expect(harness.connector.loads).toEqual([]);
    expect((await harness.sync('full')).counts).toMatchObject({ accepted: 1 });
    await fail();
    harness.connector.put('a', { revision: '2' });
    expect((await harness.sync()).counts).toMatchObject({ accepted: 1 });
    expect(harness.connector.loads).toEqual(['a', 'a']);
  });

  it('hides what was deleted and has it taken out of the index', async () => {
    put('a', 'b');
    await harness.sync();
    harness.connector.delete('a');
    const run = await harness.sync();
    expect(run.counts).toMatchObject({ deleted: 1, listed: 0 });
    const item = (await harness.items()).get('a');
    expect(item?.deleted_at).not.toBeNull();
    expect(await harness.takeJob('item.delete')).toMatchObject({ itemId: item?.id, requestId: run.id });
    expect(await harness.auditActions()).toContain('item.delete');
  });

  it('keeps what Postgres could not keep out, and all the rest as written', async () => {
    harness.connector.put('a', { title: ' \0 Naïve 🦙 ', body: 'x\0y \ud800 🦙' });
    harness.connector.put('b', { title: '   ', body: '' });
    expect((await harness.sync()).counts).toMatchObject({ accepted: 2, failed: 0 });
    expect(await harness.bodies('a')).toEqual(['x\u{FFFD}y \u{FFFD} 🦙']);
    expect((await harness.items()).get('a')?.title).toBe('\u{FFFD} Naïve 🦙');
    expect(await harness.bodies('b')).toEqual(['Untitled']);
  });

  describe('told by events', () => {
    const tell = (externalId: string): Promise<void> =>
      harness.database.transaction((transaction) => requestReread(transaction, harness.sourceId, externalId));
    beforeEach(async () => {
      put('a', 'b', 'c');
      await harness.sync();
      harness.connector.alter('a', { body: 'Changed unseen.', revision: '2' });
      harness.connector.vanish('b');
    });

    it('reads these items again, however long ago the changes passed them by', async () => {
      expect((await harness.sync()).counts).toMatchObject({ listed: 0, deleted: 0 });
      await tell('a');
      await tell('b');
      await tell('stranger');
      expect((await harness.sync()).counts).toMatchObject({ accepted: 1, deleted: 1 });
      expect(await harness.bodies('a')).toEqual(['Text of a.', 'Changed unseen.']);
      expect((await harness.items()).get('b')?.deleted_at).not.toBeNull();
      await harness.sync();
      expect(harness.connector.refreshes).toEqual([['a', 'b', 'stranger']]);
    });

    it('reads them once more when another event comes meanwhile', async () => {
      await tell('a');
      harness.connector.beforeBatch = () => tell('a');
      await harness.sync();
      harness.connector.beforeBatch = () => undefined;
      await harness.sync();
      await harness.sync();
      expect(harness.connector.refreshes).toEqual([['a'], ['a']]);
    });
  });

  it('stores large content as it comes, and the cursor with the last of it', async () => {
    harness.limits.maxBytes = 10;
    harness.limits.loadConcurrency = 1;
    harness.connector.batchSize = 4;
    put('a', 'b', 'c', 'd');
    harness.connector.loadErrors.set('d', new AppError('CONNECTOR.UNAVAILABLE'));
    const id = await harness.start();
    await harness.work();
    expect((await harness.items()).size).toBe(3);
    harness.connector.loadErrors.clear();
    await harness.outrunLease();
    await harness.sweeper.sweep();
    await harness.work();
    expect(await harness.run(id)).toMatchObject({ state: 'succeeded', counts: { accepted: 4 } });
    expect(harness.connector.loads).toEqual(['a', 'b', 'c', 'd', 'd']);
  });

  it('leaves out what keeps a large batch from its end, however often the rest of it is stored', async () => {
    harness.limits.maxBytes = 10;
    harness.limits.loadConcurrency = 1;
    harness.connector.batchSize = 4;
    harness.connector.put('a', { revision: null });
    put('b', 'c');
    harness.connector.loadErrors.set('c', new AppError('CONNECTOR.UNAVAILABLE'));
    const run = await harness.workThrough(await harness.start());
    expect(run).toMatchObject({ state: 'succeeded_with_errors', counts: { accepted: 2, failed: 1 } });
  });

  it('refuses ids that cannot be kept, one by one', async () => {
    put('a', 'b\0', ' ', 'x'.repeat(513));
    harness.connector.delete('gone\0');
    const run = await harness.sync();
    expect(run).toMatchObject({ state: 'succeeded_with_errors', counts: { accepted: 1, failed: 3, deleted: 0 } });
    expect((await harness.failures(run.id)).map(({ externalId }) => externalId)).toContain('b\u{FFFD}');
    expect((await harness.sync('reconcile')).state).toBe('succeeded');
  });

  describe('with a provider in trouble', () => {
    it('waits while it is rate limited, and goes on by itself', async () => {
      put('a');
      harness.refuse(new AppError('CONNECTOR.RATE_LIMITED', { retryAfterSeconds: 7 }));
      const id = await harness.start();
      await harness.work();
      const waiting = await harness.run(id);
      expect(waiting).toMatchObject({
        state: 'running',
        error: null,
        waiting: { error: { type: 'CONNECTOR.RATE_LIMITED' } },
      });
      const [row] = await harness.query<{ seconds: string }>(
        'SELECT extract(epoch FROM waiting_until - now()) AS seconds FROM sync_runs WHERE id = $1',
        [id],
      );
      expect(Number(row?.seconds)).toBeGreaterThan(5);
      expect(Number(row?.seconds)).toBeLessThanOrEqual(7);
      expect(await harness.sweeper.sweep()).toBe(0);
      await harness.outrunLease();
      expect(await harness.sweeper.sweep()).toBe(1);
      await harness.work();
      expect(await harness.run(id)).toMatchObject({ state: 'succeeded', waiting: null });
    });

    it('ends with a clear error when the credentials are rejected', async () => {
      harness.refuse(new AppError('CONNECTOR.CREDENTIALS_REJECTED'));
      const run = await harness.sync();
      expect(run).toMatchObject({ state: 'failed', error: { type: 'CONNECTOR.CREDENTIALS_REJECTED' } });
      expect((await harness.source()).lastError).toMatchObject({ type: 'CONNECTOR.CREDENTIALS_REJECTED' });
      await harness.sync();
      expect((await harness.source()).lastError).toBeNull();
    });

    it('ends when its tenant has no more room, and goes on from there when there is some', async () => {
      const setItems = (items: number): Promise<unknown> =>
        harness.query('UPDATE tenants SET quotas = $2 WHERE id = $1', [harness.tenant.id, JSON.stringify({ items })]);
      put('a', 'b', 'c');
      await setItems(1);
      const refused = await harness.sync();
      expect(refused).toMatchObject({ state: 'failed', error: { type: 'QUOTA.EXCEEDED' } });
      expect((await harness.source()).lastError).toMatchObject({ type: 'QUOTA.EXCEEDED' });
      expect((await harness.items()).size).toBeLessThanOrEqual(1);
      await setItems(3);
      expect(await harness.sync()).toMatchObject({ state: 'succeeded' });
      expect([...(await harness.items()).keys()].sort()).toEqual(['a', 'b', 'c']);
    });

    it('gives up on one that cannot be reached, after a while', async () => {
      const id = await harness.start();
      for (let attempt = 0; attempt <= harness.limits.maxRetries; attempt += 1) {
        harness.refuse(new AppError('CONNECTOR.UNAVAILABLE'));
        expect((await harness.run(id)).state).toBe(attempt === 0 ? 'queued' : 'running');
        await harness.work();
        await harness.outrunLease();
        await harness.sweeper.sweep();
      }
      expect(await harness.run(id)).toMatchObject({ state: 'failed', error: { type: 'CONNECTOR.UNAVAILABLE' } });
    });

    it('ends when its job does, for whatever reason', async () => {
      const id = await harness.start();
      const payload = await harness.takeJob(syncSourceJob.name);
      const error = { type: 'DEADLINE.EXCEEDED', message: 'Too late.' };
      const { name: job, queue } = syncSourceJob;
      const letters = new RecordDeadLetterService(harness.database, createLogger('test', { level: 'fatal' }));
      await letters.record({ job, jobId: 'x', queue, payload, error, attemptsMade: 8 });
      expect(await harness.run(id)).toMatchObject({ state: 'failed', error });
      expect(await harness.auditActions()).toEqual(['source.sync']);
    });

    it('records an item that cannot be read, and goes on', async () => {
      put('a', 'b', 'c');
      harness.connector.loadErrors.set('b', new AppError('CONNECTOR.ITEM_UNREADABLE', { message: 'Locked.' }));
      const run = await harness.sync();
      expect(run).toMatchObject({ state: 'succeeded_with_errors', counts: { listed: 3, accepted: 2, failed: 1 } });
      expect(await harness.failures(run.id)).toEqual([
        { externalId: 'b', title: 'Title of b', error: { type: 'CONNECTOR.ITEM_UNREADABLE', message: 'Locked.' } },
      ]);
      expect((await harness.source()).wantsFull).toBe(false);
    });

    it('leaves an item out that keeps the run from going on, and has it tried again by a full run', async () => {
      put('a', 'b', 'c');
      harness.connector.loadErrors.set('b', new AppError('CONNECTOR.UNAVAILABLE'));
      const id = await harness.start();
      for (let attempt = 0; attempt <= harness.limits.patienceWithItem; attempt += 1) {
        expect((await harness.run(id)).counts.failed).toBe(0);
        await harness.work();
        await harness.outrunLease();
        await harness.sweeper.sweep();
      }
      await harness.work();
      expect(await harness.run(id)).toMatchObject({
        state: 'succeeded_with_errors',
        counts: { accepted: 2, failed: 1 },
      });
      expect((await harness.source()).wantsFull).toBe(true);
      harness.connector.loadErrors.clear();
      expect((await harness.sync('full')).counts).toMatchObject({ accepted: 1, unchanged: 2 });
      expect((await harness.source()).wantsFull).toBe(false);
    });

    it('counts all failures and keeps the first', async () => {
      harness.connector.batchSize = 300;
      for (let index = 0; index < 250; index += 1) {
        harness.connector.put(`item-${index}`);
        harness.connector.loadErrors.set(`item-${index}`, new AppError('CONNECTOR.ITEM_UNREADABLE'));
      }
      const run = await harness.sync();
      expect(run.counts.failed).toBe(250);
      expect(await harness.failures(run.id)).toHaveLength(200);
    });

    it('an item whose facts break the contract is a failure of that item', async () => {
      put('a');
      harness.connector.put('b', { url: 'javascript:alert(1)' });
      harness.connector.put('c', { accessPolicy: { provider: 'slack', mode: 'provider_scope' } });
      const run = await harness.sync();
      expect(run).toMatchObject({ state: 'succeeded_with_errors', counts: { accepted: 1, failed: 2 } });
    });
  });
});
