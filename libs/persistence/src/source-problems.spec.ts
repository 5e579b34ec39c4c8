import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { AppError, type IngestDocument } from '@candor/contracts';
import { Database } from './database.js';
import type { ApiKeyEntity } from './entities/api-key.entity.js';
import { failVersion } from './repositories/item-pipeline.repository.js';
import { insertSource, type NewSource } from './repositories/source-connector.repository.js';
import { startSyncRun } from './repositories/sync-run.repository.js';
import { endRun, type RunEnding } from './repositories/sync-slice.repository.js';
import { RetrievalViews } from './retrieval-views.js';
import { buildDocument, TestTenant } from './testing.js';
import { describeOnPostgres } from './testing/describe-on-postgres.js';

const ANN = 'user:ann@x.example';
const UNREADABLE = { type: 'CONNECTOR.UNAVAILABLE', message: 'The provider cannot be reached.' };

describeOnPostgres('sourceProblems', (postgres) => {
  let reader: Database;
  let views: RetrievalViews;
  let tenant: TestTenant;
  let key: ApiKeyEntity;

  beforeAll(() => {
    reader = new Database({ url: postgres.url, applicationName: 'views', readOnly: true, unscoped: 'owner' });
    views = new RetrievalViews(reader);
  });
  afterAll(() => reader.close());
  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
    key = await tenant.addKey();
  });

  const { query } = postgres;
  const list = async (
    principals: string[] | null = null,
    knownAsOf: string | null = null,
    keyId = key.id,
  ): Promise<string[]> =>
    (await views.sourceProblems(keyId, principals, knownAsOf)).map(
      ({ kind, provider, count }) => `${kind} ${provider} ${count}`,
    );
  const connect = (fields: Partial<NewSource> = {}): Promise<string> =>
    postgres.database.transaction((transaction) =>
      insertSource(
        transaction,
        tenant.id,
        {
          provider: 'slack',
          name: 'Workspace',
          settings: {},
          credentialFields: [],
          syncEveryMinutes: 15,
          reconcileEveryMinutes: null,
          ...fields,
        },
        () => ({ keyId: 'k1', ciphertext: Buffer.from('sealed') }),
      ),
    );
  const sync = (sourceId: string, ending: RunEnding): Promise<unknown> =>
    postgres.database.transaction(async (transaction) => {
      const started = {
        tenantId: tenant.id,
        sourceId,
        mode: 'incremental',
        trigger: 'request',
        apiKeyId: null,
      } as const;
      const { run } = await startSyncRun(transaction, started);
      return endRun(transaction, { id: run.id, leaseId: null }, ending);
    });
  const ago = (column: string, minutes: number, sourceId: string): Promise<unknown> =>
    query(`UPDATE source_connectors SET ${column} = now() - make_interval(mins => $2) WHERE id = $1`, [
      sourceId,
      minutes,
    ]);
  const fail = async (document: IngestDocument): Promise<{ itemId: string; version: number }> => {
    const item = await tenant.acceptOne(document);
    await postgres.database.transaction((transaction) =>
      failVersion(transaction, tenant.job(item), new AppError('EXTRACT.UNREADABLE')),
    );
    return item;
  };

  it('are none while everything goes well, and for a key that is gone', async () => {
    await sync(await connect(), { state: 'succeeded' });
    await tenant.add(buildDocument());
    expect(await list()).toEqual([]);
    await fail(buildDocument());
    expect(await list(null, null, randomUuid())).toEqual([]);
  });

  it('are stale sources: no success for longer than three intervals, or never one', async () => {
    const source = await connect();
    await sync(source, { state: 'succeeded' });
    await ago('last_success_at', 44, source);
    expect(await list()).toEqual([]);
    await ago('last_success_at', 46, source);
    expect(await list()).toEqual(['stale slack 1']);
    const never = await connect({ provider: 'notion', syncEveryMinutes: 60 });
    expect(await list()).toEqual(['stale slack 1']);
    await ago('created_at', 181, never);
    expect(await list()).toEqual(['stale notion 1', 'stale slack 1']);
    // A comparison of ids reads no content.
    await query('UPDATE source_connectors SET last_reconciled_at = now() WHERE id = $1', [source]);
    expect(await list()).toEqual(['stale notion 1', 'stale slack 1']);
  });

  it('are no sources without a schedule, none that are removed, but paused ones', async () => {
    const [manual, paused, removed] = [await connect({ syncEveryMinutes: null }), await connect(), await connect()];
    for (const source of [manual, paused, removed]) await ago('created_at', 10_000, source);
    await query(`UPDATE source_connectors SET state = 'paused' WHERE id = $1`, [paused]);
    await query(`UPDATE source_connectors SET state = 'deleting' WHERE id = $1`, [removed]);
    expect(await list()).toEqual(['stale slack 1']);
  });

  it('are sources whose last run failed, until one succeeds', async () => {
    const [left, right] = [await connect(), await connect()];
    for (const source of [left, right]) await sync(source, { state: 'failed', error: UNREADABLE });
    expect(await list()).toEqual(['failed slack 2']);
    await sync(left, { state: 'succeeded_with_errors' });
    expect(await list()).toEqual(['failed slack 1']);
  });

  it('are items whose newest version could not be read, pushed or synced', async () => {
    const document = buildDocument({ provider: 'upload', sourceKind: 'document' });
    await tenant.add(document);
    await fail({ ...document, body: 'unreadable' });
    const { itemId } = await tenant.add(buildDocument());
    await query('UPDATE source_items SET is_unread = true WHERE id = $1', [itemId]);
    expect(await list()).toEqual(['unread slack 1', 'unread upload 1']);
    await tenant.add({ ...document, body: 'readable again' });
    expect(await list()).toEqual(['unread slack 1']);
    await tenant.tombstone(itemId);
    expect(await list()).toEqual([]);
  });

  it('count only items that token and key may both see, and nothing of another tenant', async () => {
    const acl = (principals: string[]): IngestDocument =>
      buildDocument({ accessPolicy: { provider: 'slack', mode: 'acl', principals } });
    await fail(acl([ANN]));
    await fail(acl(['user:ben@x.example']));
    await fail(acl(['anyone']));
    await fail(buildDocument({ accessPolicy: { provider: 'slack', mode: 'provider_scope' } }));
    await fail(buildDocument());
    expect(await list()).toEqual(['unread slack 5']);
    expect(await list([ANN])).toEqual(['unread slack 3']);
    expect(await list([])).toEqual(['unread slack 2']);
    const own = await tenant.addKey({ principals: [ANN] });
    expect(await list(null, null, own.id)).toEqual(['unread slack 3']);
    expect(await list(['user:ben@x.example'], null, own.id)).toEqual(['unread slack 2']);
    const foreign = await (await TestTenant.create(postgres.database)).addKey();
    expect(await list(null, null, foreign.id)).toEqual([]);
  });

  it('are judged at the instant asked about', async () => {
    const [late, failed] = [await connect(), await connect()];
    await sync(late, { state: 'succeeded' });
    await ago('last_success_at', 120, late);
    await sync(failed, { state: 'failed', error: UNREADABLE });
    await query(`UPDATE source_connectors SET last_error_at = now() - interval '1 hour' WHERE id = $1`, [failed]);
    const { itemId } = await fail(buildDocument());
    await query(`UPDATE item_versions SET recorded_at = now() - interval '1 hour' WHERE item_id = $1`, [itemId]);
    const unread = await tenant.add(buildDocument({ provider: 'notion' }));
    await query('UPDATE source_items SET is_unread = true WHERE id = $1', [unread.itemId]);
    const before = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
    expect(await list(null, before(90))).toEqual([]);
    expect(await list(null, before(50))).toEqual(['failed slack 1', 'stale slack 1', 'unread slack 1']);
    expect(await list()).toEqual(['failed slack 1', 'stale slack 1', 'unread notion 1', 'unread slack 1']);
  });
});
