import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SlackSettings } from '@candor/contracts';
import { collect, type Collected } from '../testing/collect-batches.js';
import { ScriptedProviderServer } from '../testing/scripted-provider.server.js';
import { SlackConnector } from './slack.connector.js';
import { SlackWorkspace, type TestChannel } from './testing/slack-workspace.js';

const T0 = 1_770_000_000;
const DAY = 86_400;
const DAYS = [0, 10, 20, 39, 40];
const ts = (days: number): string => `${String(T0 + days * DAY)}.000001`;
const MEMBERS = ['channel:C2', 'user:ana@shop.example'];

describe('a Slack channel that is closed to the bot', () => {
  let workspace: SlackWorkspace;
  let general: TestChannel;
  let deals: TestChannel;

  const connect = (settings: SlackSettings = {}, pageSize = 50): SlackConnector =>
    new SlackConnector(
      { baseUrl: workspace.baseUrl, ...settings },
      { botToken: 'xoxb-1' },
      { allowPrivateAddresses: true, pageSize, retry: { budgetMs: 2_000, firstPauseMs: 1 } },
      () => (T0 + 41 * DAY) * 1000,
    );
  const talk = (): TestChannel['messages'] =>
    DAYS.map((day) => ({ ts: ts(day), user: 'UANA', text: `Said on day ${String(day)}` }));
  /** The second run knows of the last week's threads alone. */
  const readTwice = async (): Promise<Collected> => collect(connect(), (await collect(connect())).cursor);
  /** What all threads of a channel are given, in order. */
  const policiesOf = ({ batches }: Collected): unknown[] =>
    batches.flatMap(({ policyOf }) =>
      policyOf
        ? [[policyOf.matching['channelId'], policyOf.accessPolicy && (policyOf.accessPolicy.principals ?? 'all')]]
        : [],
    );

  beforeEach(async () => {
    workspace = new SlackWorkspace(await ScriptedProviderServer.start());
    workspace.users = [{ id: 'UANA', name: 'ana', profile: { email: 'ana@shop.example' } }];
    general = { id: 'C1', name: 'general', is_private: false, messages: talk() };
    deals = { id: 'C2', name: 'deals', is_private: true, members: ['UANA'], messages: talk() };
    workspace.channels = [general, deals];
  });
  afterEach(() => workspace.server.stop());

  it('withholds all of a channel that left the list, at once and once, and gives it back', async () => {
    const first = await readTwice();
    workspace.channels = [general];
    const second = await collect(connect(), first.cursor);
    const [closing] = second.batches;
    expect(closing?.policyOf).toEqual({ matching: { channelId: 'C2' }, metadata: {}, accessPolicy: null });
    expect(closing?.deletedIds).toEqual([40, 39].map((day) => `C2:${ts(day)}`));
    const third = await collect(connect(), second.cursor);
    expect([policiesOf(second), policiesOf(third)]).toEqual([[['C2', null]], []]);
    workspace.channels = [general, deals];
    const fourth = await collect(connect(), third.cursor);
    expect(policiesOf(fourth)).toEqual([['C2', MEMBERS]]);
    expect([...fourth.byId.keys()].filter((id) => id.startsWith('C2:'))).toHaveLength(DAYS.length);
    expect(policiesOf(await collect(connect(), fourth.cursor))).toEqual([]);
  });

  it.each([
    ['private', 'C2', MEMBERS],
    ['public', 'C1', 'all'],
  ])('withholds all of a %s one that it may not read, and gives it back', async (_, id, principals) => {
    const first = await readTwice();
    workspace.errors[`conversations.history ${id}`] = 'not_in_channel';
    const second = await collect(connect(), first.cursor);
    expect(policiesOf(second)).toEqual([[id, null]]);
    expect(second.failures).toMatchObject([{ externalId: id }]);
    // Its members may be readable all the same: that opens nothing.
    const third = await collect(connect(), second.cursor);
    expect([policiesOf(third), third.deletedIds]).toEqual([[], []]);
    expect(third.failures).toMatchObject([{ externalId: id }]);
    workspace.errors = {};
    const fourth = await collect(connect(), third.cursor);
    expect(policiesOf(fourth)).toEqual([[id, principals]]);
    const given = fourth.batches.findIndex(({ policyOf }) => policyOf !== undefined);
    const read = fourth.batches.findIndex(({ items }) => items.some(({ externalId }) => externalId.startsWith(id)));
    expect(given).toBeLessThan(read);
    expect([...fourth.byId.keys()].filter((externalId) => externalId.startsWith(id))).toHaveLength(DAYS.length);
  });

  it('withholds what it had read of one that is closed in the middle of its first walk', async () => {
    const begun = await collect(connect({ channelAllowlist: ['C1'] }, 2), null, { batches: 2 });
    workspace.errors['conversations.history C1'] = 'channel_not_found';
    const closed = await collect(connect({ channelAllowlist: ['C1'] }), begun.cursor);
    expect(policiesOf(closed)).toEqual([['C1', null]]);
    workspace.errors = {};
    workspace.channels = [deals];
    const gone = await collect(connect(), begun.cursor);
    expect(policiesOf(gone)[0]).toEqual(['C1', null]);
  });

  it('says nothing of the threads of one that it never read', async () => {
    workspace.errors['conversations.history C1'] = 'not_in_channel';
    const first = await collect(connect({ channelAllowlist: ['C1'] }));
    const second = await collect(connect({ channelAllowlist: ['C1'] }), first.cursor);
    expect([policiesOf(first), policiesOf(second)]).toEqual([[], []]);
    expect(second.failures).toMatchObject([{ externalId: 'C1' }]);
  });
});
