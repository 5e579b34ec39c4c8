import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { generateApiKey } from './api-key-secret.js';
import { FirstKeyService } from './first-key.service.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

withPostgres('the first key of an installation that keeps it in a file', () => {
  let tests: TestDatabase[];
  beforeAll(() => void (tests = []));
  afterAll(() => Promise.all(tests.map((test) => test.drop())));

  let standalone: FirstKeyService;
  let distributed: FirstKeyService;
  beforeEach(async () => {
    const [one, other] = await Promise.all([createTestDatabase(server ?? ''), createTestDatabase(server ?? '')]);
    tests.push(one, other);
    standalone = new FirstKeyService(one.database);
    distributed = new FirstKeyService(other.database);
  });

  it('is made, and the same at each start', async () => {
    const key = await standalone.ensure(null);
    expect(await standalone.ensure(key)).toBe(key);
  });

  it('is the one in the file when the database has none: another profile may know no other', async () => {
    const { key } = generateApiKey();
    expect(await distributed.bootstrap(key)).toBe('created');
    expect(await standalone.ensure(key)).toBe(key);
    expect(await standalone.ensure(key)).toBe(key);
    expect(await distributed.ensure(key)).toBe(key);
  });

  it('is another one when the file has none that could be a key', async () => {
    expect(await standalone.ensure('not a key')).toMatch(/^gm_/);
  });

  it('gets another secret when the file was lost; one that the database does not know is not let in by a file', async () => {
    const first = await standalone.ensure(null);
    const second = await standalone.ensure(null);
    const third = await standalone.ensure(generateApiKey().key);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(await standalone.ensure(first)).toBe(first);
  });
});
