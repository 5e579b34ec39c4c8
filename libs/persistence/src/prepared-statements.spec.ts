import { Database } from './database.js';
import { PREPARED } from './prepared-statements.js';
import { CandorClient } from './scope/candor-client.js';
import { testServerUrl } from './testing/create-test-database.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

describe('CandorClient', () => {
  it('survives a server that goes away while nobody listens', () => {
    expect(new CandorClient().emit('error', new Error('terminating connection'))).toBe(true);
  });
});

withPostgres('prepared statements', () => {
  let database: Database;
  // One connection, whose prepared statements can be looked at.
  beforeAll(
    () =>
      (database = new Database({ url: server ?? '', applicationName: 'candor-test', poolSize: 1, unscoped: 'owner' })),
  );
  afterAll(() => database.close());

  const run = (sql: string, parameters: unknown[]): Promise<unknown> =>
    database.read((manager) => manager.query(sql, parameters));
  const listPrepared = async (): Promise<string[]> => {
    const rows = (await run('SELECT statement FROM pg_prepared_statements ORDER BY 1', [])) as { statement: string }[];
    return rows.map((row) => row.statement);
  };

  it('prepares a marked statement once a connection, and no other', async () => {
    const marked = `${PREPARED}SELECT $1::integer + 1 AS sum`;
    expect(await run(marked, [1])).toEqual([{ sum: 2 }]);
    expect(await run(marked, [41])).toEqual([{ sum: 42 }]);
    expect(await run('SELECT $1::integer + 2 AS sum', [1])).toEqual([{ sum: 3 }]);
    expect(await listPrepared()).toEqual([marked]);
  });

  it('says what is wrong with a marked statement, and runs the next one', async () => {
    await expect(run(`${PREPARED}SELECT 1 / $1::integer AS part`, [0])).rejects.toThrow('division by zero');
    await expect(run(`${PREPARED}SELECT nothing FROM nowhere`, [])).rejects.toThrow('nowhere');
    expect(await run(`${PREPARED}SELECT 1 / $1::integer AS part`, [1])).toEqual([{ part: 1 }]);
  });
});
