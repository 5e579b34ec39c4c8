import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { requestReread, requestRereads } from '@candor/persistence';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { SlackConnector } from '../../connectors/slack/slack.connector.js';
import { SlackWorkspace, type TestChannel } from '../../connectors/slack/testing/slack-workspace.js';
import { ScriptedProviderServer } from '../../connectors/testing/scripted-provider.server.js';
import { SyncHarness, type StoredItem } from './testing/sync-harness.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;
const T0 = 1_770_000_000;
const DAY = 86_400;
const ts = (seconds: number): string => `${String(T0 + seconds)}.000001`;
const BEN = 'user:ben@shop.example';

withPostgres('a sync of Slack', () => {
  let test: TestDatabase;
  let workspace: SlackWorkspace;
  let harness: SyncHarness;
  let deals: TestChannel;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    workspace = new SlackWorkspace(await ScriptedProviderServer.start());
    workspace.users = [
      { id: 'UANA', profile: { email: 'ana@shop.example' } },
      { id: 'UBEN', profile: { email: 'ben@shop.example' } },
    ];
    deals = { id: 'C2', name: 'deals', is_private: true, members: ['UANA', 'UBEN'], messages: [] };
    workspace.channels = [deals];
    harness = await SyncHarness.create(test.database, { provider: 'slack', credentials: { botToken: 'xoxb-1' } });
    harness.open = (overrides) =>
      new SlackConnector(
        { baseUrl: workspace.baseUrl },
        { botToken: 'xoxb-1' },
        { allowPrivateAddresses: true, retry: overrides?.retry ?? { budgetMs: 100, firstPauseMs: 1 } },
        () => (T0 + 31 * DAY) * 1000,
      );
  });
  afterEach(() => workspace.server.stop());

  /** Roots with a reply each: reading one is a request of its own. */
  const talk = (channel: TestChannel, threads: number): void => {
    channel.messages = Array.from({ length: threads }, (_, index) => ts(index * 1_000)).flatMap((root, index) => [
      { ts: root, user: 'UANA', text: `Deal ${String(index)}`, thread_ts: root, reply_count: 1 },
      { ts: `${root.slice(0, -1)}2`, user: 'UBEN', text: 'Noted', thread_ts: root },
    ]);
  };
  const stored = async (): Promise<StoredItem[]> => [...(await harness.items()).values()];
  const readableBy = (items: StoredItem[], principal: string): StoredItem[] =>
    items.filter(({ access_mode, principals }) => access_mode !== 'acl' || principals.includes(principal));
  const countJobs = async (name: string): Promise<number> => {
    const rows = await harness.query('SELECT 1 FROM outbox WHERE tenant_id = $1 AND job_name = $2', [
      harness.tenant.id,
      name,
    ]);
    return rows.length;
  };
  const forgetJobs = () =>
    harness.query(`DELETE FROM outbox WHERE tenant_id = $1 AND job_name LIKE 'item.%'`, [harness.tenant.id]);
  /** Slice after slice, as if no time had to pass between them. */
  const workOn = async (id: string, slices: number): Promise<void> => {
    for (let slice = 0; slice < slices && (await harness.run(id)).endedAt === null; slice += 1) {
      await harness.work();
      await harness.outrunLease();
      await harness.sweeper.sweep();
    }
  };

  describe('of a private channel with hundreds of threads', () => {
    beforeEach(async () => {
      talk(deals, 320);
      workspace.channels.push({
        id: 'C3',
        name: 'people',
        is_private: true,
        members: ['UANA', 'UBEN'],
        messages: [{ ts: ts(5), user: 'UANA', text: 'Elsewhere' }],
      });
      expect((await harness.sync()).counts).toMatchObject({ accepted: 321, failed: 0 });
      await forgetJobs();
      workspace.server.calls = [];
      harness.limits.maxBatches = 1;
    }, 60_000);

    it('takes a member who left away from all of them at once, before it reads any', async () => {
      deals.members = ['UANA'];
      const id = await harness.start();
      await harness.workOnce();
      expect(workspace.server.calls.length).toBeLessThan(8);
      const items = await stored();
      expect(readableBy(items, BEN).map(({ external_id }) => external_id)).toEqual([`C3:${ts(5)}`]);
      expect(readableBy(items, 'user:ana@shop.example')).toHaveLength(321);
      expect(items.every(({ latest_version }) => latest_version === 1)).toBe(true);
      expect([await countJobs('item.refresh-metadata'), await countJobs('item.index')]).toEqual([320, 0]);
      expect((await harness.auditActions()).slice(-320)).toEqual(Array<string>(320).fill('item.accept'));
      await workOn(id, 20);
      expect(await harness.run(id)).toMatchObject({ state: 'succeeded', counts: { accepted: 0, metadata: 320 } });
      // The walk over its week finds them as they are, and no older ones are read for it.
      expect(await countJobs('item.refresh-metadata')).toBe(320);
    }, 60_000);

    it('withholds all of them while its members cannot be read', async () => {
      workspace.errors['conversations.members C2'] = 'fetch_members_failed';
      await harness.start();
      await harness.workOnce();
      const items = await stored();
      expect(items.filter(({ access_mode }) => access_mode === 'unknown')).toHaveLength(320);
      expect(
        (
          await harness.query('SELECT 1 FROM source_items WHERE connector_id = $1 AND access_policy IS NULL', [
            harness.sourceId,
          ])
        ).length,
      ).toBe(320);
    }, 60_000);
  });

  it('goes on listing after a pause that the provider asks for, and asks for as much as it gives', async () => {
    workspace.channels.push({ id: 'C3', name: 'open', messages: [{ ts: ts(5), user: 'UANA', text: 'Elsewhere' }] });
    talk(deals, 2);
    await harness.sync();
    workspace.server.calls = [];
    harness.limits.listingPatienceMs = 10_000;
    workspace.limited = ['conversations.history C3'];
    const run = await harness.sync('reconcile');
    expect(run).toMatchObject({ state: 'succeeded', retries: 0, counts: { listed: 3, deleted: 0 } });
    const asked = workspace
      .callsOf('conversations.history')
      .map(({ form }) => [form.get('channel'), form.get('limit')]);
    expect(asked).toEqual([
      ['C2', '999'],
      ['C3', '999'],
      ['C3', '999'],
    ]);
  });

  it('finds late replies to old threads when it compares ids, without an event', async () => {
    const root = { ts: ts(0), user: 'UANA', text: 'Old', thread_ts: ts(0), reply_count: 1, latest_reply: ts(60) };
    deals.messages = [
      root,
      { ts: ts(60), user: 'UBEN', text: 'First', thread_ts: ts(0) },
      { ts: ts(30 * DAY), user: 'UANA', text: 'New' },
    ];
    await harness.sync();
    await harness.sync('reconcile');
    expect(await harness.bodies(`C2:${ts(0)}`)).toHaveLength(1);
    const calls = workspace.callsOf('conversations.replies').length;
    deals.messages.push({ ts: ts(31 * DAY), user: 'UBEN', text: 'Late', thread_ts: ts(0) });
    Object.assign(root, { reply_count: 2, latest_reply: ts(31 * DAY) });
    expect((await harness.sync()).counts).toMatchObject({ accepted: 0 });
    await harness.sync('reconcile');
    expect((await harness.bodies(`C2:${ts(0)}`)).at(-1)).toContain('Late');
    await harness.sync('reconcile');
    expect(workspace.callsOf('conversations.replies')).toHaveLength(calls + 1);
  });

  it('reads hundreds of threads again at the pace that the provider allows, each once', async () => {
    talk(deals, 60);
    await harness.sync();
    const threads = deals.messages.map(({ ts: at }) => at).filter((at) => at.endsWith('1'));
    deals.messages = [...deals.messages, { ts: ts(30 * DAY), user: 'UANA', text: 'New' }];
    await harness.sync();
    workspace.server.calls = [];
    await harness.database.transaction((transaction) =>
      requestRereads(
        transaction,
        harness.sourceId,
        threads.map((at) => `C2:${at}`),
      ),
    );
    workspace.limited = [25, 45].map((index) => `conversations.replies ${String(threads[index])}`);
    const id = await harness.start();
    await workOn(id, 5);
    expect(await harness.run(id)).toMatchObject({ state: 'succeeded', counts: { failed: 0 } });
    // Of a batch that met the limit at most what came before it is asked for twice.
    expect(workspace.callsOf('conversations.replies').length).toBeLessThan(60 + 2 * harness.limits.rereadBatch);
    const firstBatch = new Set(threads.slice(0, harness.limits.rereadBatch));
    const asked = workspace.callsOf('conversations.replies').map(({ form }) => form.get('ts') ?? '');
    expect(asked.filter((at) => firstBatch.has(at))).toHaveLength(harness.limits.rereadBatch);
  }, 60_000);

  describe('with a thread that cannot be fetched', () => {
    const bad = ts(1_000);
    beforeEach(() => {
      talk(deals, 3);
      workspace.errors[`conversations.replies ${bad}`] = 'internal_error';
    });

    it('leaves it out after a while, and has it tried again by a full run', async () => {
      const id = await harness.start();
      await workOn(id, harness.limits.patienceWithItem + 3);
      expect(await harness.run(id)).toMatchObject({
        state: 'succeeded_with_errors',
        counts: { accepted: 2, failed: 1 },
      });
      expect(await harness.failures(id)).toMatchObject([{ externalId: `C2:${bad}` }]);
      expect((await harness.source()).wantsFull).toBe(true);
      workspace.errors = {};
      expect((await harness.sync('full')).counts).toMatchObject({ accepted: 1, failed: 0 });
    });

    it('does so for one that an event told of', async () => {
      workspace.errors = {};
      await harness.sync();
      const root = deals.messages.find((message) => message.ts === bad);
      deals.messages = [
        { ...root, ts: bad },
        { ts: ts(30 * DAY), user: 'UANA', text: 'New' },
      ];
      workspace.errors[`conversations.replies ${bad}`] = 'internal_error';
      await harness.database.transaction((transaction) => requestReread(transaction, harness.sourceId, `C2:${bad}`));
      const id = await harness.start();
      await workOn(id, harness.limits.patienceWithItem + 3);
      expect(await harness.run(id)).toMatchObject({
        state: 'succeeded_with_errors',
        counts: { accepted: 1, failed: 1 },
      });
    });

    it('does so for one among others that events told of, in a channel that can be read', async () => {
      workspace.errors = {};
      const root = { ts: ts(5), user: 'UANA', text: 'Open', thread_ts: ts(5), reply_count: 1 };
      const messages = [root, { ts: ts(6), user: 'UBEN', text: 'Noted', thread_ts: ts(5) }];
      workspace.channels.unshift({ id: 'C1', name: 'open', messages });
      // So new that no walk gets to the others any more.
      for (const channel of workspace.channels) channel.messages.push({ ts: ts(30 * DAY), user: 'UANA', text: 'New' });
      await harness.sync();
      workspace.errors[`conversations.replies ${bad}`] = 'internal_error';
      await harness.database.transaction((transaction) =>
        requestRereads(transaction, harness.sourceId, [`C1:${ts(5)}`, `C2:${bad}`]),
      );
      const id = await harness.start();
      await workOn(id, harness.limits.patienceWithItem + 3);
      expect(await harness.run(id)).toMatchObject({ state: 'succeeded_with_errors', counts: { failed: 1 } });
      expect(await harness.failures(id)).toMatchObject([{ externalId: `C2:${bad}` }]);
    });

    it('waits for a rate limit all the same', async () => {
      workspace.errors[`conversations.replies ${bad}`] = 'ratelimited';
      const id = await harness.start();
      await workOn(id, harness.limits.patienceWithItem + 3);
      expect(await harness.run(id)).toMatchObject({
        state: 'running',
        counts: { failed: 0 },
        waiting: { error: { type: 'CONNECTOR.RATE_LIMITED' } },
      });
    });
  });
});
