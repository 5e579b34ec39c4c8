import { describe, expect, it } from '@jest/globals';
import { OutageGuard } from '../outage-guard.js';
import type { SlackUser } from './slack-client.js';
import { SlackDirectory } from './slack-directory.js';

const user = (id: string): SlackUser => ({
  id,
  real_name: undefined,
  profile: { display_name: `Name ${id}`, real_name: undefined, email: `${id}@Shop.example` },
});

describe('SlackDirectory', () => {
  /** Lists one of the users, however many are asked for, until all are. */
  function workspace(ids: string[]) {
    const asked: string[] = [];
    const client = {
      listUsers: async (enough: number) => {
        asked.push(`list ${String(enough)}`);
        return (enough === Infinity ? ids : ids.slice(0, 1)).map(user);
      },
      findUser: async (id: string) => {
        asked.push(id);
        return ids.includes(id) ? user(id) : null;
      },
    };
    return { asked, client };
  }

  it('asks by id for those beyond the first list, once each, also when they are gone', async () => {
    const { asked, client } = workspace(['U111', 'U222']);
    const directory = await SlackDirectory.read(client, [], new OutageGuard(false));
    const messages = [{ ts: '1.0', user: 'U222', text: 'for <@U111> and <@U333>' }];
    await directory.learn(messages);
    await directory.learn(messages);
    expect(asked).toEqual(['list 1000', 'U222', 'U333']);
    expect([directory.user('U222'), directory.user('U333'), directory.user('USLACKBOT')]).toEqual([
      'Name U222',
      null,
      'Slackbot',
    ]);
    expect([directory.principalOf('U222'), directory.principalOf('U333')]).toEqual([
      'user:u222@shop.example',
      'user:U333',
    ]);
  });

  it('asks for all at once when many are unknown', async () => {
    const ids = Array.from({ length: 150 }, (_, index) => `U${String(1000 + index)}`);
    const { asked, client } = workspace(ids);
    const directory = await SlackDirectory.read(client, [], new OutageGuard(false));
    await directory.learnUsers([...ids, 'UGONE']);
    expect(asked).toEqual(['list 1000', 'list Infinity', 'UGONE']);
  });
});
