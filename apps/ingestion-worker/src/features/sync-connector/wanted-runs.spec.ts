import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, type SyncMode } from '@candor/contracts';
import { wantSync } from '@candor/persistence';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { SyncHarness } from './testing/sync-harness.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

withPostgres('a run that is wanted while another is under way', () => {
  let test: TestDatabase;
  let harness: SyncHarness;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    harness = await SyncHarness.create(test.database);
  });

  const want = (mode: SyncMode): Promise<void> =>
    harness.database.transaction((transaction) =>
      wantSync(transaction, {
        tenantId: harness.tenant.id,
        sourceId: harness.sourceId,
        mode,
        trigger: 'schedule',
        apiKeyId: null,
      }),
    );
  const runs = async (): Promise<string[]> => {
    const rows = await harness.query<{ run: string }>(
      `SELECT mode || ' ' || state AS run FROM sync_runs WHERE source_id = $1 ORDER BY created_at, id`,
      [harness.sourceId],
    );
    return rows.map(({ run }) => run);
  };
  /** The one under way fails. */
  const failMeanwhile = async (wanted: SyncMode): Promise<void> => {
    await harness.start();
    await want(wanted);
    harness.refuse(new AppError('CONNECTOR.CREDENTIALS_REJECTED'));
    await harness.work();
    expect(await runs()).toEqual(['incremental failed']);
  };

  it('is still wanted when that one fails, and comes after the next that goes through', async () => {
    await failMeanwhile('reconcile');
    await harness.sync();
    expect(await runs()).toEqual(['incremental failed', 'incremental succeeded', 'reconcile succeeded']);
    await harness.sync();
    expect(await runs()).toHaveLength(4);
  });

  it('is not wanted any more when the next does the same, or everything', async () => {
    await failMeanwhile('incremental');
    await harness.sync();
    expect(await runs()).toHaveLength(2);
    await harness.start();
    await want('reconcile');
    harness.refuse(new AppError('CONNECTOR.CREDENTIALS_REJECTED'));
    await harness.work();
    await harness.sync('full');
    expect(await runs()).toHaveLength(4);
  });
});
