import { beforeEach, describe, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import type { SyncMode } from '@candor/contracts';
import { buildDocument, TestTenant } from '../testing.js';
import {
  findSource,
  findSourceOverview,
  insertSource,
  listSources,
  updateSource,
  type NewSource,
} from './source-connector.repository.js';
import { readCredentials, takeStaleCredentials } from './source-credentials.repository.js';
import { listSchedules } from './source-schedule.repository.js';
import { endActiveRun, listSyncRuns, startSyncRun, wantSync } from './sync-run.repository.js';
import { claimSlice, endRun, LostLeaseError, requireLease } from './sync-slice.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

const SEALED = { keyId: 'k1', ciphertext: Buffer.from('sealed') };

describeOnPostgres('sources', (postgres) => {
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
  });

  const insert = (fields: Partial<NewSource> = {}): Promise<string> =>
    postgres.database.transaction((transaction) =>
      insertSource(
        transaction,
        tenant.id,
        {
          provider: 'slack',
          name: 'Workspace',
          settings: { channelAllowlist: ['C1'] },
          credentialFields: ['botToken'],
          syncEveryMinutes: 15,
          reconcileEveryMinutes: null,
          ...fields,
        },
        () => SEALED,
      ),
    );
  const viewer = (providers: string[] | null = null, tenantId = tenant.id) => ({ tenantId, providers });
  const find = (id: string, who = viewer()) => postgres.database.read((manager) => findSource(manager, who, id));
  const list = (who: ReturnType<typeof viewer>, page = { limit: 10 }) =>
    postgres.database.read((manager) => listSources(manager, who, page));
  const start = (sourceId: string, mode: SyncMode = 'incremental') =>
    postgres.database.transaction((transaction) =>
      startSyncRun(transaction, { tenantId: tenant.id, sourceId, mode, trigger: 'request', apiKeyId: null }),
    );
  const end = (id: string) =>
    postgres.database.transaction((transaction) => endRun(transaction, { id, leaseId: null }, { state: 'succeeded' }));
  const query = <Row>(sql: string, parameters: unknown[] = []) =>
    postgres.database.read((manager) => manager.query<Row[]>(sql, parameters));

  it('are seen within their tenant, by whoever may read their provider', async () => {
    const id = await insert();
    expect(await find(id)).toMatchObject({
      id,
      provider: 'slack',
      state: 'active',
      settings: { channelAllowlist: ['C1'] },
    });
    expect(await find(id, viewer(['slack', 'gmail']))).not.toBeNull();
    for (const stranger of [viewer(['notion']), viewer([]), viewer(null, randomUuid())]) {
      expect(await find(id, stranger)).toBeNull();
      expect((await list(stranger)).rows).toEqual([]);
    }
  });

  it('are listed in pages, without those that are removed', async () => {
    const ids = [await insert(), await insert(), await insert()];
    await query(`UPDATE source_connectors SET state = 'deleted' WHERE id = $1`, [ids[1]]);
    const first = await list(viewer(), { limit: 1 });
    const second = await list(viewer(), { limit: 1, ...{ cursor: first.cursor ?? '' } });
    expect([first.hasMore, second.hasMore]).toEqual([true, false]);
    expect([...first.rows, ...second.rows].map(({ id }) => id)).toEqual([ids[0], ids[2]]);
  });

  it('count their items, those without a policy and those that failed', async () => {
    const id = await insert();
    const policy = { provider: 'slack', mode: 'provider_scope' } as const;
    const items = await tenant.accept([
      buildDocument({ connectorId: id, accessPolicy: policy }),
      buildDocument({ connectorId: id, accessPolicy: null }),
      buildDocument({ connectorId: id, accessPolicy: policy }),
      buildDocument({ accessPolicy: null }),
    ]);
    await query(`UPDATE item_versions SET state = 'failed' WHERE item_id = $1`, [items[0]?.itemId]);
    await tenant.tombstone(items[2]?.itemId ?? '');
    const overview = await postgres.database.read((manager) => findSourceOverview(manager, viewer(), id));
    expect(overview).toMatchObject({
      items: { total: 2, withheld: 1, failed: 1 },
      itemsRemaining: 3,
      activeRunId: null,
    });
  });

  it('count for a key with principals what it may see, and nothing of a removal', async () => {
    const id = await insert();
    const acl = (principal: string) =>
      buildDocument({ connectorId: id, accessPolicy: { provider: 'slack', mode: 'acl', principals: [principal] } });
    await tenant.accept([
      acl('user:me@x.org'),
      acl('user:other@x.org'),
      buildDocument({ connectorId: id, accessPolicy: null }),
    ]);
    await query(`UPDATE source_connectors SET removal_total = 3 WHERE id = $1`, [id]);
    const read = (principals: string[] | null) =>
      postgres.database.read((manager) => findSourceOverview(manager, { ...viewer(), principals }, id));
    expect(await read(null)).toMatchObject({ items: { total: 3, withheld: 1 }, removalTotal: 3 });
    expect(await read(['user:me@x.org'])).toMatchObject({ items: { total: 1, withheld: 0 }, removalTotal: null });
  });

  it('forget the cursor when their settings change, and nothing else', async () => {
    const id = await insert();
    const cursorOf = async () =>
      (await query<{ cursor: unknown }>('SELECT cursor FROM source_connectors WHERE id = $1', [id]))[0]?.cursor;
    await query(`UPDATE source_connectors SET cursor = '{"at": 1}' WHERE id = $1`, [id]);
    await postgres.database.transaction((transaction) =>
      updateSource(transaction, id, { name: 'New', syncEveryMinutes: null }),
    );
    expect(await cursorOf()).toEqual({ at: 1 });
    expect(await find(id)).toMatchObject({ name: 'New', syncEveryMinutes: null, nextRunAt: null, wantsFull: false });
    await postgres.database.transaction((transaction) => updateSource(transaction, id, { settings: {} }));
    expect(await cursorOf()).toBeNull();
    expect(await find(id)).toMatchObject({ settings: {}, wantsFull: true });
  });

  it('have schedules while they are active', async () => {
    const id = await insert({ reconcileEveryMinutes: 60 });
    const schedules = () => postgres.database.read((manager) => listSchedules(manager, id));
    expect((await schedules()).map(({ mode, everyMinutes }) => [mode, everyMinutes])).toEqual([
      ['incremental', 15],
      ['reconcile', 60],
    ]);
    await postgres.database.transaction((transaction) => updateSource(transaction, id, { state: 'paused' }));
    expect(await schedules()).toEqual([]);
  });

  it('keep credentials apart from what is shown', async () => {
    const id = await insert();
    expect(JSON.stringify(await find(id))).not.toContain('sealed');
    expect(await postgres.database.read((manager) => readCredentials(manager, id))).toEqual(SEALED);
    const page = { after: null, limit: 100 };
    const stale = await postgres.database.transaction((transaction) => takeStaleCredentials(transaction, 'k2', page));
    expect(stale.map((row) => row.id)).toContain(id);
    expect(await postgres.database.transaction((transaction) => takeStaleCredentials(transaction, 'k1', page))).toEqual(
      [],
    );
  });

  describe('runs', () => {
    it('are one at a time, however many ask at once', async () => {
      const id = await insert();
      const started = await Promise.all(Array.from({ length: 8 }, () => start(id)));
      expect(new Set(started.map(({ run }) => run.id)).size).toBe(1);
      expect(started.filter(({ alreadyActive }) => !alreadyActive)).toHaveLength(1);
      expect(await query(`SELECT 1 FROM outbox WHERE payload->>'sourceId' = $1`, [id])).toHaveLength(1);
      await end(started[0]?.run.id ?? '');
      expect(await start(id)).toMatchObject({ alreadyActive: false });
    });

    it('are one at a time by the database itself', async () => {
      const id = await insert();
      await start(id);
      const second = query(
        `INSERT INTO sync_runs (id, tenant_id, source_id, mode, trigger, phase) VALUES ($1, $2, $3, 'full', 'request', 'changes')`,
        [randomUuid(), tenant.id, id],
      );
      await expect(second).rejects.toThrow(/sync_runs_one_active/);
    });

    it('that came too late for the active one follow it, and one full run stands for two kinds', async () => {
      const id = await insert();
      const want = (mode: SyncMode) =>
        postgres.database.transaction((transaction) =>
          wantSync(transaction, { tenantId: tenant.id, sourceId: id, mode, trigger: 'event', apiKeyId: null }),
        );
      const { run } = await start(id);
      await want('incremental');
      await want('incremental');
      await end(run.id);
      const active = async () =>
        (await postgres.database.read((manager) => listSyncRuns(manager, viewer(), { sourceId: id, limit: 9 }))).rows;
      expect((await active()).map(({ mode, trigger, state }) => [mode, trigger, state])).toEqual([
        ['incremental', 'event', 'queued'],
        ['incremental', 'request', 'succeeded'],
      ]);
      await want('incremental');
      await want('reconcile');
      await end((await active())[0]?.id ?? '');
      expect((await active())[0]).toMatchObject({ mode: 'full', trigger: 'schedule', state: 'queued' });
      await end((await active())[0]?.id ?? '');
      expect(await active()).toHaveLength(3);
    });

    it('are claimed once for each slice', async () => {
      const id = await insert();
      const { run } = await start(id);
      const key = { id: run.id, tenantId: tenant.id, slice: 0 };
      const claim = (other: Partial<typeof key> = {}) =>
        postgres.database.transaction((transaction) => claimSlice(transaction, { ...key, ...other }));
      expect(await claim({ slice: 1 })).toBeNull();
      expect(await claim({ tenantId: randomUuid() })).toBeNull();
      expect(await claim()).toMatchObject({ run: { state: 'running' }, cursor: null });
      await end(run.id);
      expect(await claim()).toBeNull();
    });

    it('store nothing more once they are ended from outside', async () => {
      const id = await insert();
      const { run } = await start(id);
      const lease = await postgres.database.transaction((transaction) =>
        claimSlice(transaction, { id: run.id, tenantId: tenant.id, slice: 0 }),
      );
      if (!lease) throw new Error('not claimed');
      await postgres.database.transaction((transaction) => requireLease(transaction, lease));
      await postgres.database.transaction((transaction) => endActiveRun(transaction, id));
      const store = postgres.database.transaction((transaction) => requireLease(transaction, lease));
      await expect(store).rejects.toBeInstanceOf(LostLeaseError);
      expect(await start(id)).toMatchObject({ alreadyActive: false });
    });

    it('are seen by whoever may see their source', async () => {
      const id = await insert();
      await start(id);
      const seen = async (who: ReturnType<typeof viewer>) =>
        (await postgres.database.read((manager) => listSyncRuns(manager, who, { limit: 9 }))).rows.length;
      expect(await seen(viewer(['slack']))).toBe(1);
      expect(await seen(viewer(['notion']))).toBe(0);
      expect(await seen(viewer(null, randomUuid()))).toBe(0);
    });
  });
});
