import { randomBytes } from 'node:crypto';
import { Database } from '../database.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

describeOnPostgres('roles', (postgres) => {
  const suffix = randomBytes(4).toString('hex');
  const prefix = `candor_t${suffix}`;
  const login = `candor_login_${suffix}`;
  const password = randomBytes(12).toString('hex');

  // Within a group, so that the database is still there when they are taken away.
  describe('of a server', () => {
    beforeAll(async () => {
      await postgres.query(`CREATE ROLE ${login} LOGIN PASSWORD '${password}'`);
    });
    afterAll(async () => {
      await postgres.query('DROP SCHEMA other CASCADE');
      for (const role of [`${prefix}_app`, `${prefix}_system`]) await postgres.query(`DROP ROLE ${role}`);
      await postgres.query(`DROP ROLE ${login}`);
    });

    const openAs = (user: string, options: { rolePrefix?: string; schema?: string } = {}): Database => {
      const url = new URL(postgres.url);
      if (user === login) Object.assign(url, { username: login, password });
      const { schema, rolePrefix } = options;
      if (schema) url.searchParams.set('options', `-c search_path=${schema}`);
      return new Database({
        url: url.href,
        applicationName: 'candor-roles',
        poolSize: 1,
        ...(rolePrefix ? { rolePrefix } : {}),
      });
    };

    it('are asked for by name where the user may not make them', async () => {
      const database = openAs(login, { rolePrefix: `candor_x${suffix}` });
      await expect(database.migrate()).rejects.toMatchObject({
        code: 'CONFIG.INVALID',
        message: expect.stringContaining(`CREATE ROLE candor_x${suffix}_app NOLOGIN;`),
      });
      await database.close();
    });

    it('are not to be had by a user who was never given them', async () => {
      const database = openAs(login);
      await expect(database.system('sweep').read((manager) => manager.query('SELECT 1'))).rejects.toThrow(
        'permission denied to set role',
      );
      await database.close();
    });

    it('have names of their own where a server is shared', async () => {
      await postgres.query('CREATE SCHEMA other');
      const database = openAs('', { rolePrefix: prefix, schema: 'other' });
      await database.migrate();
      const asked = await database.read((manager) =>
        manager.query('SELECT current_user::text AS me FROM other.tenants'),
      );
      expect(asked).toEqual([]);
      const [row]: { me: string }[] = await database
        .system('sweep')
        .read((manager) => manager.query('SELECT current_user::text AS me'));
      expect(row?.me).toBe(`${prefix}_system`);
      const foreign = openAs('', { schema: 'other' });
      await expect(foreign.read((manager) => manager.query('SELECT 1 FROM other.tenants'))).rejects.toThrow(
        'permission denied',
      );
      await Promise.all([database.close(), foreign.close()]);
    });
  });
});
