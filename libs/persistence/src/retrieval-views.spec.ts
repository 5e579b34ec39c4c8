import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import type { CollectionId } from '@candor/contracts';
import { Database } from './database.js';
import type { ApiKeyEntity } from './entities/api-key.entity.js';
import { RetrievalViews, type ItemHead, type Recheck } from './retrieval-views.js';
import { insertCollection } from './repositories/collection.repository.js';
import { failVersion } from './repositories/item-pipeline.repository.js';
import { revokeApiKey } from './repositories/api-key.repository.js';
import { buildChunk, buildDocument, TestTenant } from './testing.js';
import { AppError } from '@candor/contracts';
import { describeOnPostgres } from './testing/describe-on-postgres.js';

type Version = { itemId: string; version: number };

describeOnPostgres('RetrievalViews', (postgres) => {
  let reader: Database;
  let views: RetrievalViews;
  let tenant: TestTenant;
  let key: ApiKeyEntity;

  beforeAll(async () => {
    reader = new Database({ url: postgres.url, applicationName: 'views', readOnly: true, unscoped: 'owner' });
    views = new RetrievalViews(reader);
  });
  afterAll(() => reader.close());
  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
    key = await tenant.addKey();
  });

  const { query } = postgres;
  const recheck = (items: Version[], knownAsOf?: string): Promise<Recheck> =>
    views.recheck(
      key.id,
      items.map(({ itemId, version }) => ({ itemId, version })),
      knownAsOf,
    );
  const headOf = async (item: Version, knownAsOf?: string): Promise<ItemHead | undefined> =>
    (await recheck([item], knownAsOf)).heads.get(`${item.itemId}:${item.version}`);
  const recordedAt = (item: Version, at: string): Promise<unknown> =>
    query('UPDATE item_versions SET recorded_at = $3 WHERE item_id = $1 AND version = $2', [
      item.itemId,
      item.version,
      at,
    ]);

  const declaredAt = (item: Version, at: string): Promise<unknown> =>
    query('UPDATE item_declarations SET known_from = $2 WHERE item_id = $1 AND known_until IS NULL', [item.itemId, at]);

  describe('recheck', () => {
    it('says what holds now for the key and for each candidate', async () => {
      const item = await tenant.add(
        buildDocument({
          title: 'Plan',
          url: 'https://x.example/',
          syncedAt: '2026-01-01T00:00:00Z',
          validUntil: '2027-01-01T00:00:00Z',
          accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:a@x.org'], channelId: 'C1' },
        }),
      );
      const result = await recheck([item, { itemId: randomUuid(), version: 1 }]);
      expect(result.key).toEqual({
        apiKeyId: key.id,
        tenantId: tenant.id,
        actorType: 'application',
        allowedActions: ['admin'],
        allowedProviders: null,
        principals: null,
      });
      expect([...result.heads]).toEqual([
        [
          `${item.itemId}:1`,
          {
            itemId: item.itemId,
            version: 1,
            title: 'Plan',
            url: 'https://x.example/',
            provider: 'slack',
            syncedAt: new Date('2026-01-01T00:00:00Z'),
            validFrom: null,
            validUntil: new Date('2027-01-01T00:00:00Z'),
            accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:a@x.org'], channelId: 'C1' },
            accessMode: 'acl',
            principals: ['user:a@x.org'],
            contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
            current: true,
            notYetKnown: false,
            superseded: false,
          },
        ],
      ]);
      expect(await recheck([])).toMatchObject({ key: result.key, heads: new Map() });
    });

    it('obeys a revocation, an expiry and a changed key with the very next call', async () => {
      const item = await tenant.add(buildDocument());
      await query(`UPDATE api_keys SET principals = '{user:a@x.org}', allowed_providers = '{}' WHERE id = $1`, [
        key.id,
      ]);
      expect((await recheck([item])).key).toMatchObject({ principals: ['user:a@x.org'], allowedProviders: [] });
      await query(`UPDATE api_keys SET expires_at = now() + interval '1 hour' WHERE id = $1`, [key.id]);
      expect(await views.readKey(key.id)).toMatchObject({ apiKeyId: key.id });
      await query(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`, [key.id]);
      expect(await recheck([item])).toEqual({ key: null, heads: new Map(), generation: null });
      expect(await views.readKey(key.id)).toBeNull();

      const other = await tenant.addKey();
      await postgres.database.transaction((transaction) => revokeApiKey(transaction, other.id));
      expect(await views.recheck(other.id, [item])).toEqual({ key: null, heads: new Map(), generation: null });
      expect(await views.readKey(other.id)).toBeNull();
      expect(await views.recheck(randomUuid(), [item])).toEqual({ key: null, heads: new Map(), generation: null });
    });

    it('knows no item that is deleted or of another tenant', async () => {
      const deleted = await tenant.add(buildDocument());
      await tenant.tombstone(deleted.itemId);
      const foreign = await (await TestTenant.create(postgres.database)).add(buildDocument());
      for (const knownAsOf of [undefined, '2099-01-01T00:00:00Z'])
        expect((await recheck([deleted, foreign], knownAsOf)).heads.size).toBe(0);
    });

    it('takes only the live version for current, and each with its own title', async () => {
      const document = buildDocument({ title: 'Before' });
      const old = await tenant.add(document);
      const accepted = await tenant.acceptOne({ ...document, title: 'After' });
      expect(await headOf(old)).toMatchObject({ current: true, title: 'Before' });
      expect(await headOf(accepted)).toMatchObject({ current: false });
      await tenant.index(accepted);
      expect(await headOf(old)).toMatchObject({ current: false, title: 'Before' });
      expect(await headOf(accepted)).toMatchObject({ current: true, title: 'After' });
    });

    it('answers as of a time in the past', async () => {
      const document = buildDocument();
      const old = await tenant.add(document);
      await recordedAt(old, '2026-01-01T00:00:00.500Z');
      const failed = await tenant.acceptOne({ ...document, body: 'unreadable' });
      await recordedAt(failed, '2026-01-15T00:00:00Z');
      await postgres.database.transaction((transaction) =>
        failVersion(transaction, tenant.job(failed), new AppError('INTERNAL.UNEXPECTED')),
      );
      const newer = await tenant.acceptOne({ ...document, body: 'newer' });
      await recordedAt(newer, '2026-02-01T00:00:00Z');
      await tenant.index(newer, 'newer');

      const at = async (knownAsOf: string): Promise<unknown[]> =>
        (await Promise.all([old, failed, newer].map((item) => headOf(item, knownAsOf)))).map((head) => [
          head?.current,
          head?.notYetKnown,
        ]);
      expect(await at('2025-12-31T00:00:00Z')).toEqual([
        [false, true],
        [false, true],
        [false, true],
      ]);
      expect(await at('2026-01-01T00:00:00.500Z')).toEqual([
        [true, false],
        [false, true],
        [false, true],
      ]);
      expect(await at('2026-01-20T00:00:00Z')).toEqual([
        [true, false],
        [false, false],
        [false, true],
      ]);
      expect(await at('2026-02-01T01:00:00+01:00')).toEqual([
        [false, false],
        [false, false],
        [true, false],
      ]);
    });

    it('finds a time that it told itself: recorded then, known then', async () => {
      const item = await tenant.add(buildDocument());
      const sql = 'SELECT recorded_at FROM item_versions WHERE item_id = $1';
      const [row] = await query<{ recorded_at: Date }>(sql, [item.itemId]);
      expect(await headOf(item, row?.recorded_at.toISOString())).toMatchObject({ current: true, notYetKnown: false });
    });

    it('marks what a live item of the same provider and connector replaces', async () => {
      const connectorId = randomUuid();
      const decision = buildDocument({ externalId: `decision-${randomUuid()}`, connectorId });
      const old = await tenant.add(decision);
      const replacing = { connectorId, supersedes: [decision.externalId] };
      const isSuperseded = async (knownAsOf?: string): Promise<boolean | undefined> =>
        (await headOf(old, knownAsOf))?.superseded;

      await tenant.add(buildDocument({ ...replacing, provider: 'notion' }));
      await tenant.add(buildDocument({ supersedes: [decision.externalId] }));
      await (await TestTenant.create(postgres.database)).add(buildDocument(replacing));
      expect(await isSuperseded()).toBe(false);

      const accepted = await tenant.acceptOne(buildDocument(replacing));
      expect(await isSuperseded()).toBe(false);
      await tenant.index(accepted);
      expect(await isSuperseded()).toBe(true);
      expect(await headOf(accepted)).toMatchObject({ superseded: false });
      await declaredAt(accepted, '2026-02-01T00:00:00Z');
      await recordedAt(accepted, '2026-02-01T00:00:00Z');
      expect(await isSuperseded('2026-01-31T00:00:00Z')).toBe(false);
      expect(await isSuperseded('2026-02-01T00:00:00Z')).toBe(true);
      await tenant.tombstone(accepted.itemId);
      expect(await isSuperseded()).toBe(false);
    });

    it('does not let an item replace itself', async () => {
      const externalId = `self-${randomUuid()}`;
      const item = await tenant.add(buildDocument({ externalId, supersedes: [externalId] }));
      expect(await headOf(item)).toMatchObject({ superseded: false, current: true });
    });
  });

  describe('readChunk', () => {
    it('cuts the text where the offsets say, surrogate pairs or not', async () => {
      const text = '🙂🙂 naïve 漢字 text';
      const item = await tenant.acceptOne(buildDocument());
      await tenant.extract(item, text);
      const whole = buildChunk(text, { sectionPath: ['A'], headingText: 'A' });
      const start = text.indexOf('naïve');
      const part = buildChunk(text, { ordinal: 1, level: 'paragraph', parentId: whole.id, start, end: start + 8 });
      await tenant.complete(item, [
        { ...whole, nextId: part.id },
        { ...part, previousId: whole.id },
      ]);

      expect(await views.readChunk(tenant.id, part.id)).toEqual({
        chunkId: part.id,
        itemId: item.itemId,
        version: 1,
        ordinal: 1,
        total: 2,
        level: 'paragraph',
        parentId: whole.id,
        previousId: whole.id,
        nextId: null,
        startIndex: start,
        endIndex: start + 8,
        sectionPath: [],
        headingText: null,
        content: 'naïve 漢字',
      });
      expect(await views.readChunk(tenant.id, whole.id)).toMatchObject({
        content: text,
        sectionPath: ['A'],
        headingText: 'A',
      });
    });

    it('keeps the chunks of older versions, and none of deleted items or other tenants', async () => {
      const document = buildDocument({ body: 'first' });
      const old = await tenant.add(document);
      const newer = await tenant.add({ ...document, body: 'second' });
      expect(await views.readChunk(tenant.id, old.chunkId)).toMatchObject({ content: 'first', version: 1 });
      expect(await views.readChunk(tenant.id, newer.chunkId)).toMatchObject({ content: 'second', version: 2 });
      expect(await views.readChunk(randomUuid(), newer.chunkId)).toBeNull();
      expect(await views.readChunk(tenant.id, randomUuid())).toBeNull();
      await tenant.tombstone(old.itemId);
      expect(await views.readChunk(tenant.id, old.chunkId)).toBeNull();
      expect(await views.readChunk(tenant.id, newer.chunkId)).toBeNull();
    });

    it('stays whole when an extraction runs again after the chunks were made', async () => {
      const item = await tenant.add(buildDocument({ body: 'first' }));
      await tenant.start(item, 'extracting');
      await tenant.saveText(item, '');
      expect(await views.readChunk(tenant.id, item.chunkId)).toMatchObject({ content: 'first' });
    });
  });

  it('names the live generation and the corpus in it', async () => {
    const empty = await views.liveGeneration(tenant.id);
    expect(empty).toEqual({
      id: tenant.generationId,
      name: 'g1-recipe-1',
      pipelineFingerprint: 'recipe-1',
      corpusFingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      embedding: null,
    });
    const key = await tenant.addKey();
    expect((await views.recheck(key.id, [])).generation).toEqual(empty);
    const item = await tenant.add(buildDocument());
    const live = await views.liveGeneration(tenant.id);
    expect(live?.corpusFingerprint).not.toBe(empty?.corpusFingerprint);
    const absent = { itemId: randomUuid(), version: 1 };
    expect((await views.recheck(key.id, [absent, { itemId: item.itemId, version: 1 }])).generation).toEqual(live);
    expect(await views.liveGeneration(randomUuid())).toBeNull();
    await query(`UPDATE generations SET status = 'retired' WHERE id = $1`, [tenant.generationId]);
    expect(await views.liveGeneration(tenant.id)).toBeNull();
    expect(await views.recheck(key.id, [])).toMatchObject({ key: { apiKeyId: key.id }, generation: null });
  });

  it('lists the items of a collection, and tells an empty one from none', async () => {
    const collection = await postgres.database.transaction((transaction) =>
      insertCollection(transaction, tenant.id, { name: 'Plans' }),
    );
    expect(await views.collectionItems(tenant.id, collection.id)).toEqual([]);
    const item = await tenant.acceptOne(buildDocument({ collectionIds: [collection.id as CollectionId] }));
    expect(await views.collectionItems(tenant.id, collection.id)).toEqual([item.itemId]);
    expect(await views.collectionItems(randomUuid(), collection.id)).toBeNull();
    expect(await views.collectionItems(tenant.id, randomUuid())).toBeNull();
  });
});
