import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { collect, collectLimits } from '../testing/collect-batches.js';
import { ScriptedProviderServer } from '../testing/scripted-provider.server.js';
import { SlackConnector } from './slack.connector.js';
import { SlackWorkspace, type TestChannel } from './testing/slack-workspace.js';

const NOW = 1_770_000_000;

describe('a Slack token that loses a scope', () => {
  let workspace: SlackWorkspace;
  let general: TestChannel;

  const connect = (): SlackConnector =>
    new SlackConnector(
      { baseUrl: workspace.baseUrl },
      { botToken: 'xoxb-1' },
      { allowPrivateAddresses: true, retry: { budgetMs: 2_000, firstPauseMs: 1 } },
      () => NOW * 1000,
    );
  const channel = (id: string, isPrivate: boolean): TestChannel => ({
    id,
    name: id.toLowerCase(),
    is_private: isPrivate,
    members: ['UANA'],
    messages: [{ ts: `${NOW - 60}.000001`, user: 'UANA', text: `Said in ${id}` }],
  });

  beforeEach(async () => {
    workspace = new SlackWorkspace(await ScriptedProviderServer.start());
    workspace.users = [{ id: 'UANA', name: 'ana', profile: { email: 'ana@shop.example' } }];
    general = channel('C1', false);
    workspace.channels = [channel('C2', true), general];
  });
  afterEach(() => workspace.server.stop());

  it('takes a lost scope for private channels for no deletion, and says so', async () => {
    const first = await collect(connect());
    expect([...first.byId.keys()].some((id) => id.startsWith('C2:'))).toBe(true);
    workspace.hasPrivateScope = false;
    const second = await collect(connect(), first.cursor);
    expect(second.deletedIds).toEqual([]);
    expect(second.failures).toMatchObject([{ externalId: 'groups:read' }]);
    expect(await collectLimits(connect())).toMatchObject([
      {
        onlyUnder: ['C1:'],
        failure: { externalId: 'groups:read', error: { message: expect.stringContaining('stays') } },
      },
    ]);
    workspace.hasPrivateScope = true;
    expect(await collectLimits(connect())).toEqual([]);
    workspace.channels = [general];
    // With the scope a channel that is gone is gone.
    const gone = (await collect(connect(), second.cursor)).deletedIds;
    expect(gone.length).toBeGreaterThan(0);
    expect(gone.every((id) => id.startsWith('C2:'))).toBe(true);
  });
});
