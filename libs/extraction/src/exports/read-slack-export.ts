import { z } from 'zod';
import type { IngestDocument } from '@candor/contracts';
import { groupSlackThreads, renderSlackThread } from '../slack/render-slack-thread.js';
import type { SlackMessage } from '../slack/slack-message.js';
import type { ExportItem, ExportSource } from './export-source.js';
import { SlackExportDirectory, type ExportedChannel } from './slack-export-directory.js';

export interface SlackExportOptions {
  /** `https://<workspace>.slack.com`, for links to the messages; the export doesn't name it. */
  workspaceUrl?: string;
  /** Ids or names; all when absent. */
  channels?: readonly string[];
}

const messageSchema = z.looseObject({ ts: z.string() });

export function isSlackExport(source: ExportSource): boolean {
  return SlackExportDirectory.isIn(source);
}

/** One document a thread, named as the Slack connector names it; a connected source has items of its own beside these. */
export async function* readSlackExport(
  source: ExportSource,
  options: SlackExportOptions = {},
): AsyncGenerator<ExportItem> {
  const directory = await SlackExportDirectory.read(source);
  const files = groupByFolder(source.names);
  for (const wanted of options.channels ?? [])
    if (!directory.channels.some((channel) => isNamed(channel, wanted)))
      yield { kind: 'problem', name: wanted, message: 'The export has no channel of this name or id.' };
  for (const channel of directory.channels) {
    if (options.channels && !options.channels.some((wanted) => isNamed(channel, wanted))) continue;
    const messages: SlackMessage[] = [];
    for (const name of files.get(channel.folder) ?? []) {
      const day = parseDay(await source.read(name));
      if (day === null) {
        yield { kind: 'problem', name, message: 'The file is not a list of messages.' };
        continue;
      }
      messages.push(...day.messages);
      if (day.unreadable > 0)
        yield {
          kind: 'problem',
          name,
          message: `${day.unreadable} of its entries are no messages: they have no time.`,
        };
    }
    for (const [ts, thread] of groupSlackThreads(messages)) {
      const document = toDocument({ channel, ts, thread, directory, options });
      if (document) yield { kind: 'document', document };
    }
  }
  const listed = new Set(directory.channels.map(({ folder }) => folder));
  for (const folder of files.keys())
    if (!listed.has(folder))
      yield {
        kind: 'problem',
        name: `${folder}/`,
        message: 'No list of channels names it: who may read it is unknown.',
      };
}

function isNamed(channel: ExportedChannel, wanted: string): boolean {
  return wanted === channel.id || wanted === channel.name;
}

function groupByFolder(names: readonly string[]): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const name of [...names].sort()) {
    const [folder, file, ...deeper] = name.split('/');
    if (folder === undefined || file === undefined || deeper.length > 0 || !file.endsWith('.json')) continue;
    folders.set(folder, [...(folders.get(folder) ?? []), name]);
  }
  return folders;
}

function parseDay(bytes: Buffer): { messages: SlackMessage[]; unreadable: number } | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (!Array.isArray(value)) return null;
    const messages = value.filter((entry): entry is SlackMessage => messageSchema.safeParse(entry).success);
    return { messages, unreadable: value.length - messages.length };
  } catch {
    return null;
  }
}

function toDocument(found: {
  channel: ExportedChannel;
  ts: string;
  thread: readonly SlackMessage[];
  directory: SlackExportDirectory;
  options: SlackExportOptions;
}): IngestDocument | null {
  const { channel, ts, directory, options } = found;
  const thread = renderSlackThread(found.thread, directory);
  if (thread === null) return null;
  const workspace = options.workspaceUrl?.replace(/\/$/, '');
  return {
    provider: 'slack',
    sourceKind: 'message',
    externalId: `${channel.id}:${ts}`,
    title: thread.title,
    body: thread.text,
    mimeType: 'text/plain',
    url: workspace === undefined ? null : `${workspace}/archives/${channel.id}/p${ts.replace('.', '')}`,
    authorName: thread.authorName,
    sourceCreatedAt: thread.createdAt?.toISOString() ?? null,
    sourceUpdatedAt: thread.updatedAt?.toISOString() ?? null,
    accessPolicy: directory.policyOf(channel),
    metadata: {
      channelId: channel.id,
      channelName: channel.name,
      isPrivate: channel.isPrivate,
      isArchived: channel.isArchived,
      threadTs: ts,
      replyCount: found.thread.length - 1,
      participants: thread.participants.slice(0, 50),
    },
  };
}
