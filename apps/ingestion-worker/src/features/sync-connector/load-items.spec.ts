import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import type { SyncRunRecord } from '@candor/persistence';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { SyncHarness } from './testing/sync-harness.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

withPostgres('loads that keep a run from going on', () => {
  let test: TestDatabase;
  let harness: SyncHarness;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    harness = await SyncHarness.create(test.database);
    harness.connector.batchSize = 10;
  });

  const put = (ids: string): void => {
    for (const id of ids) harness.connector.put(id);
  };
  const fail = (ids: string, code: ConstructorParameters<typeof AppError>[0] = 'CONNECTOR.UNAVAILABLE'): void => {
    for (const id of ids) harness.connector.loadErrors.set(id, new AppError(code));
  };
  const runThrough = async (): Promise<SyncRunRecord> => harness.workThrough(await harness.start());

  it('are an outage where three in a row fail, and nothing is left out for it', async () => {
    put('abcdef');
    fail('abcdef');
    expect(await runThrough()).toMatchObject({
      state: 'failed',
      error: { type: 'CONNECTOR.UNAVAILABLE' },
      counts: { accepted: 0, failed: 0 },
    });
    expect((await harness.source()).wantsFull).toBe(false);
    harness.connector.loadErrors.clear();
    expect(await harness.sync()).toMatchObject({ state: 'succeeded', counts: { accepted: 6, failed: 0 } });
  });

  it('are given up on where only neighbours fail, and what comes after them is read', async () => {
    put('abcdef');
    fail('bce');
    const run = await runThrough();
    expect(run).toMatchObject({ state: 'succeeded_with_errors', counts: { accepted: 3, failed: 3 } });
    expect((await harness.failures(run.id)).map(({ externalId }) => externalId)).toEqual(['b', 'c', 'e']);
    expect((await harness.source()).wantsFull).toBe(true);
  });

  it('are an outage also across items that took no request', async () => {
    put('bd');
    await harness.sync();
    put('abcde');
    fail('ace');
    expect(await runThrough()).toMatchObject({ state: 'failed', counts: { failed: 0 } });
  });

  it('are given up on for what is no outage of the provider, however many fail', async () => {
    put('abcd');
    fail('abc', 'DEADLINE.EXCEEDED');
    expect(await runThrough()).toMatchObject({
      state: 'succeeded_with_errors',
      counts: { accepted: 1, failed: 3 },
    });
  });
});
