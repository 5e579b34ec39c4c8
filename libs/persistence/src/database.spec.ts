import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import { Database } from './database.js';
import { isUniqueViolation } from './is-unique-violation.js';
import { createTestDatabase, testServerUrl, type TestDatabase } from './testing.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

withPostgres('migrate', () => {
  let empty: TestDatabase;

  beforeAll(async () => {
    empty = await createTestDatabase(server ?? '', { migrate: false });
  });
  afterAll(() => empty.drop());

  it('lets processes that start together wait for each other, and changes nothing the second time', async () => {
    const processes = [1, 2, 3].map(
      (number) => new Database({ url: empty.url, applicationName: `process-${number}`, poolSize: 1 }),
    );
    try {
      await Promise.all(processes.map((database) => database.migrate()));
      await processes[0]?.migrate();
    } finally {
      await Promise.all(processes.map((database) => database.close()));
    }
    const rows: { name: string }[] = await empty.database.read((manager) =>
      manager.query('SELECT name FROM migrations'),
    );
    const names = rows.map((row) => row.name);
    expect(names[0]).toBe('InitialSchema1764000000000');
    expect(new Set(names).size).toBe(names.length);
    const locks: unknown[] = await empty.database.read((manager) =>
      manager.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database =
        (SELECT oid FROM pg_database WHERE datname = current_database())`),
    );
    expect(locks).toEqual([]);
  });
});

withPostgres('Database', () => {
  let test: TestDatabase;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());

  const query = <Result>(sql: string, parameters: unknown[] = []): Promise<Result> =>
    test.database.read((manager) => manager.query<Result>(sql, parameters));

  it('has a column of the right type and nullability for every property of every entity', async () => {
    const source = new DataSource({
      type: 'postgres',
      url: test.url,
      entities: getMetadataArgsStorage().tables.map((table) => table.target),
    });
    await source.initialize();
    try {
      const schema = await query<{ table_name: string; column_name: string; udt_name: string; is_nullable: string }[]>(
        `SELECT table_name, column_name, udt_name, is_nullable FROM information_schema.columns WHERE table_schema = 'public'`,
      );
      const stored = new Map(schema.map((row) => [`${row.table_name}.${row.column_name}`, row]));
      expect(source.entityMetadatas).toHaveLength(11);
      for (const entity of source.entityMetadatas) {
        for (const column of entity.columns) {
          const found = stored.get(`${entity.tableName}.${column.databaseName}`);
          expect({
            column: `${entity.tableName}.${column.databaseName}`,
            type: found?.udt_name,
            isNullable: found?.is_nullable,
          }).toEqual({
            column: `${entity.tableName}.${column.databaseName}`,
            type: udtName(source.driver.normalizeType(column), column.isArray),
            isNullable: column.isNullable ? 'YES' : 'NO',
          });
        }
      }
      const log = await source.driver.createSchemaBuilder().log();
      // Indexes, constraints and foreign keys are the migration's alone; of a type that TypeORM doesn't know is one column.
      const ours =
        /^DROP INDEX|^ALTER TABLE "\w+" DROP CONSTRAINT|^ALTER TABLE "audit_events" DROP COLUMN "transaction_id"$/;
      expect(log.upQueries.map(({ query: sql }) => sql).filter((sql) => !ours.test(sql))).toEqual([]);
    } finally {
      await source.destroy();
    }
  });

  it('answers raw statements as the repositories read them', async () => {
    await query('CREATE TABLE shapes (id integer, name text)');
    expect(await query(`INSERT INTO shapes VALUES (1, 'a'), (2, 'b') RETURNING id`)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await query(`UPDATE shapes SET name = 'c' WHERE id = 1 RETURNING name`)).toEqual([[{ name: 'c' }], 1]);
    expect(await query(`UPDATE shapes SET name = 'c' WHERE id = 9 RETURNING name`)).toEqual([[], 0]);
    expect(
      await query(`WITH x AS (SELECT 2 AS id) UPDATE shapes s SET name = 'd' FROM x WHERE s.id = x.id RETURNING s.id`),
    ).toEqual([[{ id: 2 }], 1]);
    expect(await query('DELETE FROM shapes RETURNING id')).toEqual([[{ id: 1 }, { id: 2 }], 2]);
    expect(await query('SELECT id FROM shapes')).toEqual([]);
  });

  it('rolls a transaction back when its work fails, and passes the error on', async () => {
    const id = randomUuid();
    const failure = new Error('changed my mind');
    await expect(
      test.database.transaction(async (transaction) => {
        await transaction.query(`INSERT INTO tenants (id, name) VALUES ($1, 'x')`, [id]);
        throw failure;
      }),
    ).rejects.toBe(failure);
    expect(await query('SELECT id FROM tenants WHERE id = $1', [id])).toEqual([]);
  });

  it('says which constraint a second row of the same key violates', async () => {
    const id = randomUuid();
    const insert = (): Promise<unknown> => query(`INSERT INTO tenants (id, name) VALUES ($1, 'x')`, [id]);
    await insert();
    const error: unknown = await insert().catch((thrown: unknown) => thrown);
    expect(isUniqueViolation(error, 'tenants_pkey')).toBe(true);
    expect(isUniqueViolation(error, 'other')).toBe(false);
    expect(isUniqueViolation('tenants_pkey', 'tenants_pkey')).toBe(false);
  });

  it('tells a statement that takes too long from a server that is away', async () => {
    const slow = test.database.transaction(async (transaction) => {
      await transaction.query('SET LOCAL statement_timeout = 20');
      await transaction.query('SELECT pg_sleep(20)');
    });
    await expect(slow).rejects.toMatchObject({ code: 'DEPENDENCY.DATABASE_TIMEOUT', retryable: true, status: 503 });
  });

  it('refuses writes when it is opened read-only', async () => {
    const reader = new Database({ url: test.url, applicationName: 'reader', readOnly: true, unscoped: 'owner' });
    try {
      await expect(
        reader.read((manager) => manager.query(`INSERT INTO tenants (id, name) VALUES ($1, 'x')`, [randomUuid()])),
      ).rejects.toThrow('read-only transaction');
      await expect(reader.read((manager) => manager.query('SELECT 1 AS one'))).resolves.toEqual([{ one: 1 }]);
    } finally {
      await reader.close();
    }
  });

  it('connects once for callers that come together, and leaves nothing open when closed meanwhile', async () => {
    const database = new Database({ url: test.url, applicationName: 'closing' });
    const pings = Promise.all([database.ping(), database.ping(), database.ping()]);
    await pings;
    const connecting = new Database({ url: test.url, applicationName: 'closing' });
    const ping = connecting.ping().catch(() => undefined);
    await Promise.all([connecting.close(), database.close()]);
    await ping;
    await connecting.close();
    const open = await query('SELECT 1 FROM pg_stat_activity WHERE application_name = $1', ['closing']);
    expect(open).toEqual([]);
  });
});

function udtName(type: string, isArray: boolean): string {
  const names: Record<string, string> = {
    'timestamp with time zone': 'timestamptz',
    integer: 'int4',
    bigint: 'int8',
    boolean: 'bool',
  };
  return `${isArray ? '_' : ''}${names[type] ?? type}`;
}
