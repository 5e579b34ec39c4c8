import type { SlackMessage, SlackNames } from '@candor/extraction';
import type { SlackChannel, SlackClient, SlackUser } from './slack-client.js';

/** Whom and what ids stand for, as far as it is known in this slice. */
export class SlackDirectory implements SlackNames {
  private readonly channelNames: Map<string, string>;
  private readonly users: Map<string, SlackUser | null>;

  constructor(
    private readonly client: Pick<SlackClient, 'findUser'>,
    users: readonly SlackUser[],
    channels: readonly SlackChannel[],
  ) {
    this.users = new Map(users.map((user) => [user.id, user]));
    this.channelNames = new Map(channels.map(({ id, name }) => [id, name]));
  }

  user(id: string): string | null {
    if (id === 'USLACKBOT') return 'Slackbot';
    const user = this.users.get(id);
    const names = [user?.profile?.display_name, user?.profile?.real_name, user?.real_name, user?.name];
    return names.find((name) => name !== undefined && name.trim() !== '') ?? null;
  }

  channel(id: string): string | null {
    return this.channelNames.get(id) ?? null;
  }

  /** `user:<address>`, or by id for users whose address isn't known. */
  principalOf(id: string): string {
    return `user:${this.users.get(id)?.profile?.email?.toLowerCase() ?? id}`;
  }

  /** Asks once for those that the list of users didn't hold: guests of shared channels, or a user who left. */
  async learn(messages: readonly SlackMessage[]): Promise<void> {
    for (const id of findUserIds(messages)) {
      if (!this.users.has(id)) this.users.set(id, await this.client.findUser(id));
    }
  }
}

function findUserIds(messages: readonly SlackMessage[]): Set<string> {
  const mentioned = JSON.stringify(messages).matchAll(/(?:<@|"user(?:_id)?":")([UW][A-Z0-9]{2,})\b/g);
  return new Set([...mentioned].map(([, id = '']) => id).filter((id) => id !== 'USLACKBOT'));
}
