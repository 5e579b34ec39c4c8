import type { EventEmitter } from 'node:events';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { TestTenant } from '../testing/test-tenant.js';
import { CandorClient } from './candor-client.js';
import { runInScope, systemScope, tenantScope, type DatabaseScope } from './database-scope.js';

describeOnPostgres('a connection', (postgres) => {
  let client: CandorClient;
  let tenant: TestTenant;
  let roundTrips = 0;

  beforeAll(async () => {
    tenant = await TestTenant.create(postgres.database);
    client = new CandorClient({ connectionString: postgres.url, rolePrefix: 'candor' });
    await client.connect();
    // The server says it once for each message that it was sent and waited for.
    (client as unknown as { connection: EventEmitter }).connection.on('readyForQuery', () => (roundTrips += 1));
    await ask(tenantScope([tenant.id]), 'SELECT 1');
  });
  afterAll(() => client.end());

  function ask(scope: DatabaseScope, ...statements: string[]): Promise<unknown[]> {
    return runInScope(scope, async () => {
      const answers: unknown[] = [];
      for (const text of statements) answers.push((await client.query<Record<string, unknown>>(text)).rows);
      return answers;
    });
  }

  it('takes on its role and tenants without a round trip of their own', async () => {
    const count = 'SELECT count(*)::integer AS n FROM generations';
    roundTrips = 0;
    expect(await ask(tenantScope([tenant.id]), count)).toEqual([[{ n: 1 }]]);
    expect(roundTrips).toBe(1);
    expect(await ask(systemScope('sweep'), count)).toEqual([[{ n: 1 }]]);
    expect(await ask(tenantScope([]), count)).toEqual([[{ n: 0 }]]);
    expect(roundTrips).toBe(3);
    await ask(tenantScope([tenant.id]), 'START TRANSACTION', count, count, 'COMMIT');
    expect(roundTrips).toBe(3 + 4);
  });

  it('prepares a marked statement for the role that runs it, once', async () => {
    const marked = '/* prepared */ SELECT id FROM generations';
    for (let time = 0; time < 3; time += 1)
      expect(await ask(tenantScope([tenant.id]), marked)).toEqual([[{ id: tenant.generationId }]]);
    const [rows] = await ask(systemScope('sweep'), 'SELECT statement FROM pg_prepared_statements ORDER BY 1');
    expect(rows).toEqual([{ statement: marked }, { statement: expect.stringContaining('set_config') }]);
  });

  it('gives what a statement returns and no more', async () => {
    const result = await runInScope(tenantScope([tenant.id]), () =>
      client.query(`UPDATE generations SET name = name WHERE tenant_id = '${tenant.id}'`),
    );
    expect(result).toMatchObject({ command: 'UPDATE', rowCount: 1, rows: [] });
  });

  it('refuses statements in other forms, which no scope would reach', async () => {
    const ask = (): unknown => client.query({ text: 'SELECT 1' });
    await expect(runInScope(tenantScope([tenant.id]), async () => ask())).rejects.toThrow('A statement is a text');
    await expect((async () => ask())()).rejects.toThrow('A statement is a text');
  });
});
