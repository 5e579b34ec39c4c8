import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, type AccessPolicy } from '@candor/contracts';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { SyncHarness } from './testing/sync-harness.js';

const server = testServerUrl(process.env);
const ACL: AccessPolicy = { provider: 'notion', mode: 'acl', principals: ['user:ada@example.org'] };
describe('probe', () => {
  let test: TestDatabase;
  let harness: SyncHarness;
  beforeAll(async () => { test = await createTestDatabase(server ?? ''); });
  afterAll(() => test.drop());
  beforeEach(async () => { harness = await SyncHarness.create(test.database); });
  it('P1 narrowed policy with unreadable content', async () => {
    harness.connector.put('a');
    await harness.sync();
    harness.connector.loadErrors.set('a', new AppError('CONNECTOR.ITEM_UNREADABLE'));
    harness.connector.put('a', { accessPolicy: ACL, revision: '2' });
    const run = await harness.sync();
    console.log(JSON.stringify(run.counts), run.state);
    expect((await harness.items()).get('a')?.access_mode).not.toBe('provider_scope');
  });
  it('P2 failed edit is vouched for by the next run', async () => {
    harness.connector.put('a');
    await harness.sync();
    harness.connector.loadErrors.set('a', new AppError('CONNECTOR.ITEM_UNREADABLE'));
    harness.connector.put('a', { revision: '2' });
    await harness.sync();
    const before = (await harness.items()).get('a')?.synced_at.getTime();
    await new Promise((r) => setTimeout(r, 20));
    const next = await harness.sync();
    console.log(next.state, JSON.stringify(next.counts));
    expect((await harness.items()).get('a')?.synced_at.getTime()).toBe(before);
  });
});
