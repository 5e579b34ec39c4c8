import { serviceViewer } from '../visibility.js';
import { beforeEach, expect, it, jest } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { AppError, type CollectionId, type IngestDocument } from '@candor/contracts';
import type { ItemVersionEntity } from '../entities/source-item.entity.js';
import { buildDocument, TestTenant } from '../testing.js';
import { insertCollection } from './collection.repository.js';
import { markDeletedByCaller } from './deleted-item.repository.js';
import { acceptDocuments } from './ingest.repository.js';
import { findIngestion } from './ingestion-status.repository.js';
import { failVersion, tombstoneItem } from './item-pipeline.repository.js';
import { findSourceItem, type SourceItemDetails } from './source-item.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

jest.setTimeout(60_000);

describeOnPostgres('acceptDocuments', (postgres) => {
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
  });

  const { query } = postgres;

  async function details(itemId: string): Promise<SourceItemDetails> {
    const found = await postgres.database.read((manager) => findSourceItem(manager, tenant.id, itemId));
    if (!found) throw new Error('not found');
    return found;
  }

  async function jobs(): Promise<{ job_name: string; payload: Record<string, unknown> }[]> {
    return query('SELECT job_name, payload FROM outbox WHERE tenant_id = $1 ORDER BY id', [tenant.id]);
  }

  async function statesOf(requestId: string): Promise<string[] | undefined> {
    const found = await postgres.database.read((manager) =>
      findIngestion(manager, serviceViewer(tenant.id), requestId),
    );
    return found?.items.map((item) => item.state);
  }

  /** Until so many sessions wait for a lock. */
  async function untilWaiting(count: number): Promise<void> {
    for (let waiting: unknown[] = []; waiting.length < count;) {
      waiting = await query(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
    }
  }

  it('stores a new document with its version, its job and its place in the request', async () => {
    const requestId = randomUuid();
    const document = buildDocument({
      provider: 'google_drive',
      sourceKind: 'file',
      title: 'Budget',
      body: 'All of it: 🙂',
      mimeType: 'text/markdown',
      url: 'https://drive.example/1',
      authorName: 'Ada',
      sourceCreatedAt: '2026-01-01T00:00:00Z',
      sourceUpdatedAt: '2026-01-02T01:00:00+01:00',
      syncedAt: '2026-01-03T00:00:00Z',
      validFrom: '2026-01-01T00:00:00Z',
      validUntil: '2027-01-01T00:00:00Z',
      supersedes: ['old-1', 'old-2'],
      tags: ['finance', 'q1'],
      connectorId: '5f0c5d1e-4f9b-4f7e-9a11-0c3f7f0f2a11',
      accessPolicy: { provider: 'google_drive', mode: 'acl', principals: ['user:ada@x.org', 'anyone'], driveId: 'd1' },
      metadata: { nested: { list: [1, null, 'x'] } },
    });
    const item = await tenant.acceptOne(document, requestId);

    expect(item).toEqual({
      externalId: document.externalId,
      provider: 'google_drive',
      itemId: expect.any(String),
      version: 1,
      status: 'accepted',
      change: 'content',
    });
    const stored = await details(item.itemId);
    expect(stored.item).toMatchObject({
      connectorId: document.connectorId,
      sourceKind: 'file',
      title: 'Budget',
      url: 'https://drive.example/1',
      authorName: 'Ada',
      sourceCreatedAt: new Date('2026-01-01T00:00:00Z'),
      sourceUpdatedAt: new Date('2026-01-02T00:00:00Z'),
      syncedAt: new Date('2026-01-03T00:00:00Z'),
      validFrom: new Date('2026-01-01T00:00:00Z'),
      validUntil: new Date('2027-01-01T00:00:00Z'),
      supersedes: ['old-1', 'old-2'],
      tags: ['finance', 'q1'],
      accessPolicy: document.accessPolicy,
      accessMode: 'acl',
      principals: ['user:ada@x.org', 'anyone'],
      metadata: { nested: { list: [1, null, 'x'] } },
      latestVersion: 1,
      liveVersion: null,
      deletedAt: null,
    });
    expect(stored.versions).toHaveLength(1);
    const [version] = await query<ItemVersionEntity>('SELECT * FROM item_versions WHERE item_id = $1', [item.itemId]);
    expect(version).toMatchObject({ body: 'All of it: 🙂', mime_type: 'text/markdown', state: 'accepted', epoch: 0 });
    expect(await jobs()).toEqual([
      {
        job_name: 'item.index',
        payload: { tenantId: tenant.id, requestId, itemId: item.itemId, version: 1, epoch: 0 },
      },
    ]);
    expect(await statesOf(requestId)).toEqual(['accepted']);
  });

  it('keeps an item without a policy as unknown, and tells an unknown sync time from an absent one', async () => {
    const unknown = await tenant.acceptOne(buildDocument({ syncedAt: null }));
    const absent = await tenant.acceptOne(buildDocument({ accessPolicy: null }));
    expect((await details(unknown.itemId)).item).toMatchObject({
      accessMode: 'unknown',
      accessPolicy: null,
      syncedAt: null,
    });
    expect((await details(absent.itemId)).item).toMatchObject({
      accessMode: 'unknown',
      accessPolicy: null,
      syncedAt: expect.any(Date),
    });
  });

  it('leaves out what a caller deleted of a source, and nothing else of the call', async () => {
    const connectorId = randomUuid();
    const kept = buildDocument({ connectorId });
    const gone = buildDocument({ connectorId });
    const loose = buildDocument();
    const before = await tenant.accept([gone, loose]);
    await postgres.database.transaction(async (transaction) => {
      for (const { itemId } of before) {
        await tombstoneItem(transaction, tenant.id, itemId);
        await markDeletedByCaller(transaction, tenant.id, itemId);
      }
    });
    const [first, second, third] = await tenant.accept([gone, kept, loose]);
    expect(first).toEqual({
      externalId: gone.externalId,
      provider: gone.provider,
      itemId: before[0]?.itemId,
      version: 1,
      status: 'skipped',
      change: 'none',
      isKeptDeleted: true,
    });
    expect(second).toMatchObject({ externalId: kept.externalId, change: 'content' });
    expect(third).toMatchObject({ externalId: loose.externalId, change: 'content' });
    expect(third?.itemId).not.toBe(before[1]?.itemId);
    const rows = await query('SELECT 1 FROM source_items WHERE tenant_id = $1', [tenant.id]);
    expect(rows).toHaveLength(4);
  });

  it('takes in again what a source deleted after a caller had deleted an earlier one', async () => {
    const document = buildDocument({ connectorId: randomUuid() });
    const { itemId } = await tenant.acceptOne(document);
    await tenant.tombstone(itemId);
    const again = await tenant.acceptOne(document);
    expect(again).toMatchObject({ change: 'content', version: 1 });
    // Told late of the former one; the newest tombstone is not a caller's.
    await postgres.database.transaction((transaction) => markDeletedByCaller(transaction, tenant.id, itemId));
    await tenant.tombstone(again.itemId);
    expect(await tenant.acceptOne(document)).toMatchObject({ change: 'content' });
  });

  it('skips the same document, and yet advances its sync time', async () => {
    const document = buildDocument({ syncedAt: '2026-01-01T00:00:00Z', metadata: { a: 1, b: 2 } });
    const first = await tenant.acceptOne(document);
    const requestId = randomUuid();
    const again = await tenant.acceptOne(
      { ...document, syncedAt: '2026-02-01T00:00:00Z', metadata: { b: 2, a: 1 } },
      requestId,
    );
    expect(again).toMatchObject({ itemId: first.itemId, version: 1, status: 'skipped', change: 'none' });
    const { item, versions } = await details(first.itemId);
    expect(item.syncedAt).toEqual(new Date('2026-02-01T00:00:00Z'));
    expect(versions).toHaveLength(1);
    expect(await jobs()).toHaveLength(1);
    expect(await statesOf(requestId)).toEqual(['skipped']);
  });

  it.each<[string, Partial<IngestDocument>]>([
    ['body', { body: 'other' }],
    ['title', { title: 'other' }],
    ['type', { mimeType: 'text/html' }],
  ])('makes a new version when the %s changed', async (_name, change) => {
    const document = buildDocument();
    const first = await tenant.acceptOne(document);
    const second = await tenant.acceptOne({ ...document, ...change });
    expect(second).toMatchObject({ itemId: first.itemId, version: 2, status: 'accepted', change: 'content' });
    expect((await jobs()).map((job) => [job.job_name, job.payload['version']])).toEqual([
      ['item.index', 1],
      ['item.index', 2],
    ]);
    // Back to what the first version said is a change as well.
    expect(await tenant.acceptOne(document)).toMatchObject({ version: 3, change: 'content' });
  });

  it.each<[string, Partial<IngestDocument>]>([
    ['access', { accessPolicy: { provider: 'slack', mode: 'acl', principals: ['channel:C1'] } }],
    ['tags', { tags: ['x'] }],
    ['url', { url: 'https://x.example/' }],
    ['validity', { validUntil: '2027-01-01T00:00:00Z' }],
    ['supersession', { supersedes: ['old'] }],
    ['metadata', { metadata: { room: 'x' } }],
  ])('refreshes the index without a new version when only the %s changed', async (_name, change) => {
    const document = buildDocument();
    const first = await tenant.acceptOne(document);
    const second = await tenant.acceptOne({ ...document, ...change });
    expect(second).toMatchObject({ itemId: first.itemId, version: 1, status: 'accepted', change: 'metadata' });
    const { item, versions } = await details(first.itemId);
    expect(versions).toHaveLength(1);
    expect((await jobs())[1]).toEqual({
      job_name: 'item.refresh-metadata',
      payload: expect.objectContaining({ itemId: first.itemId, version: 1, epoch: item.revision }),
    });
    // A job id of its own each time: queues ignore an id they have seen.
    await tenant.acceptOne(document);
    const epochs = (await jobs()).slice(1).map((job) => job.payload['epoch']);
    expect(new Set(epochs).size).toBe(2);
  });

  it('accepts the same content again after it failed', async () => {
    const document = buildDocument();
    const first = await tenant.acceptOne(document);
    await postgres.database.transaction((transaction) =>
      failVersion(transaction, tenant.job(first), new AppError('INTERNAL.UNEXPECTED')),
    );
    expect(await tenant.acceptOne(document)).toMatchObject({ itemId: first.itemId, version: 2, status: 'accepted' });
  });

  it('tells items apart by provider, connector and tenant', async () => {
    const document = buildDocument();
    const other = await TestTenant.create(postgres.database);
    const items = await Promise.all([
      tenant.acceptOne(document),
      tenant.acceptOne({ ...document, provider: 'notion' }),
      tenant.acceptOne({ ...document, connectorId: randomUuid() }),
      other.acceptOne(document),
    ]);
    expect(new Set(items.map((item) => item.itemId)).size).toBe(4);
    expect(await postgres.database.read((manager) => findSourceItem(manager, other.id, items[0].itemId))).toBeNull();
  });

  it('adds to collections of the tenant, and never takes out', async () => {
    const [mine, theirs] = await postgres.database.transaction(async (transaction) => [
      await insertCollection(transaction, tenant.id, { name: 'Mine' }),
      await insertCollection(transaction, (await TestTenant.create(postgres.database)).id, { name: 'Theirs' }),
    ]);
    const document = buildDocument({ collectionIds: [mine?.id, theirs?.id] as CollectionId[] });
    const item = await tenant.acceptOne(document);
    await tenant.acceptOne({ ...document, collectionIds: [] });
    await tenant.acceptOne(document);
    const rows = await query('SELECT collection_id, tenant_id FROM collection_items WHERE item_id = $1', [item.itemId]);
    expect(rows).toEqual([{ collection_id: mine?.id, tenant_id: tenant.id }]);
  });

  it('stores all documents of a call or none', async () => {
    const requestId = randomUuid();
    const good = buildDocument();
    const bad = buildDocument({ body: 'not storable: \0' });
    await expect(tenant.accept([good, bad], requestId)).rejects.toThrow();
    expect(await query('SELECT id FROM source_items WHERE tenant_id = $1', [tenant.id])).toEqual([]);
    expect(await jobs()).toEqual([]);
    expect(await statesOf(requestId)).toBeUndefined();
  });

  it('answers in the order of the call', async () => {
    const requestId = randomUuid();
    const documents = [
      buildDocument({ externalId: 'z' }),
      buildDocument({ externalId: 'a' }),
      buildDocument({ externalId: 'm' }),
    ];
    expect((await tenant.accept(documents, requestId)).map((item) => item.externalId)).toEqual(['z', 'a', 'm']);
  });

  describe('under a request id that was used before', () => {
    const [requestId, apiKeyId] = [randomUuid(), randomUuid()];
    const accept = (documents: IngestDocument[], key: string | null, options = {}): Promise<unknown> =>
      postgres.database.transaction((transaction) =>
        acceptDocuments(transaction, tenant.id, requestId, documents, key, options),
      );
    const namesOf = async (): Promise<string[] | undefined> => {
      const found = await postgres.database.read((manager) =>
        findIngestion(manager, serviceViewer(tenant.id), requestId),
      );
      return found?.items.map(({ externalId, version, state }) => `${externalId} ${version} ${state}`);
    };
    const named = (externalId: string, body = 'Text.'): IngestDocument => buildDocument({ externalId, body });

    it('goes on with what the same key made, with what changes nothing too', async () => {
      await accept([named('a'), named('b')], apiKeyId);
      await accept([named('b'), named('c')], apiKeyId);
      await accept([named('a', 'Newer.')], apiKeyId);
      expect(await namesOf()).toEqual(['a 1 accepted', 'b 1 accepted', 'b 1 skipped', 'c 1 accepted', 'a 2 accepted']);
    });

    it.each([
      ['another key', randomUuid(), apiKeyId],
      ['nobody', null, apiKeyId],
      ['a key, and now nobody does', apiKeyId, null],
      ['nobody, and now again', null, null],
    ])('is refused where that was %s', async (_, before, now) => {
      await accept([named('a')], before);
      await expect(accept([named('b')], now)).rejects.toMatchObject({
        code: 'RESOURCE.CONFLICT',
        message: 'An ingest request that was not made with this API key had this X-Request-Id.',
      });
      expect(await namesOf()).toEqual(['a 1 accepted']);
    });

    it('keeps all of several calls at once, a sync among them', async () => {
      const calls = Array.from({ length: 12 }, (_, index) =>
        accept([named(`n${index}`)], apiKeyId, { append: index % 2 === 0 }),
      );
      await Promise.all(calls);
      expect((await namesOf())?.sort()).toEqual(
        Array.from({ length: 12 }, (_, index) => `n${index} 1 accepted`).sort(),
      );
    });
  });

  it('takes concurrent calls with the same documents in any order: one item each', async () => {
    const documents = Array.from({ length: 30 }, (_value, index) => buildDocument({ externalId: `same-${index}` }));
    await tenant.accept(documents.slice(0, 10));
    const newer = documents.map((document) => ({ ...document, body: 'newer' }));
    const calls = await Promise.all([
      tenant.accept(documents),
      tenant.accept([...documents].reverse()),
      tenant.accept([...newer.slice(15), ...newer.slice(0, 15)]),
      tenant.accept([...newer].reverse()),
    ]);
    const ids = new Map<string, Set<string>>();
    for (const item of calls.flat()) {
      ids.set(item.externalId, (ids.get(item.externalId) ?? new Set()).add(item.itemId));
    }
    expect([...ids.values()].every((set) => set.size === 1)).toBe(true);
    const items = await query<{ latest: number; versions: number }>(
      `SELECT i.latest_version AS latest, count(*)::integer AS versions FROM source_items i
       JOIN item_versions v ON v.item_id = i.id WHERE i.tenant_id = $1 GROUP BY i.id`,
      [tenant.id],
    );
    expect(items).toHaveLength(30);
    expect(items.every((item) => item.latest === item.versions)).toBe(true);
  });

  it('never waits crosswise for a call with the same documents in another order', async () => {
    const documents = ['a', 'm', 'z'].map((externalId) => buildDocument({ externalId }));
    const calls: Promise<unknown>[] = [];
    const blocker = postgres.database.transaction(async (transaction) => {
      // Holds both calls in the middle of their inserts.
      await acceptDocuments(transaction, tenant.id, randomUuid(), documents.slice(1, 2));
      calls.push(tenant.accept(documents), tenant.accept([...documents].reverse()));
      await untilWaiting(2);
      throw new Error('let them go');
    });
    await expect(blocker).rejects.toThrow('let them go');
    await expect(Promise.all(calls)).resolves.toHaveLength(2);
  });

  it('makes a new item when the old one was deleted', async () => {
    const document = buildDocument();
    const first = await tenant.add(document);
    await tenant.tombstone(first.itemId);
    const second = await tenant.acceptOne(document);
    expect(second).toMatchObject({ version: 1, status: 'accepted' });
    expect(second.itemId).not.toBe(first.itemId);
    await tenant.purge(first);
    expect(await tenant.acceptOne(document)).toMatchObject({ itemId: second.itemId, status: 'skipped' });
  });

  it('makes a new item when the old one is being deleted at this moment', async () => {
    const document = buildDocument();
    const first = await tenant.add(document);
    let accepting: Promise<unknown> = Promise.resolve();
    await postgres.database.transaction(async (transaction) => {
      await transaction.query('SELECT id FROM source_items WHERE id = $1 FOR UPDATE', [first.itemId]);
      accepting = tenant.acceptOne(document);
      // The other call has found the old head and waits for its lock.
      await untilWaiting(1);
      await transaction.query('UPDATE source_items SET deleted_at = now() WHERE id = $1', [first.itemId]);
    });
    const second = await accepting;
    expect(second).toMatchObject({ version: 1, status: 'accepted' });
    expect(second).not.toMatchObject({ itemId: first.itemId });
  });

  it('takes the largest call: 500 documents, 20 MB', async () => {
    const body = 'The quick brown fox jumps over the lazy dog. '.repeat(950).slice(0, 41_900);
    const documents = Array.from({ length: 500 }, (_value, index) =>
      buildDocument({ externalId: `large-${index}`, body: `${index} ${body}` }),
    );
    const requestId = randomUuid();
    const items = await tenant.accept(documents, requestId);
    expect(items).toHaveLength(500);
    const [stored] = await query<{ bytes: string; jobs: string }>(
      `SELECT (SELECT sum(length(body)) FROM item_versions WHERE request_id = $1) AS bytes,
         (SELECT count(*) FROM outbox WHERE payload->>'requestId' = $1::text) AS jobs`,
      [requestId],
    );
    expect(Number(stored?.bytes)).toBeGreaterThan(20_000_000);
    expect(stored?.jobs).toBe('500');
  });

  it('refuses in the middle of a transaction without leaving a trace of it', async () => {
    await expect(
      postgres.database.transaction(async (transaction) => {
        await acceptDocuments(transaction, tenant.id, randomUuid(), [buildDocument()]);
        throw new Error('the audit event could not be written');
      }),
    ).rejects.toThrow('audit event');
    expect(await jobs()).toEqual([]);
  });
});
