import { Database } from '../database.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

/** What belongs to no tenant: the app role may read it at most. */
const OF_THE_INSTALLATION = ['audit_sealing', 'audit_signing_keys', 'configured_recipes', 'migrations'];

/**
 * Unique without a tenant: only over ids that the server draws, 122 random bits. A caller never chooses one, so that a
 * violation tells nobody anything. A new one needs a reason here, or the tenant in its index.
 */
const DRAWN_BY_SERVER = new Set(['uuid', 'integer', 'bigint', 'timestamp(3) with time zone']);
const UNIQUE_ACROSS_TENANTS = [
  // The public part of a key, drawn by the server.
  'api_key_secrets_pkey',
  // One of each in an installation.
  'api_keys_one_installation_key',
  'tenants_one_default',
  // The key is the caller's own choice, among those of its API key alone.
  'idempotency_records_pkey',
  // Of a row of the tenant's own: the policy holds the first column.
  'source_rereads_pkey',
  'source_unstored_ids_pkey',
  'item_relations_pkey',
  'item_relations_open',
  'collection_items_pkey',
];

/** References that only the worker and the ingest write make, from rows that they hold already: checked once, by the key. */
const REFERENCES_OF_HELD_ROWS = [
  'api_key_secrets -> api_keys',
  'audit_leaves -> audit_batches',
  'chunks -> item_versions',
  'generation_items -> generations',
  'ingestion_items -> ingestions',
  'ingestion_items -> source_items',
  'item_declarations -> source_items',
  'item_files -> item_versions',
  'item_past_dates -> source_items',
  'item_relations -> item_versions',
  'item_versions -> source_items',
  'source_rereads -> source_connectors',
  'source_unstored_ids -> source_connectors',
  'sync_run_failures -> sync_runs',
];

interface TableRow {
  name: string;
  enabled: boolean;
  forced: boolean;
  owner: string;
  policies: string[];
}

const TABLES = `SELECT c.relname AS name, c.relrowsecurity AS enabled, c.relforcerowsecurity AS forced,
    pg_get_userbyid(c.relowner) AS owner,
    ARRAY(SELECT p.polname::text FROM pg_policy p WHERE p.polrelid = c.oid ORDER BY 1) AS policies
  FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1`;

describeOnPostgres('the catalogue', (postgres) => {
  it('has every table forced under policies, but for those of the installation', async () => {
    const tables = await postgres.query<TableRow>(TABLES);
    expect(tables.length).toBeGreaterThan(20);
    const open = tables.filter(({ enabled, forced }) => !enabled || !forced).map(({ name }) => name);
    expect(open).toEqual(OF_THE_INSTALLATION);
    for (const { name, policies } of tables)
      if (!OF_THE_INSTALLATION.includes(name))
        expect([name, ...policies]).toEqual(expect.arrayContaining([name, 'system_rows', 'tenant_rows']));
  });

  it('has nothing of the installation that the app role could change', async () => {
    const changeable = await postgres.query(
      `SELECT t.name FROM unnest($1::text[]) AS t(name)
       WHERE has_table_privilege('candor_app', t.name, 'INSERT, UPDATE, DELETE, TRUNCATE')`,
      [OF_THE_INSTALLATION],
    );
    expect(changeable).toEqual([]);
  });

  it('has no policy that lets the app role see more', async () => {
    const wider = await postgres.query(
      `SELECT c.relname, p.polname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
       WHERE p.polpermissive AND p.polname <> 'tenant_rows'
         AND (0 = ANY(p.polroles) OR EXISTS (SELECT FROM unnest(p.polroles) r WHERE pg_has_role('candor_app', r, 'MEMBER')))`,
    );
    expect(wider).toEqual([]);
  });

  it('has app and system roles that nobody can log in as, and that no policy spares', async () => {
    const roles = await postgres.query(
      `SELECT rolname, rolsuper, rolbypassrls, rolcanlogin, rolcreaterole, rolcreatedb FROM pg_roles
       WHERE rolname IN ('candor_app', 'candor_system') ORDER BY 1`,
    );
    const nothing = {
      rolsuper: false,
      rolbypassrls: false,
      rolcanlogin: false,
      rolcreaterole: false,
      rolcreatedb: false,
    };
    expect(roles).toEqual([
      { rolname: 'candor_app', ...nothing },
      { rolname: 'candor_system', ...nothing },
    ]);
    const owners = new Set((await postgres.query<TableRow>(TABLES)).map(({ owner }) => owner));
    expect(owners).not.toContain('candor_app');
    const [member] = await postgres.query<{ may: boolean }>(
      `SELECT pg_has_role('candor_app', 'candor_system', 'MEMBER') OR EXISTS (SELECT FROM pg_class c
         WHERE c.relnamespace = 'public'::regnamespace AND pg_has_role('candor_app', c.relowner, 'MEMBER')) AS may`,
    );
    expect(member?.may).toBe(false);
  });

  it('protects a table that a later migration forgets, and shows what it cannot', async () => {
    await postgres.query('CREATE TABLE forgotten (id uuid PRIMARY KEY, tenant_id uuid NOT NULL)');
    await postgres.query('CREATE TABLE forgotten_child (forgotten_id uuid)');
    await postgres.database.migrate();
    const tables = await postgres.query<TableRow>(TABLES);
    const shown = Object.fromEntries(tables.map(({ name, forced }) => [name, forced]));
    expect(shown).toMatchObject({ forgotten: true, forgotten_child: false });
    await postgres.query('DROP TABLE forgotten, forgotten_child');
  });

  it('lets the app role add to the audit trail and nothing else', async () => {
    const app = new Database({ url: postgres.url, applicationName: 'candor-audit', poolSize: 1 });
    const scoped = app.forTenants(['00000000-0000-4000-8000-000000000001']);
    for (const sql of ['UPDATE audit_events SET action = action', 'DELETE FROM audit_events', 'TRUNCATE audit_events'])
      await expect(scoped.read((manager) => manager.query(sql))).rejects.toThrow('permission denied');
    await app.close();
  });

  it('has the tenant in every unique index, or nothing that a caller could guess', async () => {
    const indexes = await postgres.query<{ name: string; types: string[]; has_tenant: boolean }>(
      `SELECT i.relname AS name, bool_or(a.attname = 'tenant_id') AS has_tenant,
         array_agg(DISTINCT format_type(a.atttypid, a.atttypmod)) AS types
       FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
         JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (x.indkey)
       WHERE x.indisunique AND t.relrowsecurity AND t.relnamespace = 'public'::regnamespace GROUP BY 1 ORDER BY 1`,
    );
    const guessable = indexes.filter(
      ({ has_tenant: hasTenant, types }) => !hasTenant && !types.every((type) => DRAWN_BY_SERVER.has(type)),
    );
    expect(guessable.map(({ name }) => name).filter((name) => !UNIQUE_ACROSS_TENANTS.includes(name))).toEqual([]);
    const known = new Set(indexes.map(({ name }) => name));
    expect(UNIQUE_ACROSS_TENANTS.filter((name) => !known.has(name))).toEqual([]);
  });

  it('has the parent looked for before the foreign key wherever a caller names it', async () => {
    const references = await postgres.query<{ reference: string; checked: boolean }>(
      `SELECT DISTINCT c.relname || ' -> ' || p.relname AS reference,
         EXISTS (SELECT FROM pg_policy r WHERE r.polrelid = c.oid AND NOT r.polpermissive) AS checked
       FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
       WHERE k.contype = 'f' AND p.relname <> 'tenants' AND c.relnamespace = 'public'::regnamespace ORDER BY 1`,
    );
    const unchecked = references.filter(({ checked }) => !checked).map(({ reference }) => reference);
    expect(unchecked).toEqual(REFERENCES_OF_HELD_ROWS);
  });
});
