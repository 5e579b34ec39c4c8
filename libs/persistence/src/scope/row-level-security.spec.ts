import { randomUUID } from 'node:crypto';
import { createRequestContext, runInRequestContext } from '@candor/runtime/request-context';
import type { CallerScope } from '@candor/contracts';
import { Database, type Transaction, type TransactionRunner } from '../database.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { buildDocument, TestTenant } from '../testing/test-tenant.js';

interface Seen {
  tenants: string[];
  role: string;
}

describeOnPostgres('row-level security', (postgres) => {
  let app: Database;
  let ours: TestTenant;
  let theirs: TestTenant;
  let theirItem: string;

  beforeAll(async () => {
    // One connection: whatever is left on it is what the next one finds.
    app = new Database({ url: postgres.url, applicationName: 'candor-rls', poolSize: 1 });
    ours = await TestTenant.create(postgres.database);
    theirs = await TestTenant.create(postgres.database);
    await ours.add(buildDocument());
    theirItem = (await theirs.add(buildDocument())).itemId;
  });
  afterAll(() => app.close());

  const seenBy = (scoped: TransactionRunner): Promise<Seen> =>
    scoped.read(async (manager) => {
      const rows: Seen[] = await manager.query(
        `SELECT current_user::text AS role, ARRAY(SELECT DISTINCT tenant_id::text FROM source_items) AS tenants`,
      );
      return rows[0] ?? { tenants: [], role: '' };
    });
  const both = (): string[] => [ours.id, theirs.id].sort();

  it('shows nothing where nobody said whose', async () => {
    expect(await seenBy(app)).toEqual({ role: 'candor_app', tenants: [] });
    const [row]: { items: string }[] = await app.transaction((transaction) =>
      transaction.query('SELECT count(*) AS items FROM source_items'),
    );
    expect(row?.items).toBe('0');
  });

  it('shows the tenants named, and everybody to the system', async () => {
    expect(await seenBy(app.forTenants([ours.id]))).toEqual({ role: 'candor_app', tenants: [ours.id] });
    const named = await seenBy(app.forTenants(both()));
    expect(named.tenants.sort()).toEqual(both());
    const system = await seenBy(app.system('sweep'));
    expect({ ...system, tenants: system.tenants.sort() }).toEqual({ role: 'candor_system', tenants: both() });
  });

  it('takes the tenant from the request or job at hand', async () => {
    const caller = { tenantId: ours.id } as CallerScope;
    const request = createRequestContext(randomUUID(), { caller, tenantId: theirs.id });
    expect((await runInRequestContext(request, () => seenBy(app))).tenants).toEqual([ours.id]);
    const job = createRequestContext(randomUUID(), { tenantId: theirs.id });
    expect((await runInRequestContext(job, () => seenBy(app))).tenants).toEqual([theirs.id]);
    expect((await runInRequestContext(job, () => seenBy(app.forTenants([ours.id])))).tenants).toEqual([ours.id]);
    const stranger = createRequestContext(randomUUID());
    expect((await runInRequestContext(stranger, () => seenBy(app))).tenants).toEqual([]);
  });

  it('holds the scope of its start to the end of a transaction', async () => {
    await app.forTenants([ours.id]).transaction(async (transaction) => {
      for (let time = 0; time < 2; time += 1) {
        const rows: { tenant_id: string }[] = await transaction.query('SELECT tenant_id FROM source_items');
        expect(rows).toEqual([{ tenant_id: ours.id }]);
      }
    });
  });

  it.each<[string, (scoped: TransactionRunner) => Promise<unknown>]>([
    ['a statement that fails', (scoped) => scoped.read((manager) => manager.query('SELECT 1 / 0'))],
    ['a statement that is not SQL', (scoped) => scoped.read((manager) => manager.query('SELEKT 1'))],
    [
      'a value that cannot be bound',
      (scoped) => scoped.read((manager) => manager.query('SELECT $1::uuid', [{ toPostgres: 1 }])),
    ],
    [
      'a transaction that fails midway',
      (scoped) =>
        scoped.transaction(async (transaction) => {
          await transaction.query('SELECT count(*) FROM source_items');
          await transaction.query('SELECT 1 / 0');
        }),
    ],
    [
      'work that throws within a transaction',
      (scoped) =>
        scoped.transaction(async (transaction) => {
          await transaction.query('SELECT count(*) FROM source_items');
          throw new Error('midway');
        }),
    ],
  ])('leaves nothing on the connection after %s', async (_name, fail) => {
    for (const scoped of [app.forTenants([ours.id]), app.system('sweep')]) {
      await expect(fail(scoped)).rejects.toThrow();
      expect(await seenBy(app)).toEqual({ role: 'candor_app', tenants: [] });
      expect((await seenBy(app.forTenants([theirs.id]))).tenants).toEqual([theirs.id]);
    }
  });

  it('keeps statements apart that wait for one connection together', async () => {
    const scopes = [app.forTenants([ours.id]), app, app.forTenants([theirs.id]), app.system('sweep'), app];
    const seen = await Promise.all(scopes.map(seenBy));
    expect(seen.map(({ tenants }) => tenants.sort())).toEqual([[ours.id], [], [theirs.id], both(), []]);
  });

  it('lets nobody change, move, take over or remove what is theirs', async () => {
    const scoped = app.forTenants([ours.id]);
    const run = (sql: string, parameters: unknown[]): Promise<[unknown[], number]> =>
      scoped.read((manager) => manager.query(sql, parameters));
    expect((await run(`UPDATE source_items SET title = 'x' WHERE id = $1`, [theirItem]))[1]).toBe(0);
    expect((await run('DELETE FROM item_relations WHERE item_id = $1', [theirItem]))[1]).toBe(0);
    const refused = /violates row-level security policy/;
    await expect(run('UPDATE source_items SET tenant_id = $1', [theirs.id])).rejects.toThrow(refused);
    const insert = `INSERT INTO collections (id, tenant_id, name) VALUES ($1, $2, 'x')`;
    await expect(run(insert, [randomUUID(), theirs.id])).rejects.toThrow(refused);
    const [item]: { title: string; tenant_id: string }[] = await postgres.query(
      'SELECT title, tenant_id FROM source_items WHERE id = $1',
      [theirItem],
    );
    expect(item).toEqual({ title: 'Release plan', tenant_id: theirs.id });
  });

  it('answers a reference to a row of theirs as one to none', async () => {
    const collection = randomUUID();
    await postgres.query(`INSERT INTO collections (id, tenant_id, name) VALUES ($1, $2, 'theirs')`, [
      collection,
      theirs.id,
    ]);
    const messages: string[] = [];
    for (const id of [collection, randomUUID()]) {
      const error: unknown = await app
        .forTenants([ours.id])
        .read((manager) =>
          manager.query(
            `INSERT INTO collection_items (collection_id, item_id, item_type, tenant_id) VALUES ($1, $2, 'document', $3)`,
            [id, randomUUID(), ours.id],
          ),
        )
        .catch((thrown: unknown) => thrown);
      messages.push(error instanceof Error ? error.message : 'accepted');
    }
    expect(messages[0]).toMatch(/violates row-level security policy "parent_is_seen"/);
    expect(messages[1]).toBe(messages[0]);
  });

  it('finds nothing of theirs through the functions that look past the policies', async () => {
    const later = await theirs.add(buildDocument({ externalId: 'later', supersedes: ['earlier'], tags: ['t'] }));
    const earlier = await theirs.add(buildDocument({ externalId: 'earlier', url: 'https://x.example/1', tags: ['t'] }));
    const call = (scoped: TransactionRunner): Promise<unknown> =>
      scoped.read((manager) =>
        manager.query(
          `SELECT ARRAY(SELECT by_id::text FROM candor_superseding_items($1)) AS superseding,
             ARRAY(SELECT by_id::text FROM candor_superseding_items_at($1, now())) AS superseding_then,
             ARRAY(SELECT candor_tagged_items($2, ARRAY['t'])::text ORDER BY 1) AS tagged,
             ARRAY(SELECT candor_linked_items($2, 'https://x.example/1')::text) AS linked`,
          [[earlier.itemId], theirs.id],
        ),
      );
    const all = {
      superseding: [later.itemId],
      superseding_then: [later.itemId],
      tagged: [earlier.itemId, later.itemId].sort(),
      linked: [earlier.itemId],
    };
    const none = { superseding: [], superseding_then: [], tagged: [], linked: [] };
    expect(await call(app.forTenants([theirs.id]))).toEqual([all]);
    expect(await call(app.system('sweep'))).toEqual([all]);
    expect(await call(app.forTenants([ours.id]))).toEqual([none]);
    expect(await call(app)).toEqual([none]);
  });

  it('reads as many rows for what is superseded, whatever others declare of the same names', async () => {
    const earlier = await ours.add(buildDocument({ externalId: 'handbook' }));
    const later = await ours.add(buildDocument({ externalId: 'handbook-2', supersedes: ['handbook'] }));
    const foreign = await theirs.add(buildDocument({ externalId: 'handbook' }));
    /** What is found, and how many rows the statement reads. */
    const look = (ids: string[]) =>
      app.forTenants([ours.id]).transaction(async (transaction) => {
        const read = async (): Promise<number> => {
          const [row]: { rows: string }[] = await transaction.query(
            `SELECT sum(idx_tup_fetch) AS rows FROM pg_stat_xact_user_tables WHERE relname IN ('source_items', 'item_declarations')`,
          );
          return Number(row?.rows);
        };
        const before = await read();
        const rows: { now: string[]; then: string[] }[] = await transaction.query(
          `SELECT ARRAY(SELECT by_id::text FROM candor_superseding_items($1)) AS now,
             ARRAY(SELECT by_id::text FROM candor_superseding_items_at($1, now())) AS then`,
          [ids],
        );
        return { found: rows[0], rows: (await read()) - before };
      });
    const own = [await look([earlier.itemId]), await look([foreign.itemId]), await look([randomUUID()])];
    expect(own[0]?.found).toEqual({ now: [later.itemId], then: [later.itemId] });
    expect(own[0]?.rows).toBeGreaterThan(0);
    for (let number = 0; number < 5; number += 1)
      await theirs.add(buildDocument({ externalId: `theirs-${number}`, supersedes: ['handbook'] }));
    expect([await look([earlier.itemId]), await look([foreign.itemId]), await look([randomUUID()])]).toEqual(own);
  }, 60_000);

  it('refuses a tenant that is none', () => {
    expect(() => app.forTenants([`${ours.id}},{${theirs.id}`])).toThrow('a tenant id is a UUID');
  });

  it('shows one state throughout a snapshot, of the tenants named, and lets nothing be written in it', async () => {
    const own = await TestTenant.create(postgres.database);
    await own.add(buildDocument());
    const count = (manager: Transaction): Promise<unknown> =>
      manager.query('SELECT count(*)::integer AS items, current_user::text AS role FROM source_items');
    const before = [{ items: 1, role: 'candor_app' }];
    await app.forTenants([own.id]).snapshot(async (transaction) => {
      expect(await count(transaction)).toEqual(before);
      await own.add(buildDocument());
      expect(await count(transaction)).toEqual(before);
    });
    expect(await app.forTenants([own.id]).read(count)).toEqual([{ items: 2, role: 'candor_app' }]);
    const write = app.forTenants([own.id]).snapshot((transaction) => transaction.query('DELETE FROM source_items'));
    await expect(write).rejects.toThrow('read-only transaction');
  });
});
