import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  announceSigner,
  AuditSigner,
  readAuditEvents,
  sealNextBatch,
  verifyChain,
  writeAuditEvents,
} from '@candor/audit';
import type { RetentionKind } from '@candor/contracts';
import { countOutdated, updateTenant } from '@candor/persistence';
import {
  buildDocument,
  createTestDatabase,
  TestTenant,
  testServerUrl,
  waitFor,
  type TestDatabase,
} from '@candor/testkit';
import { ApplyRetentionService } from './apply-retention.service.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;
jest.setTimeout(60_000);

withPostgres('retention', () => {
  let postgres: TestDatabase;
  let service: ApplyRetentionService;
  const signer = new AuditSigner(new Map([['key-1', randomBytes(32)]]));

  beforeAll(async () => {
    postgres = await createTestDatabase(server ?? '');
    service = new ApplyRetentionService(postgres.database);
  });
  afterAll(() => postgres.drop());

  const query = <Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> =>
    postgres.database.read((manager) => manager.query(sql, parameters));
  const count = async (table: string, tenantId: string): Promise<number> =>
    (await query<{ n: number }>(`SELECT count(*)::integer AS n FROM ${table} WHERE tenant_id = $1`, [tenantId]))[0]
      ?.n ?? 0;
  const keep = (tenantId: string, retention: Partial<Record<RetentionKind, number>>): Promise<unknown> =>
    postgres.database.transaction((transaction) => updateTenant(transaction, tenantId, { retention }));
  /** Written so many days ago: the trigger lets nobody make an event older afterwards. */
  async function ask(tenantId: string, days: number): Promise<void> {
    await postgres.database.transaction(async (transaction) => {
      await writeAuditEvents(transaction, [
        {
          tenantId,
          requestId: randomUUID(),
          action: 'search.query',
          outcome: 'succeeded',
          actorApiKeyId: null,
          actorType: 'agent',
          targetType: null,
          targetId: null,
          metadata: { query: 'what was asked' },
        },
      ]);
      await transaction.query('ALTER TABLE audit_events DISABLE TRIGGER USER');
      await transaction.query(
        `UPDATE audit_events SET created_at = created_at - make_interval(days => $2)
         WHERE tenant_id = $1 AND created_at > now() - interval '1 minute'`,
        [tenantId, days],
      );
      await transaction.query('ALTER TABLE audit_events ENABLE TRIGGER USER');
    });
  }
  const verify = (tenantId: string) =>
    postgres.database.read((manager) => verifyChain(manager, tenantId, { fromBatch: 1, mostBatches: 100 }));
  async function seal(tenantId: string, limit: number, events: number): Promise<void> {
    await postgres.database.transaction((transaction) => announceSigner(transaction, signer));
    await waitFor(
      async () => {
        await postgres.database.transaction((transaction) =>
          sealNextBatch(transaction, tenantId, { signer, horizon: null, limit }),
        );
        const { events: sealed, expiredEvents } = await verify(tenantId);
        return sealed + expiredEvents >= events;
      },
      { what: 'the seal' },
    );
  }

  it('keeps everything of a tenant that says nothing', async () => {
    const tenant = await TestTenant.create(postgres.database);
    await ask(tenant.id, 4_000);
    await service.applyAll();
    expect(await count('audit_events', tenant.id)).toBe(1);
  });

  it('takes what was asked from old events alone, and their seal holds', async () => {
    const tenant = await TestTenant.create(postgres.database);
    for (const days of [40, 31, 29, 0]) await ask(tenant.id, days);
    await seal(tenant.id, 10, 4);
    await keep(tenant.id, { queryText: 30 });
    await service.applyAll();
    const { rows } = await postgres.database.read((manager) => readAuditEvents(manager, tenant.id, { limit: 100 }));
    const asked = rows.filter(({ action }) => action === 'search.query').reverse();
    expect(asked.map(({ erased, metadata }) => [erased, metadata['query'] ?? null])).toEqual([
      [true, null],
      [true, null],
      [false, 'what was asked'],
      [false, 'what was asked'],
    ]);
    expect(rows.find(({ action }) => action === 'retention.apply')?.metadata).toEqual({ queryText: 2 });
    expect(await verify(tenant.id)).toMatchObject({ intact: true, erasedEvents: 2 });
  });

  it('takes whole old batches, says so in the chain, and the rest verifies from the first head on', async () => {
    const tenant = await TestTenant.create(postgres.database);
    for (const days of [90, 80, 70, 60, 0]) await ask(tenant.id, days);
    await seal(tenant.id, 2, 5);
    await keep(tenant.id, { auditEvents: 65 });
    await service.applyAll();
    // The second batch has an event that is young enough; both of it stay.
    const { rows } = await postgres.database.read((manager) => readAuditEvents(manager, tenant.id, { limit: 100 }));
    expect(rows.filter(({ action }) => action === 'search.query')).toHaveLength(3);
    const expiry = rows.find(({ action }) => action === 'audit.expire');
    expect(expiry?.metadata).toMatchObject({ fromBatch: 1, toBatch: 1, events: 2 });
    // The event of the expiry accounts for the gap from its commit on, and is sealed like any other.
    expect(await verify(tenant.id)).toMatchObject({ findings: [], expiredEvents: 2 });
    await seal(tenant.id, 10, 7);
    expect(await verify(tenant.id)).toMatchObject({ intact: true, expiredEvents: 2 });
    await service.applyAll();
    expect(await count('audit_batches', tenant.id)).toBeGreaterThanOrEqual(4);
  });

  it('goes on with the others when one of the tenants fails, and fails for it at the end', async () => {
    const tenants = [await TestTenant.create(postgres.database), await TestTenant.create(postgres.database)];
    // In the order of the rules: the first one fails.
    const [failing, other] = tenants.map(({ id }) => id).sort() as [string, string];
    await query(`CREATE FUNCTION refuse_spec() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'the feedback of % stays', OLD.tenant_id; END $$`);
    await query(`CREATE TRIGGER refuse_spec BEFORE DELETE ON feedback FOR EACH ROW
      WHEN (OLD.tenant_id = '${failing}') EXECUTE FUNCTION refuse_spec()`);
    for (const tenant of tenants) {
      const key = await tenant.addKey();
      await query(
        `INSERT INTO feedback (id, tenant_id, request_id, api_key_id, rating, created_at)
         VALUES (gen_random_uuid(), $1, gen_random_uuid(), $2, 'negative', now() - interval '11 days')`,
        [tenant.id, key.id],
      );
      await keep(tenant.id, { feedback: 10 });
    }
    await expect(service.applyAll()).rejects.toThrow(`the feedback of ${failing} stays`);
    expect([await count('feedback', failing), await count('feedback', other)]).toEqual([1, 0]);
    await query('DROP TRIGGER refuse_spec ON feedback');
    await service.applyAll();
    expect(await count('feedback', failing)).toBe(0);
  });

  it('takes feedback, dead letters, ended ingest requests and tombstones, and nothing younger', async () => {
    const tenant = await TestTenant.create(postgres.database);
    const key = await tenant.addKey();
    const gone = await tenant.add(buildDocument({ externalId: 'gone' }));
    const kept = await tenant.add(buildDocument({ externalId: 'kept' }));
    await tenant.tombstone(gone.itemId);
    await tenant.purge(gone);
    await query(
      `INSERT INTO feedback (id, tenant_id, request_id, api_key_id, rating) VALUES (gen_random_uuid(), $1, gen_random_uuid(), $2, 'negative')`,
      [tenant.id, key.id],
    );
    await query(
      `INSERT INTO dead_letters (id, tenant_id, request_id, job_name, payload, error_type, error_message)
       VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'item.index', '{}', 'EXTRACT.EMPTY', 'x')`,
      [tenant.id],
    );
    await keep(tenant.id, { feedback: 10, ingestRecords: 10, tombstones: 10 });
    await service.applyAll();
    expect([await count('feedback', tenant.id), await count('dead_letters', tenant.id)]).toEqual([1, 1]);
    for (const [table, column] of [
      ['feedback', 'created_at'],
      ['dead_letters', 'created_at'],
      ['ingestions', 'created_at'],
      ['source_items', 'purged_at'],
    ])
      await query(`UPDATE ${table} SET ${column} = ${column} - interval '11 days' WHERE tenant_id = $1`, [tenant.id]);
    const preview = await postgres.database.read((manager) =>
      countOutdated(manager, tenant.id, 'tombstones', new Date(Date.now() - 10 * 86_400_000)),
    );
    expect(preview).toBe(1);
    await service.applyAll();
    const left = ['feedback', 'dead_letters', 'ingestions', 'ingestion_items'];
    for (const table of left) expect([table, await count(table, tenant.id)]).toEqual([table, 0]);
    expect(await query('SELECT id FROM source_items WHERE tenant_id = $1', [tenant.id])).toEqual([{ id: kept.itemId }]);
    expect(await count('item_versions', tenant.id)).toBe(1);
  });
});
