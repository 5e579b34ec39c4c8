import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { Database, type Transaction } from '../database.js';
import { RetrievalViews } from '../retrieval-views.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { TestTenant } from '../testing/test-tenant.js';
import { readStocks } from './quota.repository.js';
import { insertSource } from './source-connector.repository.js';
import {
  beginRemoval,
  claimRemoval,
  completeRemoval,
  deleteNextItems,
  hasItemsLeft,
  type RemovalSlice,
} from './source-removal.repository.js';

jest.setTimeout(120_000);

/** More than one statement hides. */
const ITEMS = 10_500;

const FILL = `INSERT INTO source_items (id, tenant_id, provider, connector_id, external_id, source_kind, title, access_mode,
    latest_version, live_version)
  SELECT gen_random_uuid(), $1, 'notion', $2, 'e' || n, 'document', 't', 'provider_scope', 1, 1
  FROM generate_series(1, $3::int) AS n`;

describeOnPostgres('the removal of a large source', (postgres) => {
  let tenant: TestTenant;
  let sourceId: string;
  // As the services are held: a policy decides about plans as well.
  let app: Database;

  beforeAll(() => {
    app = new Database({ url: postgres.url, applicationName: 'candor-removal' });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
    sourceId = await postgres.database.transaction((transaction) =>
      insertSource(
        transaction,
        tenant.id,
        {
          provider: 'notion',
          name: 'Notes',
          settings: {},
          credentialFields: [],
          syncEveryMinutes: null,
          reconcileEveryMinutes: null,
        },
        () => ({ keyId: 'k', ciphertext: Buffer.from('sealed') }),
      ),
    );
    await postgres.query(FILL, [tenant.id, sourceId, ITEMS]);
    await postgres.query(FILL, [tenant.id, randomUuid(), ITEMS]);
    await postgres.query('ANALYZE source_items');
  });

  const within = <Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> =>
    app.forTenants([tenant.id]).transaction(work);
  const begin = (transaction: Transaction): Promise<void> =>
    beginRemoval(transaction, { tenantId: tenant.id, sourceId, requestId: randomUuid(), apiKeyId: null });
  const key = (): { tenantId: string; sourceId: string } => ({ tenantId: tenant.id, sourceId });
  const countLiving = async (): Promise<number> => {
    const rows = await postgres.query<{ count: string }>(
      'SELECT count(*) AS count FROM source_items WHERE connector_id = $1 AND deleted_at IS NULL',
      [sourceId],
    );
    return Number(rows[0]?.count);
  };
  const claim = async (transaction: Transaction): Promise<RemovalSlice> => {
    const removal = await claimRemoval(transaction, { ...key(), slice: 1 });
    if (!removal) throw new Error('the removal is over');
    return removal;
  };
  /** How many rows of items a statement read, by an index or without. */
  const readBy = async (transaction: Transaction, work: () => Promise<unknown>): Promise<number> => {
    const count = async (): Promise<number> => {
      const rows: { rows: string }[] = await transaction.query(
        `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS rows FROM pg_stat_xact_user_tables
         WHERE relname = 'source_items'`,
      );
      return Number(rows[0]?.rows ?? 0);
    };
    const before = await count();
    await work();
    return (await count()) - before;
  };

  it('hides all of it by one commit, from the next query on', async () => {
    const apiKey = await tenant.addKey();
    const candidates = await postgres.query<{ itemId: string; version: number }>(
      'SELECT id AS "itemId", 1 AS version FROM source_items WHERE connector_id = $1 ORDER BY id DESC LIMIT 100',
      [sourceId],
    );
    await postgres.query(
      `INSERT INTO item_versions (item_id, version, tenant_id, request_id, state, title, mime_type, content_hash)
       SELECT c."itemId", 1, $1, gen_random_uuid(), 'indexed', 't', 'text/plain', 'h'
       FROM jsonb_to_recordset($2::jsonb) AS c("itemId" uuid)`,
      [tenant.id, JSON.stringify(candidates)],
    );
    const seen = async (): Promise<number> =>
      (await new RetrievalViews(postgres.database).recheck(apiKey.id, candidates, null)).heads.size;
    await within(async (transaction) => {
      await begin(transaction);
      expect([await countLiving(), await seen()]).toEqual([ITEMS, 100]);
    });
    expect([await countLiving(), await seen()]).toEqual([0, 0]);
  });

  it('is counted in few entries, and what hides nothing in none', async () => {
    const entries = (): Promise<unknown[]> =>
      postgres.query('SELECT items FROM tenant_usage WHERE tenant_id = $1 AND items < 0', [tenant.id]);
    await within(begin);
    expect((await entries()).length).toBeLessThanOrEqual(2);
    expect(await within((transaction) => readStocks(transaction, tenant.id))).toMatchObject({ items: ITEMS });
    const before = await postgres.query('SELECT 1 FROM tenant_usage WHERE tenant_id = $1', [tenant.id]);
    await postgres.query('UPDATE source_items SET title = title WHERE tenant_id = $1', [tenant.id]);
    await within(begin);
    expect(await postgres.query('SELECT 1 FROM tenant_usage WHERE tenant_id = $1', [tenant.id])).toHaveLength(
      before.length,
    );
    await postgres.query('UPDATE source_items SET deleted_at = NULL WHERE connector_id = $1', [sourceId]);
    expect(await within((transaction) => readStocks(transaction, tenant.id))).toMatchObject({ items: 2 * ITEMS });
  });

  it('reads no more than a part when one is taken out, nor when the end is looked for', async () => {
    await within(begin);
    await within(async (transaction) => {
      const removal = await claim(transaction);
      const taken = await readBy(transaction, () => deleteNextItems(transaction, key(), removal, 200));
      expect(taken).toBeLessThan(2_000);
      expect(await readBy(transaction, () => hasItemsLeft(transaction, key()))).toBeLessThan(100);
    });
  });

  it('hides what came in all the same: with its part, or behind the parts at the end', async () => {
    await within(begin);
    const show = (count: number): Promise<unknown> =>
      postgres.query(
        `UPDATE source_items SET deleted_at = NULL WHERE id IN
           (SELECT id FROM source_items WHERE connector_id = $1 ORDER BY id LIMIT $2)`,
        [sourceId, count],
      );
    await show(5);
    await within(async (transaction) => deleteNextItems(transaction, key(), await claim(transaction), 10));
    expect(await countLiving()).toBe(0);
    await show(5);
    expect(await within((transaction) => hasItemsLeft(transaction, key()))).toBe(true);
    expect(await countLiving()).toBe(0);
    await postgres.query('UPDATE source_items SET purged_at = now() WHERE connector_id = $1', [sourceId]);
    expect(await within((transaction) => hasItemsLeft(transaction, key()))).toBe(false);
    await within((transaction) => completeRemoval(transaction, sourceId));
    await within(begin);
    expect(await postgres.query('SELECT state FROM source_connectors WHERE id = $1', [sourceId])).toEqual([
      { state: 'deleted' },
    ]);
  });
});
