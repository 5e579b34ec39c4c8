import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Database } from '../database.js';
import { createTestDatabase, testServerUrl, type TestDatabase } from './create-test-database.js';

/** All migrations, on a machine that does much else. */
const SETUP_MS = 60_000;

/** What a suite gets; usable within its hooks and tests. */
export interface PostgresSuite {
  readonly database: Database;
  readonly url: string;
  query: <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>;
}

/** A suite on a migrated database of its own; skipped where there is no server, which is a failure in CI. */
export function describeOnPostgres(name: string, suite: (postgres: PostgresSuite) => void): void {
  const server = testServerUrl(process.env);
  const describeOrSkip = server === null ? describe.skip : describe;
  describeOrSkip(name, () => {
    let opened: TestDatabase | undefined;
    const test = (): TestDatabase => {
      if (!opened) throw new Error('the database is there within hooks and tests only');
      return opened;
    };
    beforeAll(async () => {
      opened = await createTestDatabase(server ?? '');
    }, SETUP_MS);
    afterAll(() => opened?.drop(), SETUP_MS);
    suite({
      get database() {
        return test().database;
      },
      get url() {
        return test().url;
      },
      query: (sql, parameters = []) => test().database.read((manager) => manager.query(sql, parameters)),
    });
  });
}
