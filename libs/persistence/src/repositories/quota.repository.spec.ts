import { randomUUID } from 'node:crypto';
import type { QuotaLimits } from '@candor/contracts';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { buildDocument, TestTenant } from '../testing/test-tenant.js';
import { acceptDocuments } from './ingest.repository.js';
import {
  findQuotaLimits,
  foldUsage,
  limitOf,
  readStocks,
  saveQuotaLimits,
  withinStocks,
  type StockLimits,
} from './quota.repository.js';

describe('limitOf', () => {
  it.each<[QuotaLimits, QuotaLimits, number | null]>([
    [{}, {}, null],
    [{}, { items: 5 }, 5],
    [{ items: 3 }, { items: 5 }, 3],
    [{ items: null }, { items: 5 }, null],
    [{ items: 0 }, { items: 5 }, 0],
  ])('of %j with the default %j is %s', (own, defaults, limit) => expect(limitOf('items', own, defaults)).toBe(limit));
});

describeOnPostgres('quotas', (postgres) => {
  let tenant: TestTenant;
  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
  });

  const stocks = () => postgres.database.read((manager) => readStocks(manager, tenant.id));
  const store = (limits: StockLimits, count: number, fields: { body?: string; externalId?: string } = {}) =>
    postgres.database.transaction((transaction) =>
      withinStocks(transaction, tenant.id, limits, () =>
        acceptDocuments(
          transaction,
          tenant.id,
          randomUUID(),
          Array.from({ length: count }, () => buildDocument(fields)),
        ),
      ),
    );

  it('count items and bytes as they come and go, whoever stores them', async () => {
    expect(await stocks()).toEqual({ items: 0, storageBytes: 0, queuedIngestions: 0 });
    const [item] = await store({}, 1, { body: 'größer', externalId: 'a' });
    await store({}, 1, { body: 'other' });
    expect(await stocks()).toEqual({ items: 2, storageBytes: 8 + 5, queuedIngestions: 2 });
    if (!item) throw new Error('nothing was stored');
    await store({}, 1, { body: 'a second version', externalId: 'a' });
    expect(await stocks()).toMatchObject({ items: 2, storageBytes: 8 + 5 + 16 });
    await tenant.tombstone(item.itemId);
    expect(await stocks()).toMatchObject({ items: 1, storageBytes: 29 });
    await postgres.query('UPDATE item_versions SET body = NULL WHERE item_id = $1', [item.itemId]);
    expect(await stocks()).toMatchObject({ items: 1, storageBytes: 5 });
    await postgres.query('DELETE FROM ingestion_items WHERE tenant_id = $1', [tenant.id]);
    await postgres.query('DELETE FROM item_versions WHERE tenant_id = $1', [tenant.id]);
    await postgres.query('DELETE FROM source_items WHERE tenant_id = $1', [tenant.id]);
    expect(await stocks()).toEqual({ items: 0, storageBytes: 0, queuedIngestions: 0 });
  });

  it('count files by their bytes', async () => {
    await postgres.query(
      `WITH i AS (INSERT INTO source_items (id, tenant_id, provider, external_id, source_kind, title, access_mode)
         VALUES (gen_random_uuid(), $1, 'upload', 'f', 'file', 'f', 'provider_scope') RETURNING id),
       v AS (INSERT INTO item_versions (item_id, version, tenant_id, request_id, state, title, mime_type, content_hash)
         SELECT id, 1, $1, gen_random_uuid(), 'indexed', 'f', 'text/plain', 'h' FROM i RETURNING item_id)
       INSERT INTO item_files (item_id, version, tenant_id, name, media_type, byte_size, sha256, bytes)
         SELECT item_id, 1, $1, 'f.txt', 'text/plain', 3, 'x', 'abc'::bytea FROM v`,
      [tenant.id],
    );
    expect(await stocks()).toEqual({ items: 1, storageBytes: 3, queuedIngestions: 0 });
    await postgres.query('DELETE FROM item_files WHERE tenant_id = $1', [tenant.id]);
    expect(await stocks()).toMatchObject({ storageBytes: 0 });
  });

  it.each<[StockLimits, string, object]>([
    [{ items: 2 }, 'QUOTA.EXCEEDED', { quota: 'items', limit: 2, used: 1 }],
    [{ storageBytes: 9 }, 'QUOTA.EXCEEDED', { quota: 'storageBytes', limit: 9, used: 4 }],
    [{ queuedIngestions: 2 }, 'QUOTA.QUEUE_FULL', { quota: 'queuedIngestions', limit: 2, used: 1 }],
  ])('of %j refuse what would exceed them, whole', async (limits, code, details) => {
    await store(limits, 1, { body: 'four' });
    const refused = expect.objectContaining({ code, details: { ...details, resetAt: null } });
    await expect(store(limits, 2, { body: 'four' })).rejects.toEqual(refused);
    expect(await stocks()).toEqual({ items: 1, storageBytes: 4, queuedIngestions: 1 });
    await store(limits, 1, { body: 'four' });
    await expect(store(limits, 1, { body: 'four' })).rejects.toEqual(expect.objectContaining({ code }));
  });

  it('hold for many at once', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => store({ items: 3 }, 1)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await stocks()).toMatchObject({ items: 3 });
  });

  it('lowered below what is there, keep all of it, and let it become less', async () => {
    const items = await store({}, 3, { body: 'four' });
    const limits = { items: 1, storageBytes: 1 };
    await expect(store(limits, 1)).rejects.toEqual(expect.objectContaining({ code: 'QUOTA.EXCEEDED' }));
    await postgres.database.transaction((transaction) =>
      withinStocks(transaction, tenant.id, limits, () => tenant.tombstone(items[0]?.itemId ?? '')),
    );
    expect(await stocks()).toMatchObject({ items: 2, storageBytes: 12 });
  });

  it('add their ledger up without changing what it says', async () => {
    for (let time = 0; time < 3; time += 1) await store({}, 2, { body: 'four' });
    const before = await stocks();
    await Promise.all([1, 2].map(() => postgres.database.system('housekeeping').transaction(foldUsage)));
    expect(await stocks()).toEqual(before);
    const rows = await postgres.query('SELECT 1 FROM tenant_usage WHERE tenant_id = $1', [tenant.id]);
    expect(rows.length).toBeLessThanOrEqual(2);
  });

  it('are a tenant’s own, or there is no such tenant', async () => {
    const save = (id: string, limits: QuotaLimits) =>
      postgres.database.transaction((transaction) => saveQuotaLimits(transaction, id, limits));
    expect(await save(randomUUID(), { items: 1 })).toBe(false);
    expect(await save(tenant.id, { items: 1, answersPerDay: null })).toBe(true);
    const found = await postgres.database.read((manager) => findQuotaLimits(manager, tenant.id));
    expect(found).toEqual({ items: 1, answersPerDay: null });
  });
});
