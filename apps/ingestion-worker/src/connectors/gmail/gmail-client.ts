import { AppError, type GmailSettings } from '@candor/contracts';
import type { OAuth2Client } from 'googleapis-common';
import { gmail as openGmail, type gmail_v1 } from '@googleapis/gmail';
import { z } from 'zod';
import { toGoogleError } from '../google/google-errors.js';
import { isUnreadable } from '../item-errors.js';
import type { OutboundFetch } from '../outbound-http/outbound-fetch.js';
import { gmailThreadSchema, type GmailThread } from './gmail-message.js';

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
    const profile = await ask(() => this.api.users.getProfile({ userId: MAILBOX }));
    return parse(z.looseObject({ emailAddress: z.string().min(1), historyId: z.coerce.string() }), profile);
  }

  /** Without spam and trash. */
  async listThreads(
    query: string | undefined,
    pageToken: string | null,
    pageSize: number,
  ): Promise<{ threads: GmailThreadEntry[]; nextPageToken: string | null }> {
    const page = await ask(() =>
      this.api.users.threads.list({
        userId: MAILBOX,
        maxResults: pageSize,
        ...(query === undefined ? {} : { q: query }),
        ...(pageToken === null ? {} : { pageToken }),
      }),
    );
    return { threads: parse(z.array(threadEntry), page.threads ?? []), nextPageToken: page.nextPageToken ?? null };
  }

  /** Null when it was deleted. */
  async findThread(id: string): Promise<GmailThread | null> {
    try {
      return parse(
        gmailThreadSchema,
        await ask(() => this.api.users.threads.get({ userId: MAILBOX, id, format: 'full' })),
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
      const page = await ask(() =>
        this.api.users.history.list({
          userId: MAILBOX,
          startHistoryId,
          maxResults: pageSize,
          ...(pageToken === null ? {} : { pageToken }),
        }),
      );
      return {
        records: parse(z.array(historyRecord), page.history ?? []),
        nextPageToken: page.nextPageToken ?? null,
        historyId: page.historyId ?? startHistoryId,
      };
    } catch (error) {
      if (isUnreadable(error, ['notFound', 'NOT_FOUND'])) return null;
      throw error;
    }
  }

  async getAttachment(messageId: string, attachmentId: string): Promise<Uint8Array> {
    const { data } = await ask(() =>
      this.api.users.messages.attachments.get({ userId: MAILBOX, messageId, id: attachmentId }),
    );
    return decodeBase64Url(parse(z.string(), data));
  }
}

export function decodeBase64Url(data: string): Uint8Array {
  return Buffer.from(data, 'base64url');
}

async function ask<Data>(request: () => Promise<{ data: Data }>): Promise<Data> {
  let data: Data;
  try {
    ({ data } = await request());
  } catch (error) {
    throw toGoogleError(error);
  }
  // The client hands over as text what isn't JSON.
  if (typeof data !== 'object' || data === null) throw undocumented();
  return data;
}

function parse<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw undocumented(parsed.error);
}

function undocumented(cause?: unknown): AppError {
  return new AppError('CONNECTOR.UNAVAILABLE', { message: 'Gmail gave an answer that is not as documented.', cause });
}
