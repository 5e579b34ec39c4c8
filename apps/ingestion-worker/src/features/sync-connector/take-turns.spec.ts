import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { syncSourceJob, type SyncSourcePayload } from '@candor/contracts';
import { insertSource, startSyncRun } from '@candor/persistence';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { credentialOwner } from '@candor/runtime';
import { SyncHarness } from './testing/sync-harness.js';

const server = testServerUrl(process.env);
const ITEMS = 24;

(server === null ? describe.skip : describe)('sources of one tenant', () => {
  let test: TestDatabase;
  let harness: SyncHarness;
  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
    harness = await SyncHarness.create(test.database);
  });
  afterAll(() => test.drop());

  /** A second source of the same provider that has only the last four items ahead of it. */
  async function addSmallSource(): Promise<string> {
    const { tenant, cipher, database } = harness;
    const id = await database.transaction((transaction) =>
      insertSource(
        transaction,
        tenant.id,
        {
          provider: 'notion',
          name: 'Small',
          settings: {},
          credentialFields: ['token'],
          syncEveryMinutes: null,
          reconcileEveryMinutes: null,
        },
        (sourceId) =>
          cipher.seal(JSON.stringify({ token: 'x' }), credentialOwner({ tenantId: tenant.id, id: sourceId })),
      ),
    );
    await harness.query('UPDATE source_connectors SET cursor = $2 WHERE id = $1', [
      id,
      JSON.stringify({ position: ITEMS - 4 }),
    ]);
    return id;
  }

  it('take turns slice by slice: a small one ends while a large one goes on, and neither is failed', async () => {
    for (let index = 0; index < ITEMS; index += 1) harness.connector.put(`item-${index}`);
    const small = await addSmallSource();
    const largeRun = await harness.start();
    const { run } = await harness.database.transaction((transaction) =>
      startSyncRun(transaction, {
        tenantId: harness.tenant.id,
        sourceId: small,
        mode: 'incremental',
        trigger: 'request',
        apiKeyId: null,
      }),
    );
    const turns: string[] = [];
    while ((await harness.run(run.id)).endedAt === null) {
      const job = await harness.takeJob<SyncSourcePayload>(syncSourceJob.name);
      if (!job) throw new Error('no slice waits');
      turns.push(job.sourceId === small ? 'small' : 'large');
      await harness.processor.sync(job, { signal: new AbortController().signal });
    }
    expect(turns).toEqual(['large', 'small']);
    expect(await harness.run(run.id)).toMatchObject({ state: 'succeeded', counts: { accepted: 4 } });
    expect(await harness.run(largeRun)).toMatchObject({ state: 'running', counts: { accepted: 4 } });
    await harness.work();
    expect(await harness.run(largeRun)).toMatchObject({ state: 'succeeded', counts: { accepted: ITEMS, failed: 0 } });
  });
});
