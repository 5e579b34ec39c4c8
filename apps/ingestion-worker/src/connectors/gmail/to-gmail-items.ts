import type { AccessPolicy } from '@candor/contracts';
import { AppError } from '@candor/contracts';
import { createHash } from 'node:crypto';
import { toItemFailure } from '../item-errors.js';
import type { OutageGuard } from '../outage-guard.js';
import { refuseUnreadFile } from '../refuse-unread-file.js';
import type { ConnectorItem, ItemFailure } from '../source-connector.port.js';
import { decodeBase64Url, type GmailClient } from './gmail-client.js';
import {
  findHeader,
  isLive,
  readDate,
  sortByDate,
  type GmailMessage,
  type GmailPart,
  type GmailThread,
} from './gmail-message.js';
import { readGmailMessage } from './read-gmail-message.js';
import { renderMailThread, stripPrefix, type ThreadMessage } from './render-mail-thread.js';
import { MAX_ATTACHMENTS, splitParts, type GmailAttachment } from './split-parts.js';

const MOST_MESSAGE_IDS = 200;

export interface GmailContext {
  mailbox: string;
  includeAttachments: boolean;
  guard: OutageGuard;
  openClient: (signal: AbortSignal) => GmailClient;
}

export interface GmailItems {
  items: ConnectorItem[];
  deletedIds: string[];
  failures: ItemFailure[];
}

export function mapGmailPolicy(mailbox: string): AccessPolicy {
  return { provider: 'gmail', mode: 'acl', principals: [`user:${mailbox.toLowerCase()}`], mailbox };
}

export function toAttachmentId(threadId: string, messageId: string, ordinal: number): string {
  return `${threadId}:${messageId}.${String(ordinal)}`;
}

/** Of the thread itself, or of what is attached to it. */
export function readThreadId(externalId: string): string {
  return externalId.split(':', 1)[0] ?? externalId;
}

/** Every id that a message's attachments may have had. */
export function listAttachmentIds(threadId: string, messageId: string): string[] {
  return Array.from({ length: MAX_ATTACHMENTS }, (_, index) => toAttachmentId(threadId, messageId, index + 1));
}

/** A thread and what is attached to its messages. Drafts, spam and trash are not of it; without them nothing may be left. */
export async function toGmailItems(thread: GmailThread, context: GmailContext): Promise<GmailItems> {
  const messages = sortByDate(thread.messages ?? []);
  const live = messages.filter(isLive);
  const hidden = messages.filter((message) => !isLive(message));
  const deletedIds = hidden.flatMap(({ id }) => listAttachmentIds(thread.id, id));
  const [first] = live;
  if (first === undefined) return { items: [], deletedIds: [thread.id, ...deletedIds], failures: [] };
  const failures: ItemFailure[] = [];
  try {
    const items = [await toThreadItem(thread.id, live, first, context)];
    if (context.includeAttachments) {
      for (const message of live) {
        const attached = await toAttachmentItems(thread.id, message, context);
        items.push(...attached.items);
        failures.push(...attached.failures);
      }
    }
    return { items, deletedIds, failures };
  } catch (error) {
    return { items: [], deletedIds, failures: [toItemFailure(thread.id, null, error)] };
  }
}

async function toThreadItem(
  threadId: string,
  live: readonly GmailMessage[],
  first: GmailMessage,
  context: GmailContext,
): Promise<ConnectorItem> {
  const opening = await readGmailMessage(first, readInline);
  return {
    ...shareOfThread(threadId, context),
    sourceKind: 'message',
    externalId: threadId,
    title: nameSubject(opening.subject),
    authorName: opening.authorName,
    sourceCreatedAt: readDate(first)?.toISOString() ?? null,
    sourceUpdatedAt: readDate(live.at(-1) ?? first)?.toISOString() ?? null,
    // Sent messages don't change; labels do, and mean nothing here.
    contentRevision: createHash('sha256')
      .update(live.map(({ id }) => id).join('\n'))
      .digest('hex'),
    metadata: {
      threadId,
      messageIds: live.map(({ id }) => id).slice(0, MOST_MESSAGE_IDS),
      ...readRelations(live, first),
      mailbox: context.mailbox,
    },
    load: async (signal) => {
      const client = context.openClient(signal);
      const read: ThreadMessage[] = [];
      for (const message of live) {
        const mail = await readGmailMessage(message, (part) => readWhole(client, message.id, part));
        const attachments = splitParts(message).attachments.map(({ name }) => name);
        read.push({ mail, date: readDate(message), attachments });
      }
      return { kind: 'text', body: renderMailThread(read), mimeType: 'text/plain' };
    },
  };
}

/** Under which ids others answer the thread, and what the thread itself answers: Gmail begins a new one with a new subject. */
function readRelations(live: readonly GmailMessage[], first: GmailMessage): Record<string, unknown> {
  const idOf = (message: GmailMessage, header: string): string[] =>
    findHeader(message.payload, header)
      .match(/<[^<>\s]+>/)
      ?.slice(0, 1) ?? [];
  const internetMessageIds = live.flatMap((message) => idOf(message, 'message-id'));
  const [inReplyTo] = idOf(first, 'in-reply-to');
  return {
    ...(internetMessageIds.length > 0 ? { internetMessageIds: internetMessageIds.slice(0, MOST_MESSAGE_IDS) } : {}),
    ...(inReplyTo !== undefined && !internetMessageIds.includes(inReplyTo) ? { inReplyTo } : {}),
  };
}

async function toAttachmentItems(
  threadId: string,
  message: GmailMessage,
  context: GmailContext,
): Promise<{ items: ConnectorItem[]; failures: ItemFailure[] }> {
  const { attachments } = splitParts(message);
  if (attachments.length === 0) return { items: [], failures: [] };
  const mail = await readGmailMessage(message, readInline);
  const failures: ItemFailure[] = [];
  const items = attachments.flatMap((attachment) => {
    const externalId = toAttachmentId(threadId, message.id, attachment.ordinal);
    try {
      if (attachment.ordinal > MAX_ATTACHMENTS) throw tooMany();
      refuseUnreadFile(attachment.mediaType, attachment.size);
    } catch (error) {
      failures.push(toItemFailure(externalId, attachment.name, error));
      return [];
    }
    const date = readDate(message)?.toISOString() ?? null;
    return [
      {
        ...shareOfThread(threadId, context),
        sourceKind: 'file' as const,
        externalId,
        title: attachment.name.slice(0, 1000),
        authorName: mail.authorName,
        sourceCreatedAt: date,
        sourceUpdatedAt: date,
        contentRevision: `${externalId}/${String(attachment.size)}`,
        metadata: { threadId, messageId: message.id, subject: nameSubject(mail.subject), mailbox: context.mailbox },
        load: (signal: AbortSignal) => loadAttachment(context.openClient(signal), message.id, attachment, threadId),
      },
    ];
  });
  return { items, failures };
}

async function loadAttachment(
  client: GmailClient,
  messageId: string,
  attachment: GmailAttachment,
  threadId: string,
): ReturnType<ConnectorItem['load']> {
  const { name, mediaType } = attachment;
  if (attachment.data !== null) return { kind: 'file', name, mediaType, bytes: decodeBase64Url(attachment.data) };
  // The id that the listing gave may be over by now.
  const thread = await client.findThread(threadId);
  const message = thread?.messages?.find(({ id }) => id === messageId);
  const present = message && splitParts(message).attachments.find(({ ordinal }) => ordinal === attachment.ordinal);
  if (!present?.attachmentId) {
    throw new AppError('CONNECTOR.ITEM_UNREADABLE', { message: 'The attachment is gone.' });
  }
  return { kind: 'file', name, mediaType, bytes: await client.getAttachment(messageId, present.attachmentId) };
}

/** What came along; large texts come by a request of their own. */
function readInline(part: GmailPart): Uint8Array {
  return decodeBase64Url(part.body?.data ?? '');
}

async function readWhole(client: GmailClient, messageId: string, part: GmailPart): Promise<Uint8Array> {
  const { data, attachmentId } = part.body ?? {};
  return data || !attachmentId ? decodeBase64Url(data ?? '') : client.getAttachment(messageId, attachmentId);
}

function shareOfThread(threadId: string, { mailbox }: GmailContext): Pick<ConnectorItem, 'url' | 'accessPolicy'> {
  return {
    url: `https://mail.google.com/mail/?authuser=${encodeURIComponent(mailbox)}#all/${encodeURIComponent(threadId)}`,
    accessPolicy: mapGmailPolicy(mailbox),
  };
}

function nameSubject(subject: string | null): string {
  return stripPrefix(subject).replaceAll(/\s+/g, ' ').slice(0, 1000) || subject?.trim() || '(no subject)';
}

function tooMany(): AppError {
  return new AppError('CONNECTOR.ITEM_UNREADABLE', {
    message: `Only the first ${String(MAX_ATTACHMENTS)} attachments of a message are read.`,
  });
}
