import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { Database, type Transaction, type TransactionRunner } from './database.js';
import { closeAbandonedRequests, listAuditEvents } from './repositories/audit-event.repository.js';
import { deleteOldIdempotencyRecords } from './repositories/idempotency.repository.js';
import { OutboxRepository } from './repositories/outbox.repository.js';
import { findStrandedVersions, resendStaleHeads } from './repositories/sweep.repository.js';
import { RetrievalViews } from './retrieval-views.js';
import { TestTenant } from './testing.js';
import { describeOnPostgres } from './testing/describe-on-postgres.js';

jest.setTimeout(120_000);

const ROWS = 20_000;

/** Most rows belong to one tenant; some are stranded, tombstoned, superseding or waiting. */
const FILL = [
  `INSERT INTO source_items (id, tenant_id, provider, external_id, source_kind, title, access_mode, latest_version,
     live_version, supersedes, deleted_at, updated_at)
   SELECT gen_random_uuid(), CASE WHEN n % 100 = 0 THEN $1::uuid ELSE $2::uuid END, 'slack', 'e' || n, 'message', 't',
     'provider_scope', 1, 1, CASE WHEN n % 5 = 0 THEN ARRAY['e' || n - 1] ELSE '{}' END,
     CASE WHEN n % 500 = 7 THEN now() END, now() - interval '1 hour'
   FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO item_versions (item_id, version, tenant_id, request_id, state, title, mime_type, content_hash, lease_until)
   SELECT id, 1, tenant_id, gen_random_uuid(), CASE WHEN random() < 0.9 THEN 'indexed' ELSE 'accepted' END, 't',
     'text/plain', 'h', now() + random() * interval '1 hour' - interval '2 minutes'
   FROM source_items WHERE $1::uuid <> $2::uuid`,
  `INSERT INTO ingestions (request_id, tenant_id)
   SELECT request_id, tenant_id FROM item_versions WHERE $1::uuid <> $2::uuid`,
  `INSERT INTO ingestion_items (tenant_id, request_id, ordinal, item_id, version, state, state_at)
   SELECT tenant_id, request_id, 0, item_id, 1, CASE WHEN random() < 0.999 THEN state ELSE 'accepted' END, now() - interval '1 hour'
   FROM item_versions WHERE state = 'indexed' AND $1::uuid <> $2::uuid`,
  `INSERT INTO outbox (tenant_id, job_name, payload)
   SELECT tenant_id, 'item.extract', jsonb_build_object('itemId', item_id, 'version', 1)
   FROM item_versions, generate_series(1, 4) WHERE random() < 0.5 AND $1::uuid <> $2::uuid`,
  `INSERT INTO audit_events (id, tenant_id, request_id, action, outcome, actor_type, metadata, created_at)
   SELECT gen_random_uuid(), tenant_id, request_id, unnest(CASE WHEN random() < 0.001
     THEN ARRAY['reason.requested', 'reason.answer'] ELSE ARRAY['item.accept'] END), 'accepted', 'agent', '{}',
     now() - random() * interval '2 days'
   FROM item_versions WHERE $1::uuid <> $2::uuid`,
  `INSERT INTO idempotency_records (api_key_id, key, request_digest, locked_until, created_at)
   SELECT gen_random_uuid(), 'k', 'd', now(), now() - random() * interval '25 hours'
   FROM generate_series(1, ${ROWS}) WHERE $1::uuid <> $2::uuid`,
];

describeOnPostgres('with large tables', (postgres) => {
  let small: TestTenant;
  let large: TestTenant;
  let apiKeyId: string;
  // As the services are held: a policy decides about plans as well.
  let app: Database;

  beforeAll(async () => {
    small = await TestTenant.create(postgres.database);
    large = await TestTenant.create(postgres.database);
    apiKeyId = (await large.addKey()).id;
    for (const statement of FILL)
      await postgres.database.read((manager) => manager.query<unknown>(statement, [small.id, large.id]));
    await postgres.database.read((manager) => manager.query<unknown>('ANALYZE'));
    app = new Database({ url: postgres.url, applicationName: 'candor-plans' });
  });
  afterAll(() => app.close());

  /** Tables of which more rows were read than a few for each one wanted, by an index or without. */
  async function readMuch(
    scoped: TransactionRunner,
    work: (transaction: Transaction, database: Database) => Promise<unknown>,
  ): Promise<string[]> {
    return scoped.transaction(async (transaction) => {
      const within: TransactionRunner = {
        read: (inner) => inner(transaction),
        transaction: (inner) => inner(transaction),
        snapshot: (inner) => inner(transaction),
      };
      const database = { ...within, system: () => within } as unknown as Database;
      const before = await readCounts(transaction);
      expect(await work(transaction, database)).not.toBe(0);
      const after = await readCounts(transaction);
      return [...after].filter(([name, rows]) => rows - (before.get(name) ?? 0) > 1_000).map(([name]) => name);
    });
  }

  /** What the session has counted and not yet reported. */
  async function readCounts(transaction: Transaction): Promise<Map<string, number>> {
    const rows = await transaction.query<{ relname: string; rows: string }[]>(
      'SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0) AS rows FROM pg_stat_xact_user_tables',
    );
    return new Map(rows.map((row) => [row.relname, Number(row.rows)]));
  }

  const ofLarge = (): TransactionRunner => app.forTenants([large.id]);
  const sweep = (): TransactionRunner => app.system('sweep');
  const ofSmall = (): TransactionRunner => app.forTenants([small.id]);

  it.each<[string, () => TransactionRunner, (transaction: Transaction, database: Database) => Promise<unknown>]>([
    ['the recheck', ofLarge, (_transaction, database) => recheck(database, null)],
    ['the recheck as of a time', ofLarge, (_transaction, database) => recheck(database, new Date().toISOString())],
    [
      'an outbox claim',
      () => app.system('dispatch'),
      (_transaction, database) =>
        new OutboxRepository(database).claim({
          share: (lanes) => lanes.map(() => 50),
          jobNames: ['item.extract'],
        }),
    ],
    ['the search for stranded versions', sweep, (transaction) => findStrandedVersions(transaction, 100)],
    ['the search for stale heads', sweep, (transaction) => resendStaleHeads(transaction, 20)],
    ['closing abandoned requests', sweep, (transaction) => closeAbandonedRequests(transaction, 900).then(() => 'done')],
    ['forgetting old idempotency keys', sweep, (transaction) => deleteOldIdempotencyRecords(transaction)],
    [
      'a page of a small tenant’s audit trail',
      ofSmall,
      (transaction) => listAuditEvents(transaction, small.id, { limit: 20 }),
    ],
    [
      'a page of an unknown tenant’s audit trail',
      ofSmall,
      (transaction) => listAuditEvents(transaction, randomUuid(), { limit: 20 }),
    ],
  ])('%s reads no table from end to end', async (_name, scoped, work) => {
    expect(await readMuch(scoped(), work)).toEqual([]);
  });

  async function recheck(database: Database, knownAsOf: string | null): Promise<number> {
    const candidates = await postgres.database.read((manager) =>
      manager.query<{ itemId: string; version: number }[]>(
        `SELECT item_id AS "itemId", version FROM item_versions v JOIN api_keys k ON k.tenant_id = v.tenant_id LIMIT 100`,
      ),
    );
    return (await new RetrievalViews(database).recheck(apiKeyId, candidates, knownAsOf)).heads.size;
  }
});
