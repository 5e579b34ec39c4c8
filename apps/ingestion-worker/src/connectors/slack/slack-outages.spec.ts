import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SyncCursor } from '../source-connector.port.js';
import { collect, collectChanges, collectIds, collectLimits, type Collected } from '../testing/collect-batches.js';
import { ScriptedProviderServer } from '../testing/scripted-provider.server.js';
import { SlackConnector } from './slack.connector.js';
import { SlackWorkspace, type TestChannel, type TestMessage } from './testing/slack-workspace.js';

const T0 = 1_770_000_000;
const ts = (seconds: number): string => `${String(T0 + seconds)}.000001`;
const OUTAGE = { code: 'CONNECTOR.UNAVAILABLE', retryable: true };

describe('SlackConnector, where something keeps failing', () => {
  let workspace: SlackWorkspace;

  const connect = (pageSize = 50): SlackConnector =>
    new SlackConnector(
      { baseUrl: workspace.baseUrl },
      { botToken: 'xoxb-1' },
      { allowPrivateAddresses: true, pageSize, retry: { budgetMs: 2_000, firstPauseMs: 1 } },
      () => (T0 + 86_400) * 1000,
    );
  const said = (seconds: number, text = `At ${String(seconds)}`): TestMessage => ({
    ts: ts(seconds),
    user: 'UANA',
    text,
  });
  /** With a reply, so that reading it is a request of its own. */
  const thread = (seconds: number): TestMessage => ({ ...said(seconds), thread_ts: ts(seconds), reply_count: 1 });
  const channel = (id: string, isPrivate = false): TestChannel => ({
    id,
    name: id.toLowerCase(),
    is_private: isPrivate,
    members: ['UANA', 'UBEN'],
    messages: [said(1), said(2)],
  });
  const find = (id: string): TestChannel => {
    const found = workspace.channels.find((candidate) => candidate.id === id);
    if (!found) throw new Error('no such channel');
    return found;
  };
  const fail = (...names: string[]): void => {
    workspace.errors = Object.fromEntries(names.map((name) => [name, 'internal_error']));
  };
  const giveUp = (cursor: SyncCursor | null = null, batches?: number): Promise<Collected> =>
    collect(connect(), cursor, { giveUp: true, ...(batches === undefined ? {} : { batches }) });
  const policiesOf = ({ batches }: Collected): unknown[] =>
    batches.flatMap(({ policyOf }) =>
      policyOf ? [[policyOf.matching['channelId'], policyOf.accessPolicy?.principals ?? null]] : [],
    );
  const channelsOf = ({ byId }: Collected): string[] => [...new Set([...byId.keys()].map((id) => id.slice(0, 2)))];
  const signal = (): AbortSignal => new AbortController().signal;

  beforeEach(async () => {
    workspace = new SlackWorkspace(await ScriptedProviderServer.start());
    workspace.users = ['ana', 'ben'].map((name) => ({
      id: `U${name.toUpperCase()}`,
      name,
      profile: { email: `${name}@shop.example` },
    }));
    workspace.channels = [channel('C1'), channel('C2', true), channel('C3', true), channel('C4')];
  });
  afterEach(() => workspace.server.stop());

  it('steps over a channel whose history keeps failing, and goes on with it the next time', async () => {
    const first = await collect(connect());
    fail('conversations.history C2');
    await expect(collect(connect(), first.cursor)).rejects.toMatchObject(OUTAGE);
    for (const { messages } of workspace.channels) messages.push(said(60, 'News'));
    find('C2').messages.shift();
    const second = await giveUp(first.cursor);
    expect(channelsOf(second)).toEqual(['C1', 'C3', 'C4']);
    expect(second.failures).toMatchObject([{ externalId: 'C2', title: '#c2', error: { code: OUTAGE.code } }]);
    // A full run would bring it no sooner than the next one.
    expect(second.failures[0]?.error.retryable).toBe(false);
    expect(second.deletedIds).toEqual([]);
    workspace.errors = {};
    const third = await collect(connect(), second.cursor);
    expect(third.byId.get(`C2:${ts(60)}`)?.title).toBe('News');
    expect(third.deletedIds).toEqual([`C2:${ts(1)}`]);
    expect(third.failures).toEqual([]);
  });

  it('takes two channels in a row for an outage, also where a slice ends between them', async () => {
    const first = await collect(connect());
    fail('conversations.history C2', 'conversations.history C3');
    await expect(giveUp(first.cursor)).rejects.toMatchObject(OUTAGE);
    // Giving up is for one batch: that of C1, the failure of C2.
    const slice = await giveUp(first.cursor, 2);
    expect(slice.failures.map(({ externalId }) => externalId)).toEqual(['C2']);
    await expect(giveUp(slice.cursor)).rejects.toMatchObject(OUTAGE);
    fail('conversations.history C4');
    const next = await giveUp(slice.cursor);
    expect(channelsOf(next)).toEqual(['C3']);
    expect(next.failures.map(({ externalId }) => externalId)).toEqual(['C4']);
    expect(next.batches.at(-1)?.isLast).toBe(true);
  });

  it('steps over a channel whose threads fail in a row, and fails one alone by itself', async () => {
    find('C1').messages = [thread(1), thread(2), thread(3)];
    workspace.channels = [find('C1'), find('C4')];
    fail(`conversations.replies ${ts(2)}`);
    expect((await giveUp()).failures).toMatchObject([{ externalId: `C1:${ts(2)}`, error: OUTAGE }]);
    // What needs no request says nothing of it.
    find('C1').messages = [thread(1), said(2), thread(3), thread(4)];
    fail('conversations.replies');
    const stepped = await giveUp();
    expect([...stepped.byId.keys()].every((id) => id.startsWith('C4:'))).toBe(true);
    expect(stepped.failures.map(({ externalId }) => externalId)).toEqual(['C1']);
    find('C4').messages = [thread(1), thread(2), thread(3)];
    await expect(giveUp()).rejects.toMatchObject(OUTAGE);
  });

  it('withholds a channel whose members keep failing, for this pass, and reads all of them', async () => {
    const first = await collect(connect());
    find('C2').messages.push(said(60, 'News'));
    fail('conversations.members C2');
    await expect(collect(connect(), first.cursor)).rejects.toMatchObject(OUTAGE);
    const held = await giveUp(first.cursor, 2);
    expect(policiesOf(held)).toEqual([['C2', null]]);
    expect(held.failures).toMatchObject([{ externalId: 'C2', title: '#c2', error: { retryable: false } }]);
    const asked = workspace.callsOf('conversations.members').length;
    // The rest of the pass doesn't wait for them again.
    const rest = await collect(connect(), held.cursor);
    expect(rest.byId.get(`C2:${ts(60)}`)?.accessPolicy).toBeNull();
    expect([channelsOf(rest), rest.failures]).toEqual([['C2', 'C3', 'C4'], []]);
    expect(workspace.callsOf('conversations.members')).toHaveLength(asked + 1);
    workspace.errors = {};
    const next = await collect(connect(), rest.cursor);
    expect(policiesOf(next)).toEqual([['C2', ['channel:C2', 'user:ana@shop.example', 'user:ben@shop.example']]]);
  });

  it('takes members that fail of two private channels in a row for an outage', async () => {
    const first = await collect(connect());
    fail('conversations.members');
    await expect(giveUp(first.cursor)).rejects.toMatchObject(OUTAGE);
    const slice = await giveUp(first.cursor, 2);
    expect(policiesOf(slice)).toEqual([['C2', null]]);
    await expect(giveUp(slice.cursor)).rejects.toMatchObject(OUTAGE);
    workspace.channels = [find('C1'), find('C2'), find('C4')];
    expect(channelsOf(await giveUp(slice.cursor))).toEqual(['C2', 'C4']);
  });

  it('shows a person whom Slack keeps failing to give by id, and gives no one else their access', async () => {
    workspace.users = workspace.users.slice(0, 1);
    workspace.channels = [find('C2')];
    fail('users.info');
    await expect(collect(connect())).rejects.toMatchObject(OUTAGE);
    const { byId, failures } = await giveUp();
    expect(byId.get(`C2:${ts(1)}`)?.accessPolicy?.principals).toEqual([
      'channel:C2',
      'user:ana@shop.example',
      'user:UBEN',
    ]);
    expect(failures).toEqual([]);
  });

  it('fails threads that an event told of where the members of their channel keep failing', async () => {
    const ids = [`C1:${ts(1)}`, `C2:${ts(1)}`, `C2:${ts(2)}`];
    fail('conversations.members C2');
    await expect(collectChanges(connect().refresh(ids, signal()))).rejects.toMatchObject(OUTAGE);
    const { byId, failures } = await collectChanges(connect().refresh(ids, signal(), { giveUp: true }));
    expect([...byId.keys()]).toEqual([`C1:${ts(1)}`]);
    expect(failures).toMatchObject([
      { externalId: `C2:${ts(1)}`, error: OUTAGE },
      { externalId: `C2:${ts(2)}`, error: OUTAGE },
    ]);
    workspace.channels.push(channel('C5', true));
    const all = connect().refresh([...ids, `C3:${ts(1)}`, `C5:${ts(1)}`], signal(), { giveUp: true });
    fail('conversations.members');
    await expect(collectChanges(all)).rejects.toMatchObject(OUTAGE);
  });

  it('takes threads that an event told of and that fail in a row for an outage', async () => {
    const ids = [1, 2, 3].map((seconds) => `C1:${ts(seconds)}`);
    find('C1').messages.push(said(3));
    fail(`conversations.replies ${ts(1)}`, `conversations.replies ${ts(3)}`);
    const { failures } = await collectChanges(connect().refresh(ids, signal(), { giveUp: true }));
    expect(failures.map(({ externalId }) => externalId)).toEqual([ids[0], ids[2]]);
    fail('conversations.replies');
    await expect(collectChanges(connect().refresh(ids, signal(), { giveUp: true }))).rejects.toMatchObject(OUTAGE);
  });

  it('lists the others where one channel fails, and says so; two in a row are an outage', async () => {
    fail('conversations.history C2');
    expect(await collectIds(connect())).toEqual(
      ['C1', 'C3', 'C4'].flatMap((id) => [1, 2].map((seconds) => `${id}:${ts(seconds)}`)),
    );
    expect(await collectLimits(connect())).toMatchObject([
      { onlyUnder: ['C1:', 'C3:', 'C4:'], failure: { externalId: 'C2', error: { code: OUTAGE.code } } },
    ]);
    fail('conversations.history C2', 'conversations.history C3');
    await expect(collectIds(connect())).rejects.toMatchObject(OUTAGE);
  });

  describe('with messages that are not as documented', () => {
    const garbled = (from: number, count: number): TestMessage[] =>
      Array.from({ length: count }, (_, index) => ({ ts: ts(from + index), user: 7 }));

    beforeEach(() => {
      workspace.channels = [find('C1')];
    });

    it('lists what lies behind a page of them', async () => {
      find('C1').messages = [said(1), ...garbled(10, 999)];
      expect(await collectIds(connect())).toHaveLength(1_000);
    });

    it('walks on behind a page of them', async () => {
      find('C1').messages = [said(1), ...garbled(10, 5)];
      const { byId, failures } = await collect(connect(2));
      expect([...byId.keys()]).toEqual([`C1:${ts(1)}`]);
      expect(failures).toHaveLength(5);
    });

    it.each([
      ['without a single time', [{ user: 7 }, 'text']],
      ['of no messages', []],
      ['that was there before', [said(2)]],
    ])('takes a page %s and with more behind it for no end, and deletes nothing', async (_, messages) => {
      const first = await collect(connect());
      workspace.server.on('/api/conversations.history', () => ({ body: { ok: true, messages, has_more: true } }));
      await expect(collectIds(connect())).rejects.toMatchObject(OUTAGE);
      await expect(collect(connect(), first.cursor)).rejects.toMatchObject(OUTAGE);
      const given = await giveUp(first.cursor);
      expect(given.deletedIds).toEqual([]);
      expect(given.failures.at(-1)).toMatchObject({ externalId: 'C1' });
    });
  });
});
