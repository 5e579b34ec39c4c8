import { randomBytes } from 'node:crypto';
import { Database } from '../database.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

describeOnPostgres('a login that owns nothing', (postgres) => {
  const suffix = randomBytes(4).toString('hex');
  const member = `candor_member_${suffix}`;
  const stranger = `candor_stranger_${suffix}`;
  /** As retrieval's: one tenant at a time. */
  const reader = `candor_reader_${suffix}`;
  const password = randomBytes(12).toString('hex');

  // Within a group, so that the database is still there when they are taken away.
  describe('of the tables', () => {
    beforeAll(async () => {
      for (const login of [member, stranger, reader])
        await postgres.query(`CREATE ROLE ${login} LOGIN NOINHERIT PASSWORD '${password}'`);
      await postgres.query(`GRANT candor_app, candor_system TO ${member}`);
      await postgres.query(`GRANT candor_app TO ${reader}`);
    });
    afterAll(async () => {
      await postgres.query('DROP SCHEMA IF EXISTS empty CASCADE');
      for (const login of [member, stranger, reader]) await postgres.query(`DROP ROLE ${login}`);
    });

    const openAs = (username: string, schema = 'public'): Database => {
      const url = Object.assign(new URL(postgres.url), { username, password });
      url.searchParams.set('options', `-c search_path=${schema}`);
      return new Database({ url: url.href, applicationName: 'candor-check', poolSize: 1 });
    };
    const as = async <Result>(login: string, work: (database: Database) => Promise<Result>, schema?: string) => {
      const database = openAs(login, schema);
      try {
        return await work(database);
      } finally {
        await database.close();
      }
    };
    const migrate = (database: Database): Promise<void> => database.migrate();

    const requireSchema = (database: Database): Promise<void> => database.requireSchema();

    it('starts on a schema that is at its release, and works on it', async () => {
      await as(member, migrate);
      const [row] = await as(member, (database) =>
        database
          .system('sweep')
          .read((manager) =>
            manager.query<{ me: string }[]>(
              'SELECT current_user::text AS me FROM audit_sealing RIGHT JOIN (SELECT) one ON true',
            ),
          ),
      );
      expect(row?.me).toBe('candor_system');
    });

    it('waits for a migration that is missing, and adds none', async () => {
      const [last] = await postgres.query<{ name: string }>('SELECT name FROM migrations ORDER BY id DESC LIMIT 1');
      await postgres.query('UPDATE migrations SET name = $2 WHERE name = $1', [last?.name, 'Another1']);
      const refusal = {
        code: 'DEPENDENCY.DATABASE_UNAVAILABLE',
        message: expect.stringContaining('1 migrations are missing'),
      };
      await expect(as(member, migrate)).rejects.toMatchObject(refusal);
      await expect(as(reader, requireSchema)).rejects.toMatchObject(refusal);
      await postgres.query('UPDATE migrations SET name = $1 WHERE name = $2', [last?.name, 'Another1']);
      await as(member, migrate);
      await as(reader, requireSchema);
    });

    it('waits for the first migration, and for that of a release that kept its list to the owner', async () => {
      await postgres.query('CREATE SCHEMA empty');
      // Whoever may make a table there could become the owner of all, were that asked.
      await postgres.query(`GRANT USAGE, CREATE ON SCHEMA empty TO ${member}`);
      const wait = (what: string) => ({
        code: 'DEPENDENCY.DATABASE_UNAVAILABLE',
        message: expect.stringContaining(what),
      });
      await expect(as(member, migrate, 'empty')).rejects.toMatchObject(wait('holds no tables yet'));
      await postgres.query('REVOKE SELECT ON migrations FROM candor_app, candor_system');
      await expect(as(member, migrate)).rejects.toMatchObject(wait('migrations are missing'));
      await postgres.query('GRANT SELECT ON migrations TO candor_app, candor_system');
    });

    it('is told what it lacks', async () => {
      await expect(as(stranger, migrate)).rejects.toMatchObject({
        code: 'CONFIG.INVALID',
        message: expect.stringContaining('GRANT candor_app, candor_system TO <user>;'),
      });
    });

    it('needs both roles to look across tenants, and one to read for a tenant', async () => {
      await expect(as(reader, migrate)).rejects.toMatchObject({
        code: 'CONFIG.INVALID',
        message: expect.stringContaining('GRANT candor_app, candor_system TO <user>;'),
      });
      await expect(as(stranger, requireSchema)).rejects.toMatchObject({
        code: 'CONFIG.INVALID',
        message: expect.stringContaining('GRANT candor_app TO <user>;'),
      });
    });

    it.each([
      ['alter a table', 'ALTER TABLE source_items ADD COLUMN own text', 'must be owner'],
      ['drop a table', 'DROP TABLE source_items', 'must be owner'],
      ['make a table', 'CREATE TABLE own (id integer)', 'permission denied for schema'],
      ['take a trigger away', 'ALTER TABLE audit_events DISABLE TRIGGER USER', 'must be owner'],
      ['take a policy away', 'DROP POLICY tenant_rows ON source_items', 'must be owner'],
      ['switch policies off', 'ALTER TABLE source_items DISABLE ROW LEVEL SECURITY', 'must be owner'],
      ['truncate', 'TRUNCATE audit_events', 'permission denied'],
      ['change the list of migrations', `DELETE FROM migrations`, 'permission denied'],
      ['let itself past the policies', `ALTER ROLE ${member} BYPASSRLS`, /permission denied|must be superuser/],
    ])('cannot %s, as whatever role', async (_what, statement, message) => {
      const run = (role: 'app' | 'system') =>
        as(member, (database) =>
          (role === 'system' ? database.system('sweep') : database).transaction((transaction) =>
            transaction.query(statement),
          ),
        );
      await expect(run('system')).rejects.toThrow(message);
      await expect(run('app')).rejects.toThrow(message);
    });

    it('sees no row without becoming a role', async () => {
      const url = Object.assign(new URL(postgres.url), { username: member, password });
      const bare = new Database({ url: url.href, applicationName: 'candor-check', poolSize: 1, unscoped: 'owner' });
      await expect(bare.read((manager) => manager.query('SELECT 1 FROM source_items'))).rejects.toThrow(
        'permission denied for table source_items',
      );
      await bare.close();
    });
  });
});
