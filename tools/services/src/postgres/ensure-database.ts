import pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { readErrorCode } from '../read-error.js';

export const DATABASE = 'candor';
/** Not a superuser, so that row-level security binds it; may create databases and roles, for tests and migrations. */
export const ROLE = 'candor';

const POLL_MS = 50;
const NOT_YET = new Set(['ECONNREFUSED', 'ECONNRESET', '57P03' /* cannot_connect_now: starting up or recovering */]);

export interface EnsureDatabaseOptions {
  readonly port: number;
  readonly password: string;
  /** Called before each attempt; throws to give up. */
  readonly checkServer: () => Promise<void>;
}

/** Waits until the server takes connections, then makes the application's role and database if they are missing. */
export async function ensureDatabase(options: EnsureDatabaseOptions): Promise<void> {
  const client = await connect(options);
  try {
    const role = await client.query('select 1 from pg_roles where rolname = $1', [ROLE]);
    if (role.rowCount === 0) {
      await client.query(
        `create role ${ROLE} login createdb createrole password ${client.escapeLiteral(options.password)}`,
      );
    }
    const database = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (database.rowCount === 0) {
      await client.query(`create database ${DATABASE} owner ${ROLE}`);
    }
  } finally {
    await client.end();
  }
}

async function connect({ port, password, checkServer }: EnsureDatabaseOptions): Promise<pg.Client> {
  for (;;) {
    await checkServer();
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: 'postgres',
      password,
      database: 'postgres',
      ssl: false,
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', () => undefined); // A connection lost while idle shows in the next query.
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (!NOT_YET.has(readErrorCode(error) ?? '')) {
        throw error;
      }
      await delay(POLL_MS);
    }
  }
}
