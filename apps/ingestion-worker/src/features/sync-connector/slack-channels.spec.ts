import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { SlackConnector } from '../../connectors/slack/slack.connector.js';
import { SlackWorkspace, type TestChannel } from '../../connectors/slack/testing/slack-workspace.js';
import { ScriptedProviderServer } from '../../connectors/testing/scripted-provider.server.js';
import { SyncHarness } from './testing/sync-harness.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;
const T0 = 1_770_000_000;
const DAY = 86_400;
const DAYS = [0, 5, 10, 15, 20, 29, 30];
const ANA = 'user:ana@shop.example';

// Runs of many slices.
jest.setTimeout(30_000);

withPostgres('a sync of Slack, channel by channel', () => {
  let test: TestDatabase;
  let workspace: SlackWorkspace;
  let harness: SyncHarness;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    workspace = new SlackWorkspace(await ScriptedProviderServer.start());
    workspace.users = [{ id: 'UANA', profile: { email: 'ana@shop.example' } }];
    workspace.channels = ['C1', 'C2', 'C3'].map(channel);
    harness = await SyncHarness.create(test.database, { provider: 'slack', credentials: { botToken: 'xoxb-1' } });
    harness.open = (overrides) =>
      new SlackConnector(
        { baseUrl: workspace.baseUrl },
        { botToken: 'xoxb-1' },
        { allowPrivateAddresses: true, retry: overrides?.retry ?? { budgetMs: 100, firstPauseMs: 1 } },
        () => (T0 + 31 * DAY) * 1000,
      );
    await harness.sync();
    // What is known without a listing is the last week.
    await harness.sync();
  });
  afterEach(() => workspace.server.stop());

  function channel(id: string): TestChannel {
    const messages = DAYS.map((day) => ({ ts: `${String(T0 + day * DAY)}.000001`, user: 'UANA', text: `Day ${day}` }));
    return { id, name: id.toLowerCase(), is_private: true, members: ['UANA'], messages };
  }
  /** How many threads of a channel somebody may read. */
  const countReadable = async (id: string): Promise<number> =>
    [...(await harness.items()).values()].filter(
      ({ external_id, deleted_at, access_mode, principals }) =>
        external_id.startsWith(`${id}:`) && deleted_at === null && access_mode === 'acl' && principals.includes(ANA),
    ).length;
  it('lets nobody read the threads of a channel that the bot was removed from, until it is let in again', async () => {
    expect(await countReadable('C2')).toBe(DAYS.length);
    workspace.channels = ['C1', 'C3'].map(channel);
    await harness.sync();
    expect([await countReadable('C2'), await countReadable('C1')]).toEqual([0, DAYS.length]);
    workspace.channels = ['C1', 'C2', 'C3'].map(channel);
    await harness.sync();
    expect(await countReadable('C2')).toBe(DAYS.length);
  });

  it('reads the other channels where one keeps failing', async () => {
    workspace.errors['conversations.history C2'] = 'internal_error';
    for (const { messages } of workspace.channels) {
      messages.push({ ts: `${String(T0 + 30 * DAY + 60)}.000001`, user: 'UANA', text: 'News' });
    }
    const id = await harness.start();
    expect(await harness.workThrough(id)).toMatchObject({
      state: 'succeeded_with_errors',
      counts: { accepted: 2, failed: 1 },
    });
    expect(await harness.failures(id)).toMatchObject([{ externalId: 'C2' }]);
    // It needs no full run.
    expect((await harness.source()).wantsFull).toBe(false);
    workspace.errors = {};
    expect((await harness.sync()).counts).toMatchObject({ accepted: 1, failed: 0, deleted: 0 });
  });

  it('reads the other channels where the members of one keep failing, and lets nobody read that one', async () => {
    workspace.errors['conversations.members C2'] = 'internal_error';
    const id = await harness.start();
    expect(await harness.workThrough(id)).toMatchObject({
      state: 'succeeded_with_errors',
      counts: { failed: 1, deleted: 0 },
    });
    expect([await countReadable('C2'), await countReadable('C3')]).toEqual([0, DAYS.length]);
    workspace.errors = {};
    await harness.sync();
    expect(await countReadable('C2')).toBe(DAYS.length);
  });

  it('does not end while two channels in a row cannot be read', async () => {
    workspace.errors['conversations.history C2'] = 'internal_error';
    workspace.errors['conversations.history C3'] = 'internal_error';
    const id = await harness.start();
    expect(await harness.workThrough(id)).toMatchObject({ state: 'failed', error: { type: 'CONNECTOR.UNAVAILABLE' } });
    workspace.errors = {};
    expect(await harness.sync()).toMatchObject({ state: 'succeeded' });
    expect(await countReadable('C3')).toBe(DAYS.length);
  });
});
