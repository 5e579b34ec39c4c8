import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SlackSettings } from '@candor/contracts';
import { collect, type Collected } from '../testing/collect-batches.js';
import { ScriptedProviderServer } from '../testing/scripted-provider.server.js';
import { SlackConnector } from './slack.connector.js';
import { SlackWorkspace, type TestChannel } from './testing/slack-workspace.js';

const DAY = 86_400;
const T0 = 1_770_000_000;
const ts = (days: number): string => `${String(T0 + days * DAY)}.000001`;

describe('policies of Slack channels', () => {
  let workspace: SlackWorkspace;
  let general: TestChannel;
  let deals: TestChannel;

  const connect = (settings: SlackSettings = {}, pageSize = 50): SlackConnector =>
    new SlackConnector(
      { baseUrl: workspace.baseUrl, ...settings },
      { botToken: 'xoxb-1' },
      { allowPrivateAddresses: true, pageSize, retry: { budgetMs: 2_000, firstPauseMs: 1 } },
      () => (T0 + 31.5 * DAY) * 1000,
    );

  beforeEach(async () => {
    workspace = new SlackWorkspace(await ScriptedProviderServer.start());
    workspace.users = [{ id: 'UANA', name: 'ana', profile: { display_name: 'Ana', email: 'Ana@shop.example' } }];
    general = {
      id: 'C1',
      name: 'general',
      is_private: false,
      messages: [0, 31].map((day) => ({ ts: ts(day), user: 'UANA', text: `day ${String(day)}` })),
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

  const policiesOf = ({ batches }: Collected): unknown[] =>
    batches.flatMap(({ policyOf }) =>
      policyOf ? [[policyOf.matching, policyOf.accessPolicy?.principals ?? null]] : [],
    );

  it('gives the policy of a channel whose members change before anything is read, and reads no more for it', async () => {
    deals.messages.unshift({ ts: ts(0), user: 'UANA', text: 'Ancient' });
    const first = await collect(connect());
    expect(policiesOf(await collect(connect(), first.cursor))).toEqual([]);
    deals.members = ['UANA'];
    const second = await collect(connect(), first.cursor);
    expect(policiesOf(second)).toEqual([[{ channelId: 'C2' }, ['channel:C2', 'user:ana@shop.example']]]);
    expect([...second.byId.keys()].filter((id) => id.startsWith('C2'))).toEqual([`C2:${ts(31)}`]);
    const ofDeals = second.batches.slice(second.batches.findIndex(({ policyOf }) => policyOf !== undefined));
    expect(ofDeals.map(({ items }) => items.length)).toEqual([0, 1]);
    workspace.errors['conversations.members'] = 'fetch_members_failed';
    expect(policiesOf(await collect(connect(), second.cursor))).toEqual([[{ channelId: 'C2' }, null]]);
  });

  it('goes on with a walk while members come and go', async () => {
    const settings = { channelAllowlist: ['C2'] };
    deals.messages = [9, 8, 7, 6, 5].map((day) => ({ ts: ts(day), user: 'UANA', text: `day ${String(day)}` }));
    let { cursor } = await collect(connect(settings, 2), null, { batches: 2 });
    deals.members = ['UANA'];
    const next = await collect(connect(settings, 2), cursor, { batches: 2 });
    expect(policiesOf(next)).toHaveLength(1);
    expect(next.items.map(({ title }) => title)).toEqual(['day 7', 'day 6']);
    ({ cursor } = next);
    deals.members = ['UANA', 'UBEN'];
    const last = await collect(connect(settings, 2), cursor);
    expect(policiesOf(last)).toHaveLength(1);
    expect(last.items.map(({ title }) => title)).toEqual(['day 5']);
  });

  it('gives the policy of a public channel that becomes private, and back', async () => {
    const first = await collect(connect());
    general.is_private = true;
    general.members = ['UANA'];
    const second = await collect(connect(), first.cursor);
    expect(policiesOf(second)).toEqual([[{ channelId: 'C1' }, ['channel:C1', 'user:ana@shop.example']]]);
    const metadata = second.batches.flatMap(({ policyOf }) => (policyOf ? [policyOf.metadata] : []));
    expect(metadata).toEqual([{ isPrivate: true }]);
    general.is_private = false;
    expect(policiesOf(await collect(connect(), second.cursor))).toEqual([[{ channelId: 'C1' }, null]]);
  });

  it('withholds a private channel whose members are unreadable', async () => {
    workspace.errors['conversations.members'] = 'fetch_members_failed';
    const { byId } = await collect(connect());
    expect(byId.get(`C2:${ts(31)}`)?.accessPolicy).toBeNull();
  });

  it.each([
    ['a null member', { ok: true, members: ['UANA', null] }],
    ['a member of another kind', { ok: true, members: [{ id: 'UANA' }] }],
    ['a null list', { ok: true, members: null }],
  ])('withholds a private channel with %s, and reads the others', async (_what, answer) => {
    workspace.answers['conversations.members'] = answer;
    const { byId } = await collect(connect());
    expect(byId.get(`C2:${ts(31)}`)?.accessPolicy).toBeNull();
    expect(byId.has(`C1:${ts(0)}`)).toBe(true);
  });
});
