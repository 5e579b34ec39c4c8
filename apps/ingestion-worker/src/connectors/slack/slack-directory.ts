import type { SlackMessage, SlackNames } from '@candor/extraction';
import type { OutageGuard } from '../outage-guard.js';
import type { SlackChannel, SlackClient, SlackUser } from './slack-client.js';

/** Of a large workspace: each slice asks anew. */
const FIRST_USERS = 1_000;
/** Beyond so many, asking for all users takes fewer requests than asking for each. */
const MANY_UNKNOWN = 100;

/** Whom and what ids stand for, as far as it is known in this slice. */
export class SlackDirectory implements SlackNames {
  private readonly channelNames: Map<string, string>;
  private readonly users = new Map<string, SlackUser | null>();
  private listed = 0;

  private constructor(
    private readonly client: Pick<SlackClient, 'findUser' | 'listUsers'>,
    channels: readonly SlackChannel[],
    private readonly guard: Pick<OutageGuard, 'isGivenUp'>,
  ) {
    this.channelNames = new Map(channels.map(({ id, name }) => [id, name]));
  }

  static async read(
    client: Pick<SlackClient, 'findUser' | 'listUsers'>,
    channels: readonly SlackChannel[],
    guard: Pick<OutageGuard, 'isGivenUp'>,
  ): Promise<SlackDirectory> {
    const directory = new SlackDirectory(client, channels, guard);
    await directory.list(FIRST_USERS);
    return directory;
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

  /** Asks once for those that the list of users didn't hold: a large workspace's rest, guests, or a user who left. */
  async learn(messages: readonly SlackMessage[]): Promise<void> {
    await this.learnUsers([...findUserIds(messages)]);
  }

  async learnUsers(ids: readonly string[]): Promise<void> {
    const unknown = (): string[] => ids.filter((id) => !this.users.has(id));
    if (unknown().length > MANY_UNKNOWN && this.listed < Infinity) await this.list(Infinity);
    for (const id of unknown()) this.users.set(id, await this.findUser(id));
  }

  /** One that can't be had goes by its id: a name is not worth a thread, let alone a channel. */
  private async findUser(id: string): Promise<SlackUser | null> {
    try {
      return await this.client.findUser(id);
    } catch (error) {
      if (!this.guard.isGivenUp(error)) throw error;
      return null;
    }
  }

  private async list(enough: number): Promise<void> {
    for (const user of await this.client.listUsers(enough)) this.users.set(user.id, user);
    this.listed = enough;
  }
}

function findUserIds(messages: readonly SlackMessage[]): Set<string> {
  const mentioned = JSON.stringify(messages).matchAll(/(?:<@|"user(?:_id)?":")([UW][A-Z0-9]{2,})\b/g);
  return new Set([...mentioned].map(([, id = '']) => id).filter((id) => id !== 'USLACKBOT'));
}
