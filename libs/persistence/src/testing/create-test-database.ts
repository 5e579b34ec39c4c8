import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Database } from '../database.js';

export interface TestDatabase {
  database: Database;
  /** For further clients of the same database. */
  url: string;
  /** Closes `database` and removes what it was connected to, other clients or not. */
  drop(): Promise<void>;
}

/** The server that tests may use; null, said aloud, when there is none, and a failure where `CI` is `true`. */
export function testServerUrl(environment: Readonly<Record<string, string | undefined>>): string | null {
  const url = environment['DATABASE_URL'];
  if (url) return url;
  if (environment['CI'] === 'true') throw new Error('DATABASE_URL is not set: the tests need a Postgres server.');
  console.warn('DATABASE_URL is not set: the tests that need Postgres are skipped.');
  return null;
}

/** A migrated database of the caller's own, on a server whose role may create databases. */
export async function createTestDatabase(
  serverUrl: string,
  options: { migrate?: boolean; poolSize?: number } = {},
): Promise<TestDatabase> {
  const name = `candor_test_${randomBytes(6).toString('hex')}`;
  await runOnServer(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const database = new Database({
    url: url.href,
    applicationName: 'candor-test',
    poolSize: options.poolSize ?? 10,
    // A test plays every part; where it runs in a request or a job, that one's tenant counts.
    unscoped: 'owner',
  });
  const drop = async (): Promise<void> => {
    await database.close();
    await dropDatabase(serverUrl, name);
  };
  try {
    if (options.migrate !== false) await database.migrate();
  } catch (error) {
    await drop();
    throw error;
  }
  return { database, url: url.href, drop };
}

/** The server doesn't let us end its own vacuum worker, should one be there; it is gone in a moment. */
async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    } catch (error) {
      if (attempt === 20 || !String(error).includes('permission denied to terminate process')) throw error;
      await delay(250);
    }
  }
}

async function runOnServer(serverUrl: string, statement: string): Promise<void> {
  const server = new Database({ url: serverUrl, applicationName: 'candor-test', poolSize: 1, unscoped: 'owner' });
  try {
    await server.read((manager) => manager.query(statement));
  } finally {
    await server.close();
  }
}
