import type { SlackMessage } from '@candor/extraction';
import { LogLevel, WebClient, type WebAPICallResult } from '@slack/web-api';
import { z } from 'zod';
import type { OutboundFetch } from '../outbound-http/outbound-fetch.js';
import { isUnreadable } from '../item-errors.js';
import { toSlackError } from './slack-errors.js';
import { AppError } from '@candor/contracts';

const PAGE = 200;
/** Slack's upper bound for lists: each slice asks for them anew, and may ask only some twenty times a minute. */
const LIST_PAGE = 999;
/** A thread that goes on beyond this is cut, and says so in its metadata. */
export const MAX_THREAD_MESSAGES = 5_000;

const optionalText = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
/** Only what decides where a message belongs is checked; the rest is rendered with care. */
const messageSchema = z.looseObject({
  ts: z.string().regex(/^\d+\.\d+$/),
  thread_ts: optionalText,
  subtype: optionalText,
  user: optionalText,
  bot_id: optionalText,
  username: optionalText,
  text: z.string().nullish(),
  edited: z.looseObject({ ts: optionalText }).nullish().catch(null),
  bot_profile: z.looseObject({ name: optionalText }).nullish().catch(null),
  user_profile: z.looseObject({ display_name: optionalText, real_name: optionalText }).nullish().catch(null),
  hidden: z.boolean().optional().catch(undefined),
  reply_count: z.number().optional().catch(undefined),
  latest_reply: z.string().optional().catch(undefined),
});
const channelSchema = z.looseObject({
  id: z.string().min(1),
  name: z.string().min(1),
  is_private: z.boolean().default(false),
  is_member: z.boolean().optional(),
  is_archived: z.boolean().default(false),
  previous_names: z.array(z.string()).nullish(),
});
const userSchema = z.looseObject({
  id: z.string().min(1),
  name: z.string().optional(),
  real_name: optionalText,
  profile: z.looseObject({ display_name: optionalText, real_name: optionalText, email: optionalText }).nullish(),
});
const accountSchema = z.looseObject({
  url: z.string().optional(),
  team: z.string().optional(),
  team_id: z.string().optional(),
  user: z.string().optional(),
});

export type SlackChannel = z.infer<typeof channelSchema>;
export type SlackUser = z.infer<typeof userSchema>;
export type SlackAccount = z.infer<typeof accountSchema>;
export interface MessagePage {
  messages: SlackMessage[];
  /** Timestamps, or '?', of entries that aren't messages as Slack documents them. */
  malformed: string[];
  hasMore: boolean;
}

/** The few methods that are read, for one call or slice. Errors: those of the port, and `CONNECTOR.ITEM_UNREADABLE`. */
export class SlackClient {
  private readonly web: WebClient;

  constructor(token: string, fetch: OutboundFetch, baseUrl?: string) {
    this.web = new WebClient(token, {
      fetch: fetch,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      logLevel: LogLevel.ERROR,
      allowAbsoluteUrls: false,
      ...(baseUrl === undefined ? {} : { slackApiUrl: baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/` }),
    });
  }

  async getAccount(): Promise<SlackAccount> {
    return parse(accountSchema, await this.call('auth.test', {}));
  }

  async listChannels(): Promise<SlackChannel[]> {
    try {
      return await this.listChannelsOf('public_channel,private_channel');
    } catch (error) {
      // A token without groups:read sees public channels alone.
      if (!isMissingScope(error)) throw error;
      return this.listChannelsOf('public_channel');
    }
  }

  /** Those who left too. Empty when the token may not read users: ids are shown then. */
  async listUsers(enough: number): Promise<SlackUser[]> {
    try {
      return readEach(userSchema, await this.readPages('users.list', {}, 'members', enough));
    } catch (error) {
      if (!isMissingScope(error)) throw error;
      return [];
    }
  }

  /** Null for users of whom nothing is to be known. */
  async findUser(id: string): Promise<SlackUser | null> {
    try {
      const { user } = await this.call('users.info', { user: id });
      return userSchema.safeParse(user).data ?? null;
    } catch (error) {
      if (isUnreadable(error) || isMissingScope(error)) return null;
      throw error;
    }
  }

  async listMembers(channel: string): Promise<string[]> {
    const members = await this.readPages('conversations.members', { channel }, 'members');
    return parse(z.array(z.string().min(1)), members);
  }

  /** Newest first, older than `latest` and not older than `oldest`. */
  async readHistory(
    channel: string,
    range: { oldest: string; latest: string | null; limit: number },
  ): Promise<MessagePage> {
    const { oldest, latest, limit } = range;
    const page = await this.call('conversations.history', {
      channel,
      limit,
      oldest,
      inclusive: false,
      ...(latest === null ? {} : { latest }),
    });
    return readMessagePage(page);
  }

  /** The root and its replies, oldest first. */
  async readThread(channel: string, ts: string): Promise<{ messages: SlackMessage[]; isCut: boolean }> {
    const messages: SlackMessage[] = [];
    let cursor = '';
    do {
      const page: WebAPICallResult & Record<string, unknown> = await this.call('conversations.replies', {
        channel,
        ts,
        limit: PAGE,
        ...(cursor === '' ? {} : { cursor }),
      });
      messages.push(...readMessagePage(page).messages);
      cursor = nextCursor(page, cursor);
    } while (cursor !== '' && messages.length < MAX_THREAD_MESSAGES);
    return { messages: messages.slice(0, MAX_THREAD_MESSAGES), isCut: cursor !== '' };
  }

  private async listChannelsOf(types: string): Promise<SlackChannel[]> {
    return readEach(channelSchema, await this.readPages('conversations.list', { types }, 'channels'));
  }

  private async readPages(
    method: string,
    args: Record<string, unknown>,
    field: string,
    enough = Infinity,
  ): Promise<unknown[]> {
    const found: unknown[] = [];
    let cursor = '';
    do {
      const page: Record<string, unknown> & WebAPICallResult = await this.call(method, {
        ...args,
        limit: LIST_PAGE,
        ...(cursor === '' ? {} : { cursor }),
      });
      found.push(...parse(z.array(z.unknown()), page[field]));
      cursor = nextCursor(page, cursor);
    } while (cursor !== '' && found.length < enough);
    return found;
  }

  private async call(
    method: string,
    args: Record<string, unknown>,
  ): Promise<WebAPICallResult & Record<string, unknown>> {
    try {
      return (await this.web.apiCall(method, args)) as WebAPICallResult & Record<string, unknown>;
    } catch (error) {
      throw toSlackError(error);
    }
  }
}

function readMessagePage(page: Record<string, unknown>): MessagePage {
  const entries = parse(z.array(z.unknown()), page['messages']);
  const read = entries.map((entry) => messageSchema.safeParse(entry));
  return {
    messages: read.flatMap(({ data }) => (data === undefined ? [] : [data as SlackMessage])),
    malformed: entries.flatMap((entry, index) => (read[index]?.success === true ? [] : [readTs(entry)])),
    hasMore: page['has_more'] === true,
  };
}

function readTs(entry: unknown): string {
  return z.looseObject({ ts: z.string().max(40) }).safeParse(entry).data?.ts ?? '?';
}

/** '' at the end; a server that repeats its cursor has come to its end too. */
function nextCursor(page: WebAPICallResult, present: string): string {
  const next = page.response_metadata?.next_cursor ?? '';
  return next === present ? '' : next;
}

function readEach<Value>(schema: z.ZodType<Value>, entries: unknown[]): Value[] {
  return entries.flatMap((entry) => schema.safeParse(entry).data ?? []);
}

function parse<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError('CONNECTOR.UNAVAILABLE', {
    message: 'Slack gave an answer that is not as documented.',
    cause: parsed.error,
  });
}

function isMissingScope(error: unknown): boolean {
  return error instanceof AppError && error.details?.['reason'] === 'missing_scope';
}
