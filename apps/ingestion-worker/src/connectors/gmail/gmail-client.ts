import type { GmailSettings } from '@candor/contracts';
import type { OAuth2Client } from 'googleapis-common';
import { gmail as openGmail, type gmail_v1 } from '@googleapis/gmail';
import { z } from 'zod';
import { askGoogle, parseAnswer, parseItem } from '../google/read-google-answer.js';
import { isUnreadable } from '../item-errors.js';
import type { OutboundFetch } from '../outbound-http/outbound-fetch.js';
import { gmailThreadSchema, type GmailThread } from './gmail-message.js';

const SERVICE = 'Gmail';

export const GMAIL_SCOPES = ['https://www.googleapis.com/auth/gmail.readonly'];
const MAILBOX = 'me';

const historyMessage = z.looseObject({
  message: z.looseObject({ id: z.string(), threadId: z.string().min(1) }),
  labelIds: z.array(z.string()).nullish(),
});
const historyRecord = z.looseObject({
  messagesAdded: z.array(historyMessage).nullish(),
  messagesDeleted: z.array(historyMessage).nullish(),
  labelsAdded: z.array(historyMessage).nullish(),
  labelsRemoved: z.array(historyMessage).nullish(),
});
export type GmailHistoryRecord = z.infer<typeof historyRecord>;
const threadEntry = z.looseObject({ id: z.string().min(1), historyId: z.string().nullish() });
export type GmailThreadEntry = z.infer<typeof threadEntry>;
const messageEntry = z.looseObject({ id: z.string().min(1), threadId: z.string().min(1) });
export type GmailMessageEntry = z.infer<typeof messageEntry>;

/** What a listing of threads is limited to. */
export interface ThreadFilter {
  /** In Gmail's syntax. */
  query?: string | undefined;
  /** Threads of which a message has it. */
  label?: string | undefined;
}

/** The few endpoints that are read, for one call or slice. Errors: those of the port, and `CONNECTOR.ITEM_UNREADABLE`. */
export class GmailClient {
  private readonly api: gmail_v1.Gmail;

  constructor(auth: OAuth2Client, fetch: OutboundFetch, settings: GmailSettings) {
    this.api = openGmail({
      version: 'v1',
      auth,
      retry: false,
      fetchImplementation: fetch as unknown as typeof globalThis.fetch,
      ...(settings.baseUrl === undefined ? {} : { rootUrl: settings.baseUrl }),
    });
  }

  async getProfile(): Promise<{ emailAddress: string; historyId: string }> {
    const profile = await askGoogle(SERVICE, () => this.api.users.getProfile({ userId: MAILBOX }));
    return parseAnswer(
      SERVICE,
      z.looseObject({ emailAddress: z.string().min(1), historyId: z.coerce.string() }),
      profile,
    );
  }

  /** Without spam and trash. */
  async listThreads(
    { query, label }: ThreadFilter,
    pageToken: string | null,
    pageSize: number,
  ): Promise<{ threads: GmailThreadEntry[]; nextPageToken: string | null }> {
    const page = await askGoogle(SERVICE, () =>
      this.api.users.threads.list({
        userId: MAILBOX,
        maxResults: pageSize,
        ...(query === undefined ? {} : { q: query }),
        ...(label === undefined ? {} : { labelIds: [label] }),
        ...(pageToken === null ? {} : { pageToken }),
      }),
    );
    return {
      threads: parseAnswer(SERVICE, z.array(threadEntry), page.threads ?? []),
      nextPageToken: page.nextPageToken ?? null,
    };
  }

  /** Of the whole mailbox, without spam and trash. */
  async listMessages(
    pageToken: string | null,
    pageSize: number,
  ): Promise<{ messages: GmailMessageEntry[]; nextPageToken: string | null }> {
    const page = await askGoogle(SERVICE, () =>
      this.api.users.messages.list({
        userId: MAILBOX,
        maxResults: pageSize,
        ...(pageToken === null ? {} : { pageToken }),
      }),
    );
    return {
      messages: parseAnswer(SERVICE, z.array(messageEntry), page.messages ?? []),
      nextPageToken: page.nextPageToken ?? null,
    };
  }

  /** Null when it was deleted. */
  async findThread(id: string): Promise<GmailThread | null> {
    try {
      return parseItem(
        SERVICE,
        gmailThreadSchema,
        await askGoogle(SERVICE, () => this.api.users.threads.get({ userId: MAILBOX, id, format: 'full' })),
      );
    } catch (error) {
      if (isUnreadable(error, ['notFound', 'NOT_FOUND'])) return null;
      throw error;
    }
  }

  /** Null when the history doesn't reach back that far (or there is none). */
  async listHistory(
    startHistoryId: string,
    pageToken: string | null,
    pageSize: number,
  ): Promise<{ records: GmailHistoryRecord[]; nextPageToken: string | null; historyId: string } | null> {
    try {
      const page = await askGoogle(SERVICE, () =>
        this.api.users.history.list({
          userId: MAILBOX,
          startHistoryId,
          maxResults: pageSize,
          ...(pageToken === null ? {} : { pageToken }),
        }),
      );
      return {
        records: parseAnswer(SERVICE, z.array(historyRecord), page.history ?? []),
        nextPageToken: page.nextPageToken ?? null,
        historyId: page.historyId ?? startHistoryId,
      };
    } catch (error) {
      if (isUnreadable(error, ['notFound', 'NOT_FOUND'])) return null;
      throw error;
    }
  }

  async getAttachment(messageId: string, attachmentId: string): Promise<Uint8Array> {
    const { data } = await askGoogle(SERVICE, () =>
      this.api.users.messages.attachments.get({ userId: MAILBOX, messageId, id: attachmentId }),
    );
    return decodeBase64Url(parseAnswer(SERVICE, z.string(), data));
  }
}

export function decodeBase64Url(data: string): Uint8Array {
  return Buffer.from(data, 'base64url');
}
