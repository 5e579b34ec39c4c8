import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '@candor/testkit';
import { freePort } from '@candor/services';

const run = promisify(execFile);
const LOGINS_FILE = new URL('../../../../deploy/postgres/logins.sql', import.meta.url).pathname;
const LOGINS = ['owner', 'gateway', 'worker', 'retrieval'] as const;
export type Login = (typeof LOGINS)[number];

/**
 * A Postgres as an operator has it, with the programs of its version and the logins of `deploy/postgres/logins.sql`, each
 * with a password of its own: what the guides say is run as it stands there.
 */
export class OperatedPostgres {
  private readonly passwords = Object.fromEntries(
    LOGINS.map((login) => [login, randomBytes(12).toString('hex')]),
  ) as Record<Login, string>;

  private constructor(
    private readonly programs: string,
    private readonly folder: string,
    private readonly port: number,
    private readonly server: ChildProcess,
    private readonly account: { uid?: number; gid?: number },
  ) {}

  static async start(programs: string): Promise<OperatedPostgres> {
    // The server refuses to run as root.
    const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const folder = await mkdtemp(join(tmpdir(), 'candor-operated-'));
    if (account.uid !== undefined) chownSync(folder, account.uid, account.gid);
    const data = join(folder, 'data');
    const port = await freePort();
    const inFolder = { ...account, cwd: folder };
    const trusted = ['-U', 'postgres', '--auth-local=trust', '--auth-host=scram-sha-256', '-E', 'UTF8', '--no-sync'];
    await run(join(programs, 'initdb'), ['-D', data, ...trusted], inFolder);
    const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-k', folder];
    const server = spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
      ...inFolder,
      stdio: 'ignore',
    });
    const operated = new OperatedPostgres(programs, folder, port, server, account);
    await waitFor(() => operated.psql('postgres', 'SELECT 1').then(() => true), { what: 'the server' });
    // Twice, as the file says that one may.
    await operated.makeLogins();
    await operated.makeLogins();
    return operated;
  }

  urlOf(login: Login, database = 'candor'): string {
    return `postgresql://candor_${login}:${this.passwords[login]}@127.0.0.1:${this.port}/${database}`;
  }

  /** As the administrator; a line a row. */
  async psql(database: string, statement: string): Promise<string[]> {
    const { stdout } = await this.run('psql', [...this.asAdministrator(database), '-At', '-c', statement]);
    return stdout.split('\n').filter((line) => line !== '');
  }

  /** With a program and arguments of the guide. */
  run(program: string, args: readonly string[], env = process.env): Promise<{ stdout: string }> {
    return run(join(this.programs, program), args, { ...this.account, env, cwd: this.folder, maxBuffer: 64_000_000 });
  }

  /** Every row of every table of the schema, as a digest by table. */
  async digest(database: string): Promise<Record<string, string>> {
    const tables = await this.psql(
      database,
      `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
    );
    const digests = await Promise.all(
      tables.map(async (table) => {
        const text = `SELECT count(*) || ' ' || md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text COLLATE "C"), '')) FROM "${table}" t`;
        return [table, (await this.psql(database, text))[0] ?? ''] as const;
      }),
    );
    return Object.fromEntries(digests);
  }

  async stop(): Promise<void> {
    if (this.server.exitCode === null) {
      const ended = once(this.server, 'exit');
      this.server.kill('SIGINT');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  private makeLogins(): Promise<unknown> {
    const passwords = LOGINS.map((login) => [`${login.toUpperCase()}_PASSWORD`, this.passwords[login]]);
    const env = { ...process.env, ...Object.fromEntries(passwords) };
    return this.run('psql', [...this.asAdministrator('postgres'), '-f', LOGINS_FILE], env);
  }

  /** By the socket, which only the server's own user may open. */
  private asAdministrator(database: string): string[] {
    return ['-h', this.folder, '-p', String(this.port), '-U', 'postgres', '-d', database];
  }
}

const MIGRATE = new URL('../../../ingestion-worker/dist/migrate.main.js', import.meta.url).pathname;

/** As the migration job does it. */
export async function runMigrations(databaseUrl: string): Promise<void> {
  const { NODE_OPTIONS: _, ...environment } = process.env;
  await run(process.execPath, [MIGRATE], { env: { ...environment, DATABASE_URL: databaseUrl } });
}
