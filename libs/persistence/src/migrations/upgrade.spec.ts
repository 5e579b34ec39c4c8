import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { createTestDatabase, testServerUrl, type TestDatabase } from '../testing.js';
import { InitialSchema1764000000000 } from './1764000000000-initial-schema.js';
import { SourceConnectors1764100000000 } from './1764100000000-source-connectors.js';
import { ItemFiles1764200000000 } from './1764200000000-item-files.js';
import { GenerationBuilds1764300000000 } from './1764300000000-generation-builds.js';
import { IngestionOverview1764400000000 } from './1764400000000-ingestion-overview.js';
import { Library1764500000000 } from './1764500000000-library.js';
import { DeclarationHistory1764600000000 } from './1764600000000-declaration-history.js';
import { Reasoning1764700000000 } from './1764700000000-reasoning.js';
import { OutboxLanes1764800000000 } from './1764800000000-outbox-lanes.js';

type Row = Record<string, unknown>;
type Release = Record<string, Row[]>;

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

/** What that database was made by. */
const MIGRATIONS = [
  InitialSchema1764000000000,
  SourceConnectors1764100000000,
  ItemFiles1764200000000,
  GenerationBuilds1764300000000,
  IngestionOverview1764400000000,
  Library1764500000000,
  DeclarationHistory1764600000000,
  Reasoning1764700000000,
  OutboxLanes1764800000000,
];

withPostgres('upgrade of a database from before 0.1.0', () => {
  let release: Release;
  let test: TestDatabase;
  let owner: DataSource;

  beforeAll(async () => {
    // Its demo workspace after some use: edits, a delete, a dead letter, feedback, a source, two tenants.
    const packed = await readFile(new URL('./testing/release-0.1.json.gz', import.meta.url));
    release = JSON.parse((await promisify(gunzip)(packed)).toString('utf8')) as Release;
    test = await createTestDatabase(server ?? '', { migrate: false });
    owner = await new DataSource({ type: 'postgres', url: test.url, migrations: MIGRATIONS }).initialize();
    await owner.runMigrations();
    await load(owner, release);
    await test.database.migrate();
  }, 60_000);
  afterAll(async () => {
    await owner.destroy();
    await test.drop();
  });

  it('begins with the rows of every kind', () => {
    const empty = Object.keys(release).filter((table) => release[table]?.length === 0);
    expect(empty).toEqual([
      'collection_items',
      'generation_items',
      'idempotency_records',
      'item_version_notes',
      'outbox',
      'passage_sessions',
      'reviewed_relations',
      'source_rereads',
      'sync_run_failures',
    ]);
  });

  it('keeps every value of every row', async () => {
    const changed: string[] = [];
    for (const [table, before] of Object.entries(release)) {
      if (table === 'migrations' || table === 'relation_proposals' || before.length === 0) continue;
      const columns = Object.keys(before[0] ?? {});
      const after = await owner.query<{ row: Row }[]>(`SELECT to_jsonb(t) AS row FROM "${table}" t`);
      const kept = after.map(({ row }) => pick(reunite(table, row), columns));
      if (digest(kept) !== digest(before)) changed.push(table);
    }
    expect(changed).toEqual([]);
  });

  it('keeps one proposal of each finding, where there was one for each level of the same passage', async () => {
    const before = release['relation_proposals'] ?? [];
    const found = new Set(before.map(({ kind, claims }) => JSON.stringify([kind, quotationsOf(claims)])));
    const after = await owner.query<Row[]>('SELECT kind, claims FROM relation_proposals');
    expect(before).toHaveLength(3);
    expect(after.map(({ kind, claims }) => JSON.stringify([kind, quotationsOf(claims)]))).toEqual([...found]);
  });

  it('names each finding as the engine does, so that it is found under its id again', async () => {
    const rows = await owner.query<Row[]>('SELECT id, tenant_id, kind, claims FROM relation_proposals');
    expect(rows.length).toBeGreaterThan(0);
    const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
    for (const { id, tenant_id: tenantId, kind, claims } of rows) {
      const sides = (claims as { itemId: string; quotation: string }[]).map(
        ({ itemId, quotation }) => `${itemId}:${sha256(quotation)}`,
      );
      const hex = sha256([tenantId, kind, ...sides.sort()].join('\n'));
      // As `identifyProposal` of the engine has it.
      const expected = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
      expect(id).toBe(expected);
    }
  });

  it('goes on in each sequence behind its last value', async () => {
    const [row] = await owner.query<{ next: string }[]>(`SELECT nextval('audit_events_sequence_seq')::text AS next`);
    expect(Number(row?.next)).toBe((release['audit_events']?.length ?? 0) + 1);
  });

  it('puts the question apart also of events that the older release still writes', async () => {
    const [older] = release['audit_events'] ?? [];
    const metadata = { query: 'How “deep”\nis it?', querySha256: 'ab', candidates: 3 };
    await owner.query(
      `INSERT INTO audit_events (id, tenant_id, request_id, action, outcome, actor_type, metadata)
       VALUES ('7d8a9e02-6c1c-4a53-9d0c-000000000001', $1, $2, 'search.query', 'ok', 'agent', $3)`,
      [older?.['tenant_id'], older?.['request_id'], JSON.stringify(metadata)],
    );
    const [event] = await owner.query<{ metadata: Row; erasable: Row; salt: Buffer; digest: Buffer }[]>(
      `SELECT metadata, erasable, erasable_salt AS salt, erasable_digest AS digest FROM audit_events
       WHERE id = '7d8a9e02-6c1c-4a53-9d0c-000000000001'`,
    );
    const { candidates, ...texts } = metadata;
    expect(event).toMatchObject({ metadata: { candidates }, erasable: texts });
    const expected = createHash('sha256')
      .update(event?.salt ?? '')
      .update(JSON.stringify(texts));
    expect(event?.digest).toEqual(expected.digest());
  });

  it('changes nothing when it runs again', async () => {
    const count = async () => (await owner.query<unknown[]>('SELECT 1 FROM migrations')).length;
    const before = await count();
    await test.database.migrate();
    expect(await count()).toBe(before);
    expect(before).toBeGreaterThan(MIGRATIONS.length);
  });
});

/** As a restore does it: without triggers, what is referred to first. */
async function load(owner: DataSource, release: Release): Promise<void> {
  const tables = await inOrderOfReference(owner, Object.keys(release));
  await owner.transaction(async (transaction) => {
    for (const table of tables) await transaction.query(`ALTER TABLE "${table}" DISABLE TRIGGER USER`);
    for (const table of tables) {
      await transaction.query(
        `INSERT INTO "${table}" OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::"${table}", $1::json)`,
        [JSON.stringify(release[table])],
      );
    }
    for (const table of tables) await transaction.query(`ALTER TABLE "${table}" ENABLE TRIGGER USER`);
    await transaction.query(
      `SELECT setval('audit_events_sequence_seq', (SELECT max(sequence) FROM audit_events)), setval('outbox_id_seq', 144)`,
    );
  });
}

async function inOrderOfReference(owner: DataSource, names: readonly string[]): Promise<string[]> {
  const references = await owner.query<{ from: string; to: string }[]>(
    `SELECT conrelid::regclass::text AS "from", confrelid::regclass::text AS "to" FROM pg_constraint
     WHERE contype = 'f' AND conrelid <> confrelid`,
  );
  const ordered: string[] = ['migrations'];
  while (ordered.length < names.length) {
    const next = names.filter(
      (name) => !ordered.includes(name) && references.every(({ from, to }) => from !== name || ordered.includes(to)),
    );
    if (next.length === 0) throw new Error('tables refer to each other in a circle');
    ordered.push(...next);
  }
  return ordered.slice(1);
}

/** What may be erased of an audit event stands apart since. */
function reunite(table: string, row: Row): Row {
  if (table !== 'audit_events') return row;
  return { ...row, metadata: { ...(row['metadata'] as Row), ...(row['erasable'] as Row | null) } };
}

function quotationsOf(claims: unknown): unknown[] {
  return (claims as { itemId: string; quotation: string }[]).map(({ itemId, quotation }) => [itemId, quotation]);
}

function pick(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column]]));
}

/** Of rows in any order, whatever the order of the keys in their JSON. */
function digest(rows: readonly Row[]): string {
  const lines = rows.map((row) => JSON.stringify(row, (_, value: unknown) => sortKeys(value)));
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
