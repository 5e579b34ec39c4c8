import { compareSlackTs, readThreadTs, renderSlackThread, type SlackMessage } from '@candor/extraction';
import { AppError, type AccessPolicy } from '@candor/contracts';
import { createHash } from 'node:crypto';
import { isUnreadable, unreadable } from '../item-errors.js';
import type { OutageGuard } from '../outage-guard.js';
import type { ConnectorItem, ItemFailure } from '../source-connector.port.js';
import { MAX_THREAD_MESSAGES, type SlackChannel, type SlackClient, type SlackReplies } from './slack-client.js';
import type { SlackDirectory } from './slack-directory.js';

/** What a call or slice works with. */
export interface SlackSession {
  client: SlackClient;
  directory: SlackDirectory;
  guard: OutageGuard;
  /** `https://<workspace>.slack.com/`; null when the server doesn't say. */
  workspaceUrl: string | null;
}

/** What every thread of a channel shares. */
export interface ChannelContext extends SlackSession {
  channel: SlackChannel;
  policy: AccessPolicy | null;
}

export function toExternalId(channelId: string, threadTs: string): string {
  return `${channelId}:${threadTs}`;
}

export interface SlackThread {
  item: ConnectorItem;
  /** What the item lacks. */
  failures: ItemFailure[];
}

/** The thread of a message found in the history; null when nothing (more) is said in it. */
export async function readSlackThread(found: SlackMessage, context: ChannelContext): Promise<SlackThread | null> {
  const { client, directory, channel, policy } = context;
  const ts = readThreadTs(found);
  const whole = isAlone(found)
    ? { messages: [found], malformed: 0, isCut: false }
    : await readReplies(client, channel.id, ts);
  if (whole === null) return null;
  await directory.learn(whole.messages);
  const thread = renderSlackThread(whole.messages, directory);
  if (thread === null) {
    // Not silence: there is something, which can't be read.
    if (whole.malformed > 0) throw malformedMessages(whole.malformed);
    return null;
  }
  const item: ConnectorItem = {
    sourceKind: 'message',
    externalId: toExternalId(channel.id, ts),
    title: thread.title,
    url: buildPermalink(context.workspaceUrl, channel.id, ts),
    authorName: thread.authorName,
    sourceCreatedAt: thread.createdAt?.toISOString() ?? null,
    sourceUpdatedAt: thread.updatedAt?.toISOString() ?? null,
    accessPolicy: policy,
    // Edits of replies leave no mark on the root, so the text itself is the mark.
    contentRevision: createHash('sha256').update(thread.title).update('\n').update(thread.text).digest('hex'),
    metadata: {
      channelId: channel.id,
      channelName: channel.name,
      isPrivate: channel.is_private,
      isArchived: channel.is_archived,
      threadTs: ts,
      replyCount: Math.max(0, new Set(whole.messages.map((message) => message.ts)).size - 1),
      participants: thread.participants.slice(0, 50),
      ...(whole.isCut ? { isCut: true } : {}),
      ...(whole.malformed > 0 ? { unreadableMessages: whole.malformed } : {}),
    },
    load: async () => ({ kind: 'text', body: thread.text, mimeType: 'text/plain' }),
  };
  return {
    item,
    failures: describeGaps(whole).map((error) => ({ externalId: item.externalId, title: item.title, error })),
  };
}

function describeGaps({ malformed, isCut }: SlackReplies): AppError[] {
  const cut = new AppError('CONNECTOR.ITEM_TOO_LARGE', {
    message: `Only the first ${String(MAX_THREAD_MESSAGES)} messages of the thread are read.`,
    details: { maxMessages: MAX_THREAD_MESSAGES },
  });
  return [...(isCut ? [cut] : []), ...(malformed > 0 ? [malformedMessages(malformed)] : [])];
}

function malformedMessages(count: number): AppError {
  return unreadable(
    `Slack gave ${String(count)} messages of the thread not as documented; they are left out.`,
    'malformed',
  );
}

/** Then the history has all of it. */
export function isAlone(message: SlackMessage): boolean {
  return message.thread_ts === undefined && (message.reply_count ?? 0) === 0;
}

/** Null when the thread vanished between the two requests. */
async function readReplies(client: SlackClient, channelId: string, ts: string): Promise<SlackReplies | null> {
  try {
    return await client.readThread(channelId, ts);
  } catch (error) {
    if (isUnreadable(error, ['thread_not_found', 'message_not_found'])) return null;
    throw error;
  }
}

function buildPermalink(workspaceUrl: string | null, channelId: string, ts: string): string | null {
  if (workspaceUrl === null) return null;
  return `${workspaceUrl.replace(/\/$/, '')}/archives/${channelId}/p${ts.replace('.', '')}`;
}

/** Threads that a page of history speaks of, newest first: by their root, or by a reply that was also sent to the channel. */
export function findThreads(messages: readonly SlackMessage[]): SlackMessage[] {
  const byThread = new Map<string, SlackMessage>();
  for (const message of messages) {
    const ts = readThreadTs(message);
    if (!byThread.has(ts) || message.ts === ts) byThread.set(ts, message);
  }
  return [...byThread.values()].sort((left, right) => compareSlackTs(right.ts, left.ts));
}
