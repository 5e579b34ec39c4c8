import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SlackSettings } from '@candor/contracts';
import { inspect } from 'node:util';
import { collect, collectIds, loadText } from '../testing/collect-batches.js';
import { ScriptedProviderServer } from '../testing/scripted-provider.server.js';
import { SlackConnector } from './slack.connector.js';
import { SlackWorkspace, type TestChannel } from './testing/slack-workspace.js';

const DAY = 86_400;
const T0 = 1_770_000_000;
const ts = (days: number, sequence = 1): string => `${String(T0 + days * DAY)}.${String(sequence).padStart(6, '0')}`;

describe('SlackConnector', () => {
  let workspace: SlackWorkspace;
  let now: number;
  let general: TestChannel;
  let deals: TestChannel;

  const connect = (settings: SlackSettings = {}, pageSize = 50): SlackConnector =>
    new SlackConnector(
      { baseUrl: workspace.baseUrl, ...settings },
      { botToken: 'xoxb-1' },
      { allowPrivateAddresses: true, pageSize, retry: { budgetMs: 2_000, firstPauseMs: 1 } },
      () => now * 1000,
    );

  beforeEach(async () => {
    now = T0 + 31.5 * DAY;
    workspace = new SlackWorkspace(await ScriptedProviderServer.start());
    workspace.users = [
      { id: 'UANA', name: 'ana', profile: { display_name: 'Ana', email: 'Ana@shop.example' } },
      { id: 'UBEN', name: 'ben', deleted: true, profile: { display_name: '', real_name: 'Ben Gone' } },
    ];
    general = {
      id: 'C1',
      name: 'general',
      is_private: false,
      messages: [
        {
          ts: ts(0),
          user: 'UANA',
          text: 'Old news &amp; more, see <#C2> and <https://a.example|the page>',
          thread_ts: ts(0),
          reply_count: 1,
        },
        { ts: ts(0, 2), user: 'UBEN', text: 'Thanks <@UANA>', thread_ts: ts(0) },
        { ts: ts(29), user: 'UANA', subtype: 'channel_join', text: '<@UANA> has joined the channel' },
        { ts: ts(30), user: 'UGHOST', text: 'I was never listed' },
        {
          ts: ts(31),
          bot_id: 'B1',
          username: 'deploybot',
          text: '',
          attachments: [{ title: 'Deploy 7', text: 'done' }],
        },
      ],
    };
    deals = {
      id: 'C2',
      name: 'deals',
      is_private: true,
      members: ['UANA', 'UBEN'],
      messages: [{ ts: ts(31), user: 'UANA', text: 'Signed' }],
    };
    workspace.channels = [deals, general];
  });
  afterEach(() => workspace.server.stop());

  it('gives a thread as one item with names, link, times and policy', async () => {
    const { byId, failures } = await collect(connect());
    expect([...byId.keys()].sort()).toEqual([`C1:${ts(0)}`, `C1:${ts(30)}`, `C1:${ts(31)}`, `C2:${ts(31)}`].sort());
    expect(failures).toEqual([]);
    const thread = byId.get(`C1:${ts(0)}`);
    expect(thread).toMatchObject({
      sourceKind: 'message',
      title: 'Old news & more, see #deals and the page (https://a.example)',
      url: `https://shop.slack.com/archives/C1/p${ts(0).replace('.', '')}`,
      authorName: 'Ana',
      sourceCreatedAt: new Date(T0 * 1000).toISOString(),
      accessPolicy: { provider: 'slack', mode: 'provider_scope', channelId: 'C1', isPrivate: false },
      metadata: { channelName: 'general', replyCount: 1, participants: ['Ana', 'Ben Gone'] },
    });
    expect(await loadText(thread)).toMatch(
      /^Ana, 2026-02-02 \d\d:\d\d UTC:\nOld news[^]+\n\nBen Gone, .+:\nThanks @Ana$/,
    );
    expect(byId.get(`C1:${ts(30)}`)?.authorName).toBe('UGHOST');
    expect(await loadText(byId.get(`C1:${ts(31)}`))).toContain('deploybot');
    expect(await loadText(byId.get(`C1:${ts(31)}`))).toContain('Deploy 7\ndone');
    expect(byId.get(`C2:${ts(31)}`)?.accessPolicy).toEqual({
      provider: 'slack',
      mode: 'acl',
      principals: ['channel:C2', 'user:ana@shop.example', 'user:UBEN'],
      channelId: 'C2',
      isPrivate: true,
      memberIds: ['UANA', 'UBEN'],
    });
  });

  it('stops after any batch and goes on from its cursor, whatever the pages do meanwhile', async () => {
    general.messages = Array.from({ length: 9 }, (_, index) => ({
      ts: ts(index),
      user: 'UANA',
      text: `note ${String(index)}`,
    }));
    const first = await collect(connect({}, 2), null, { batches: 2 });
    expect(first.items.map(({ title }) => title)).toEqual(['note 8', 'note 7', 'note 6', 'note 5']);
    general.messages.splice(5, 1);
    general.messages.push({ ts: ts(9), user: 'UANA', text: 'note 9' });
    const rest = await collect(connect({}, 2), first.cursor);
    expect(rest.items.map(({ title }) => title)).toEqual(['note 4', 'note 3', 'note 2', 'note 1', 'note 0', 'Signed']);
    const next = await collect(connect({}, 50), rest.cursor);
    expect(next.byId.has(`C1:${ts(9)}`)).toBe(true);
    expect(next.deletedIds).toEqual([`C1:${ts(5)}`]);
  });

  it('reads the last week again: edits, replies and deletions there show, older threads are left alone', async () => {
    const first = await collect(connect());
    const revisions = new Map(first.items.map((item) => [item.externalId, item.contentRevision]));
    const idle = await collect(connect(), first.cursor);
    expect(idle.items.every((item) => item.contentRevision === revisions.get(item.externalId))).toBe(true);
    expect(idle.byId.has(`C1:${ts(0)}`)).toBe(false);

    general.messages = [
      ...general.messages.slice(0, 2),
      { ts: ts(30), user: 'UGHOST', text: 'I was edited', edited: { ts: ts(31, 9) } },
      { ts: ts(0, 3), user: 'UANA', subtype: 'thread_broadcast', text: 'One more thing', thread_ts: ts(0) },
      { ts: ts(31, 5), user: 'UBEN', subtype: 'thread_broadcast', text: 'Late, but to all', thread_ts: ts(0) },
    ];
    const second = await collect(connect(), first.cursor);
    expect(second.deletedIds).toEqual([`C1:${ts(31)}`]);
    expect(second.byId.get(`C1:${ts(30)}`)).toMatchObject({
      title: 'I was edited',
      sourceUpdatedAt: new Date((T0 + 31 * DAY) * 1000).toISOString(),
    });
    expect(second.byId.get(`C1:${ts(30)}`)?.contentRevision).not.toBe(revisions.get(`C1:${ts(30)}`));
    expect(await loadText(second.byId.get(`C1:${ts(0)}`))).toContain('Late, but to all');
  });

  it('reads threads by id, whatever their age, in the channels that it covers', async () => {
    const refresh = connect({ channelAllowlist: ['C1'] }).refresh(
      [`C1:${ts(0)}`, `C1:${ts(5)}`, `C2:${ts(31)}`, `C12:${ts(0)}`],
      new AbortController().signal,
    );
    const changes = [];
    for await (const step of refresh) changes.push(step);
    expect(changes).toHaveLength(1);
    expect(changes[0]?.items.map(({ externalId }) => externalId)).toEqual([`C1:${ts(0)}`]);
    expect(await loadText(changes[0]?.items[0])).toContain('Thanks');
    expect(changes[0]?.deletedIds).toEqual([`C1:${ts(5)}`]);
    expect(changes[0]?.failures).toEqual([]);
  });

  it('leaves settled threads alone, until something happens in them', async () => {
    general.messages = [
      { ts: ts(30), user: 'UANA', text: 'Root', thread_ts: ts(30), reply_count: 1, latest_reply: ts(30, 2) },
      { ts: ts(30, 2), user: 'UBEN', text: 'Reply', thread_ts: ts(30) },
      { ts: ts(31), user: 'UANA', text: 'Fresh' },
    ];
    const settings = { channelAllowlist: ['C1'] };
    const first = await collect(connect(settings));
    const reread = await collect(connect(settings), first.cursor);
    expect([...reread.byId.keys()].sort()).toEqual([`C1:${ts(30)}`, `C1:${ts(31)}`]);

    now += 2 * DAY;
    const asked = workspace.callsOf('conversations.replies').length;
    const second = await collect(connect(settings), reread.cursor);
    expect([[...second.byId.keys()], second.deletedIds]).toEqual([[`C1:${ts(31)}`], []]);
    expect(workspace.callsOf('conversations.replies')).toHaveLength(asked);
    expect(await collectIds(connect(settings))).toEqual([`C1:${ts(30)}`, `C1:${ts(31)}`]);

    general.messages.push({ ts: ts(33), user: 'UANA', text: 'Again', thread_ts: ts(30) });
    Object.assign(general.messages[0] ?? {}, { reply_count: 2, latest_reply: ts(33) });
    now += DAY;
    const third = await collect(connect(settings), second.cursor);
    expect(await loadText(third.byId.get(`C1:${ts(30)}`))).toContain('Again');
    general.messages = general.messages.slice(2);
    expect((await collect(connect(settings), third.cursor)).deletedIds).toEqual([`C1:${ts(30)}`]);
  });

  it('gives the whole channel again when its name changes, with the same content', async () => {
    const first = await collect(connect());
    expect((await collect(connect(), first.cursor)).byId.has(`C1:${ts(0)}`)).toBe(false);
    general.name = 'everyone';
    const second = await collect(connect(), first.cursor);
    expect(second.byId.get(`C1:${ts(0)}`)?.metadata).toMatchObject({ channelName: 'everyone' });
    expect(second.byId.get(`C1:${ts(0)}`)?.contentRevision).toBe(first.byId.get(`C1:${ts(0)}`)?.contentRevision);
  });

  it('does not take a channel that it cannot read in the list for one that is gone', async () => {
    const first = await collect(connect());
    const ids = await collectIds(connect());
    workspace.listed['C1'] = { id: 'C1', name: null };
    const second = await collect(connect(), first.cursor);
    expect(second.deletedIds).toEqual([]);
    expect(second.failures).toMatchObject([{ externalId: 'C1', error: { code: 'CONNECTOR.ITEM_UNREADABLE' } }]);
    expect(second.byId.has(`C2:${ts(31)}`)).toBe(true);
    expect(await collectIds(connect())).toEqual(ids);
    const told = [];
    for await (const step of connect().refresh([`C1:${ts(0)}`], new AbortController().signal)) told.push(step);
    expect(told.flatMap(({ failures }) => failures)).toMatchObject([{ externalId: `C1:${ts(0)}` }]);

    delete workspace.listed['C1'];
    general.messages = general.messages.slice(0, -1);
    const third = await collect(connect(), second.cursor);
    expect([third.deletedIds, third.failures]).toEqual([[`C1:${ts(31)}`], []]);
  });

  it('deletes no channel while an entry of the list names none', async () => {
    const first = await collect(connect());
    workspace.listed['C1'] = null;
    const second = await collect(connect(), first.cursor);
    expect(second.deletedIds).toEqual([]);
    expect(second.failures).toMatchObject([{ externalId: '?', error: { code: 'CONNECTOR.ITEM_UNREADABLE' } }]);
    await expect(collectIds(connect())).rejects.toMatchObject({ code: 'CONNECTOR.UNAVAILABLE' });
    workspace.listed = {};
    workspace.channels = [deals];
    expect((await collect(connect(), second.cursor)).deletedIds).toContain(`C1:${ts(31)}`);
  });

  it('tells once a run of channels that the bot is no member of, and of private ones without the scope', async () => {
    Object.assign(general, { is_member: false });
    workspace.errors['conversations.history C1'] = 'not_in_channel';
    workspace.channels.push({ id: 'C3', name: 'open', messages: [{ ts: ts(31), user: 'UANA', text: 'Here' }] });
    workspace.hasPrivateScope = false;
    const first = await collect(connect({}, 1));
    expect(first.failures.map(({ externalId, error }) => [externalId, error.message])).toEqual([
      ['groups:read', expect.stringContaining('private channels')],
      ['C1', expect.stringContaining('not a member')],
    ]);
    const second = await collect(connect({}, 1), first.cursor);
    expect(second.failures.map(({ externalId }) => externalId)).toEqual(['groups:read', 'C1']);
    expect([...second.byId.keys()]).toEqual([`C3:${ts(31)}`]);
    expect((await collect(connect({ channelAllowlist: ['open'] }))).failures).toEqual([]);
    expect((await collect(connect({ channelAllowlist: ['open', 'deals'] }))).failures).toMatchObject([
      { externalId: 'groups:read' },
      { externalId: 'deals' },
    ]);
  });

  it('tells of a run again only when it begins anew', async () => {
    const settings = { channelAllowlist: ['general', 'nowhere'] };
    const first = await collect(connect(settings, 1), null, { batches: 1 });
    expect(first.failures).toHaveLength(1);
    expect((await collect(connect(settings, 1), first.cursor)).failures).toEqual([]);
  });

  it('gives what it can read of a thread, and counts the rest', async () => {
    const root = { ts: ts(1), user: 'UANA', text: 'Root', thread_ts: ts(1), reply_count: 2 };
    general.messages = [root, { ts: ts(1, 2), user: 7, text: 'Odd', thread_ts: ts(1) }];
    const settings = { channelAllowlist: ['C1'] };
    const odd = await collect(connect(settings));
    expect(odd.byId.get(`C1:${ts(1)}`)?.metadata).toMatchObject({ unreadableMessages: 1 });
    expect(odd.failures).toMatchObject([
      { externalId: `C1:${ts(1)}`, title: 'Root', error: { code: 'CONNECTOR.ITEM_UNREADABLE' } },
    ]);
    const refreshed = [];
    for await (const step of connect(settings).refresh([`C1:${ts(1)}`], new AbortController().signal)) {
      refreshed.push(step);
    }
    expect(refreshed.flatMap(({ failures }) => failures)).toHaveLength(1);
    general.messages = [{ ...root, user: 7 }];
    const none = [];
    for await (const step of connect(settings).refresh([`C1:${ts(1)}`], new AbortController().signal)) none.push(step);
    expect(none).toMatchObject([{ items: [], deletedIds: [], failures: [{ externalId: `C1:${ts(1)}` }] }]);
  });

  it('counts a thread that is cut', async () => {
    const root = { ts: ts(1), user: 'UANA', text: 'Root', thread_ts: ts(1), reply_count: 5_000 };
    const replies = Array.from({ length: 5_000 }, (_, index) => ({
      ts: ts(1, index + 2),
      user: 'UANA',
      text: `Reply ${String(index)}`,
      thread_ts: ts(1),
    }));
    general.messages = [root, ...replies];
    const settings = { channelAllowlist: ['C1'] };
    const cut = await collect(connect(settings));
    expect(cut.byId.get(`C1:${ts(1)}`)?.metadata).toMatchObject({ isCut: true, replyCount: 4_999 });
    expect(cut.failures).toMatchObject([{ externalId: `C1:${ts(1)}`, error: { code: 'CONNECTOR.ITEM_TOO_LARGE' } }]);
    general.messages.pop();
    expect((await collect(connect(settings))).failures).toEqual([]);
  });

  it('keeps to the allowlist, also after a rename, and says what it does not find', async () => {
    const settings = { channelAllowlist: ['#general', 'nowhere'] };
    const first = await collect(connect(settings));
    expect([...first.byId.keys()].every((id) => id.startsWith('C1:'))).toBe(true);
    expect(first.failures).toMatchObject([{ externalId: 'nowhere', error: { code: 'CONNECTOR.ITEM_UNREADABLE' } }]);
    Object.assign(general, { name: 'lobby', previous_names: ['general'] });
    expect((await collect(connect(settings), first.cursor)).byId.size).toBeGreaterThan(0);
    expect(await collectIds(connect(settings))).toEqual([`C1:${ts(0)}`, `C1:${ts(30)}`, `C1:${ts(31)}`]);
  });

  it('deletes what it knows of a channel that is gone or closed, and tells of one that was asked for', async () => {
    const first = await collect(connect());
    workspace.channels = [general];
    workspace.errors['conversations.history C1'] = 'not_in_channel';
    const second = await collect(connect({ channelAllowlist: ['C1'] }), first.cursor);
    expect(second.deletedIds.sort()).toEqual([...first.byId.keys()].sort());
    expect(second.failures).toMatchObject([{ externalId: 'C1', title: '#general' }]);
    expect(await collectIds(connect())).toEqual([]);
  });

  it('keeps a thread whose root was deleted, and counts messages that are none', async () => {
    general.messages = [
      {
        ts: ts(1),
        subtype: 'tombstone',
        hidden: true,
        user: 'USLACKBOT',
        text: 'This message was deleted.',
        thread_ts: ts(1),
        reply_count: 1,
      },
      { ts: ts(1, 2), user: 'UANA', text: 'An answer to nothing', thread_ts: ts(1) },
    ];
    const { byId, failures } = await collect(connect({ channelAllowlist: ['C1'] }));
    expect(byId.get(`C1:${ts(1)}`)).toMatchObject({ title: 'An answer to nothing', authorName: 'Ana' });
    expect(byId.size).toBe(1);
    expect(failures).toHaveLength(0);
  });

  it('counts a message that is not as documented', async () => {
    workspace.server.on('/api/conversations.history', () => ({
      body: { ok: true, messages: [{ ts: ts(1), user: 7 }, 'text', { ts: ts(2), text: 'Fine' }], has_more: false },
    }));
    const { byId, failures } = await collect(connect({ channelAllowlist: ['C1'] }));
    expect([...byId.keys()]).toEqual([`C1:${ts(2)}`]);
    expect(failures.map(({ externalId }) => externalId)).toEqual([`C1:${ts(1)}`, 'C1:?']);
  });

  it('keeps what it cannot read this time', async () => {
    const first = await collect(connect({ channelAllowlist: ['C1'] }));
    general.messages = general.messages.map((message) =>
      message.ts === ts(30)
        ? { ...message, user: 7 }
        : message.ts === ts(31)
          ? { ...message, thread_ts: ts(31) }
          : message,
    );
    workspace.errors['conversations.replies C1'] = 'restricted_action';
    const second = await collect(connect({ channelAllowlist: ['C1'] }), first.cursor);
    expect(second.failures.map(({ externalId }) => externalId).sort()).toEqual([`C1:${ts(30)}`, `C1:${ts(31)}`]);
    expect(second.deletedIds).toEqual([]);
  });

  it('names the error: token, rate, outage, garbage, abort', async () => {
    const history = '/api/conversations.history';
    const refused = new SlackConnector(
      { baseUrl: workspace.baseUrl },
      { botToken: 'old' },
      { allowPrivateAddresses: true },
    );
    await expect(refused.check(new AbortController().signal)).rejects.toMatchObject({
      code: 'CONNECTOR.CREDENTIALS_REJECTED',
      retryable: false,
    });
    expect(await connect().check(new AbortController().signal)).toEqual({ account: 'candor in Shop' });
    workspace.server.on(history, () => ({ status: 429, headers: { 'retry-after': '90' } }));
    await expect(collect(connect())).rejects.toMatchObject({ code: 'CONNECTOR.RATE_LIMITED', retryAfterSeconds: 90 });
    workspace.server.on(history, () => ({ body: '<html>oops' }));
    const garbage: unknown = await collect(connect()).catch((error: unknown) => error);
    expect(garbage).toMatchObject({ code: 'CONNECTOR.UNAVAILABLE', retryable: true });
    expect(inspect(garbage, { depth: 9 })).not.toMatch(/oops|xoxb/);
    workspace.server.on(history, () => ({ status: 500 }));
    await expect(collect(connect())).rejects.toMatchObject({ code: 'CONNECTOR.UNAVAILABLE' });
    const abort = new AbortController();
    workspace.server.on(history, () => {
      abort.abort();
      return 'never';
    });
    await expect(collect(connect(), null, { signal: abort.signal })).rejects.toMatchObject({
      code: 'REQUEST.CANCELLED',
    });
  });

  it('goes on after a short rate limit and a single outage', async () => {
    let asked = 0;
    workspace.server.on('/api/conversations.history', (call) => {
      asked += 1;
      if (asked === 1) return { status: 429, headers: { 'retry-after': '0' } };
      if (asked === 2) return { status: 502 };
      return {
        body: {
          ok: true,
          messages: call.form.get('channel') === 'C1' ? general.messages.slice(3) : [],
          has_more: false,
        },
      };
    });
    expect((await collect(connect())).byId.size).toBe(2);
  });

  it('refuses a private address unless the operator allows it', async () => {
    const connector = new SlackConnector(
      { baseUrl: workspace.baseUrl },
      { botToken: 'xoxb-1' },
      { allowPrivateAddresses: false },
    );
    await expect(connector.check(new AbortController().signal)).rejects.toMatchObject({
      code: 'CONNECTOR.ADDRESS_REFUSED',
    });
    expect(workspace.server.calls).toEqual([]);
  });
});
