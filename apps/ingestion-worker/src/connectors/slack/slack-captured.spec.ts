import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { collect, collectIds, loadText } from '../testing/collect-batches.js';
import { bodyOf, readCaptured, serveCaptured, type CapturedAnswer } from '../testing/captured/serve-captured.js';
import { ScriptedProviderServer } from '../testing/scripted-provider.server.js';
import { SlackConnector } from './slack.connector.js';

interface Message {
  ts: string;
  user: string;
  text: string;
}
interface Channel {
  id: string;
  name: string;
  is_private: boolean;
}

// A whole workspace, on a machine that does much else.
jest.setTimeout(30_000);

const answers = readCaptured<CapturedAnswer[]>('slack');
const samples = readCaptured<Record<string, Record<string, unknown>>>('slack-samples');
const { channels } = bodyOf<{ channels: Channel[] }>(answers, 'conversations.list?types');
const { members: users } = bodyOf<{ members: { id: string; real_name: string }[] }>(answers, 'users.list');
const INCIDENTS = 'C9CB165E444';
const DESIGN = 'C7BB3B3F313';

const nameOf = (id: string): string | undefined => users.find((user) => user.id === id)?.real_name;
const timeOf = (ts: string): string => new Date(Math.trunc(Number(ts) * 1000)).toISOString();
const repliesOf = (channel: string, ts: string): Message[] | undefined =>
  answers.find(({ request }) => request.endsWith(`replies?channel=${channel}&ts=${ts}`))?.body['messages'] as
    Message[] | undefined;

describe('SlackConnector over captured answers', () => {
  let server: ScriptedProviderServer;
  const connect = (): SlackConnector =>
    new SlackConnector(
      { baseUrl: `${server.url}/slack/api/` },
      { botToken: 'xoxb-1' },
      { allowPrivateAddresses: true, retry: { budgetMs: 2_000, firstPauseMs: 1 } },
      () => Date.parse('2026-03-15T00:00:00Z'),
    );

  beforeEach(async () => {
    server = await ScriptedProviderServer.start();
    serveCaptured(server, answers, { by: ['channel', 'ts'] });
    // Not among what was captured.
    server
      .on('/slack/api/auth.test', () => ({ body: { ok: true, url: 'https://acme.slack.com/', team: 'acme' } }))
      .on('/slack/api/conversations.members', ({ form }) => ({
        body:
          form.get('channel') === INCIDENTS
            ? { ok: true, members: ['UB740558D19', 'U0D25DFA34F'] }
            : { ok: false, error: 'fetch_members_failed' },
      }));
  });
  afterEach(() => server.stop());

  it('gives every thread of every channel: title, author, link, times and policy', async () => {
    const { byId, failures } = await collect(connect());
    expect(failures).toEqual([]);
    const roots = channels.flatMap((channel) =>
      bodyOf<{ messages: Message[] }>(answers, `history?channel=${channel.id}`).messages.map((root) => ({
        channel,
        root,
      })),
    );
    expect([...byId.keys()].sort()).toEqual(roots.map(({ channel, root }) => `${channel.id}:${root.ts}`).sort());
    for (const { channel, root } of roots) {
      const thread = repliesOf(channel.id, root.ts) ?? [root];
      const item = byId.get(`${channel.id}:${root.ts}`);
      expect(item).toMatchObject({
        sourceKind: 'message',
        title: root.text,
        url: `https://acme.slack.com/archives/${channel.id}/p${root.ts.replace('.', '')}`,
        authorName: nameOf(root.user),
        sourceCreatedAt: timeOf(root.ts),
        sourceUpdatedAt: timeOf(thread.at(-1)?.ts ?? ''),
        metadata: { channelName: channel.name, isPrivate: channel.is_private, replyCount: thread.length - 1 },
      });
      const paragraphs = thread.map(({ ts, user, text }) => {
        const minute = timeOf(ts).slice(0, 16).replace('T', ' ');
        return `${nameOf(user) ?? ''}, ${minute} UTC:\n${text}`;
      });
      expect(await loadText(item)).toBe(paragraphs.join('\n\n'));
    }
    expect(await collectIds(connect())).toEqual([...byId.keys()].sort());
  });

  it('lets in who may read the channel: everybody, its members, nobody where the list is refused', async () => {
    const { items } = await collect(connect());
    const policies = new Map(items.map((item) => [item.externalId.split(':')[0], item.accessPolicy]));
    expect(policies.get('CEC33D73824')).toMatchObject({ mode: 'provider_scope', isPrivate: false });
    expect(policies.get(INCIDENTS)).toEqual({
      provider: 'slack',
      mode: 'acl',
      channelId: INCIDENTS,
      isPrivate: true,
      principals: [`channel:${INCIDENTS}`, 'user:sam.ortiz@northwind.example', 'user:bob.iyer@acme.com'],
      memberIds: ['U0D25DFA34F', 'UB740558D19'],
    });
    expect(policies.get(DESIGN)).toBeNull();
  });

  it('tells a rejected token and a closed channel by their captured answers', async () => {
    const closed = bodyOf(answers, 'channel=C0NOPE');
    server.on('/slack/api/conversations.history', ({ form }) => ({
      body: form.get('channel') === DESIGN ? closed : bodyOf(answers, `history?channel=${form.get('channel') ?? ''}`),
    }));
    const { failures, items } = await collect(connect());
    expect(failures.map(({ externalId, error }) => [externalId, error.code])).toEqual([
      [DESIGN, 'CONNECTOR.ITEM_UNREADABLE'],
    ]);
    expect(items.length).toBeGreaterThan(0);
    const rejected = answers.filter(({ body }) => body['error'] === 'invalid_auth')[0];
    server.on('/slack/api/auth.test', () => ({ body: rejected?.body }));
    await expect(connect().check(new AbortController().signal)).rejects.toMatchObject({
      code: 'CONNECTOR.CREDENTIALS_REJECTED',
    });
  });

  it('reads answers that have every field that Slack has ever sent, most of them empty', async () => {
    const answer = (name: string, more: Record<string, unknown> = {}) => ({
      body: { ...samples[name], ok: true, error: undefined, ...more },
    });
    const first = (name: string, list: string): Record<string, unknown> =>
      (samples[name]?.[list] as Record<string, unknown>[])[0] ?? {};
    const ts = '1771294440.460020';
    const message = { ...first('conversations.history', 'messages'), text: 'Signed', ts, thread_ts: ts };
    const channel = { ...first('conversations.list', 'channels'), id: 'C1', name: 'deals', is_private: true };
    const user = { ...first('users.list', 'members'), name: 'ana', profile: { email: 'Ana@shop.example' } };
    server
      .on('/slack/api/conversations.list', () => answer('conversations.list', { channels: [channel] }))
      .on('/slack/api/users.list', () => answer('users.list', { members: [user] }))
      .on('/slack/api/conversations.members', () => answer('conversations.members'))
      .on('/slack/api/conversations.history', () => answer('conversations.history', { messages: [message] }))
      .on('/slack/api/conversations.replies', () => answer('conversations.history', { messages: [message] }));
    const { items, failures } = await collect(connect());
    expect(failures).toEqual([]);
    expect(items).toMatchObject([
      {
        externalId: `C1:${ts}`,
        title: 'Signed',
        authorName: 'ana',
        sourceCreatedAt: '2026-02-17T02:14:00.460Z',
        accessPolicy: { mode: 'acl', principals: ['channel:C1', 'user:ana@shop.example'], memberIds: ['U00000000'] },
      },
    ]);
  });
});
