import type { AccessPolicy } from '@candor/contracts';
import { z } from 'zod';
import type { SlackNames } from '../slack/slack-message.js';
import type { ExportSource } from './export-source.js';

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);

const userSchema = z.looseObject({
  id: z.string(),
  name: text,
  real_name: text,
  profile: z.looseObject({ display_name: text, real_name: text, email: text }).nullish(),
});
const channelSchema = z.looseObject({
  id: z.string(),
  name: text,
  members: z.array(z.string()).nullish(),
  is_archived: z.boolean().nullish(),
});

export interface ExportedChannel {
  id: string;
  /** As people see it. */
  name: string;
  /** Where its messages are. */
  folder: string;
  isPrivate: boolean;
  isArchived: boolean;
  /** Null when the export doesn't say. */
  memberIds: string[] | null;
}

/** The files that list conversations, and whether those in them are private. */
const LISTS = [
  ['channels.json', false],
  ['groups.json', true],
  ['mpims.json', true],
  ['dms.json', true],
] as const;

/** Users and conversations of a Slack export. */
export class SlackExportDirectory implements SlackNames {
  private constructor(
    private readonly users: ReadonlyMap<string, z.output<typeof userSchema>>,
    readonly channels: readonly ExportedChannel[],
  ) {}

  static isIn(source: ExportSource): boolean {
    return LISTS.some(([name]) => source.names.includes(name));
  }

  static async read(source: ExportSource): Promise<SlackExportDirectory> {
    const users = await readList(source, 'users.json', userSchema);
    const byId = new Map(users.map((user) => [user.id, user]));
    const channels: ExportedChannel[] = [];
    for (const [file, isPrivate] of LISTS) {
      for (const channel of await readList(source, file, channelSchema)) {
        const members = channel.members ?? null;
        const folder = channel.name ?? channel.id;
        channels.push({
          id: channel.id,
          name: file === 'dms.json' ? nameConversation(members ?? [], byId) : folder,
          folder,
          isPrivate,
          isArchived: channel.is_archived === true,
          memberIds: members,
        });
      }
    }
    return new SlackExportDirectory(byId, channels);
  }

  user(id: string): string | null {
    return nameUser(this.users.get(id));
  }

  channel(id: string): string | null {
    return this.channels.find((channel) => channel.id === id)?.name ?? null;
  }

  /** Public conversations are for all who may read the source, others for their members; unknown members withhold it. */
  policyOf(channel: ExportedChannel): AccessPolicy | null {
    const facts = { provider: 'slack' as const, channelId: channel.id, isPrivate: channel.isPrivate };
    if (!channel.isPrivate) return { ...facts, mode: 'provider_scope' };
    if (channel.memberIds === null) return null;
    const principals = new Set(
      channel.memberIds.map((id) => `user:${this.users.get(id)?.profile?.email?.toLowerCase() ?? id}`),
    );
    return {
      ...facts,
      mode: 'acl',
      principals: [`channel:${channel.id}`, ...principals],
      memberIds: channel.memberIds,
    };
  }
}

async function readList<Schema extends z.ZodType>(
  source: ExportSource,
  name: string,
  schema: Schema,
): Promise<z.output<Schema>[]> {
  if (!source.names.includes(name)) return [];
  const value: unknown = JSON.parse((await source.read(name)).toString('utf8'));
  return (Array.isArray(value) ? value : []).flatMap((entry) => {
    const parsed = schema.safeParse(entry);
    return parsed.success ? [parsed.data] : [];
  });
}

function nameUser(user: z.output<typeof userSchema> | undefined): string | null {
  const names = [user?.profile?.display_name, user?.profile?.real_name, user?.real_name, user?.name];
  return names.find((name) => name !== undefined && name.trim() !== '') ?? null;
}

function nameConversation(
  memberIds: readonly string[],
  users: ReadonlyMap<string, z.output<typeof userSchema>>,
): string {
  return memberIds.map((id) => nameUser(users.get(id)) ?? id).join(', ') || 'direct message';
}
