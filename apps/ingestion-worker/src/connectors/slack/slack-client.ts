import type { SlackMessage } from '@candor/extraction';
import { LogLevel, WebClient, type WebAPICallResult } from '@slack/web-api';
import { z } from 'zod';
import type { OutboundFetch } from '../outbound-http/outbound-fetch.js';
import { isUnreadable, unreadable } from '../item-errors.js';
import type { OutageGuard } from '../outage-guard.js';
import { toSlackError } from './slack-errors.js';
import { AppError } from '@candor/contracts';

const PAGE = 200;
/** Slack's upper bound for lists: each slice asks for them anew, and may ask only some twenty times a minute. */
const LIST_PAGE = 999;
/** Stands for what gives no id. */
export const UNNAMED = '?';
/** A thread that goes on beyond this is cut, and counted as a failure. */
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
export interface ChannelList {
  channels: SlackChannel[];
  /** Ids, or '?', of entries that aren't channels as Slack documents them: they exist all the same. */
  malformed: string[];
  /** The token may not list private channels. */
  lacksPrivate: boolean;
}
export interface SlackReplies {
  messages: SlackMessage[];
  /** Messages that aren't as Slack documents them, and are left out. */
  malformed: number;
  /** There is more than is read. */
  isCut: boolean;
}
export interface MessagePage {
  messages: SlackMessage[];
  /** Timestamps, or '?', of entries that aren't messages as Slack documents them. */
  malformed: string[];
  hasMore: boolean;
}

/** The few methods that are read, for one call or slice. Errors: those of the port, and `CONNECTOR.ITEM_UNREADABLE`. */
export class SlackClient {
  private readonly web: WebClient;

  /** The guard sees every request, by its method. */
  constructor(
    token: string,
    fetch: OutboundFetch,
    private readonly guard: OutageGuard,
    baseUrl?: string,
  ) {
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

  async listChannels(): Promise<ChannelList> {
    try {
      return { ...(await this.listChannelsOf('public_channel,private_channel')), lacksPrivate: false };
    } catch (error) {
      // A token without groups:read sees public channels alone.
      if (!isMissingScope(error)) throw error;
      return { ...(await this.listChannelsOf('public_channel')), lacksPrivate: true };
    }
  }

  /** Those who left too. Empty when the token may not read users: ids are shown then. */
  async listUsers(enough: number): Promise<SlackUser[]> {
    try {
      return readEach(userSchema, await this.readPages('users.list', {}, 'members', { enough }));
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

  /** A list in which one entry can't be read is unreadable as a whole, which concerns this channel alone. */
  async listMembers(channel: string): Promise<string[]> {
    const toError = (cause: unknown): AppError =>
      unreadable('Slack gave a list of members that is not as documented.', 'malformed', cause);
    const members = await this.readPages('conversations.members', { channel }, 'members', { toError });
    return parse(z.array(z.string().min(1)), members, toError);
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
  async readThread(channel: string, ts: string): Promise<SlackReplies> {
    const messages: SlackMessage[] = [];
    let malformed = 0;
    let cursor = '';
    do {
      const page: WebAPICallResult & Record<string, unknown> = await this.call('conversations.replies', {
        channel,
        ts,
        limit: PAGE,
        ...(cursor === '' ? {} : { cursor }),
      });
      const read = readMessagePage(page);
      messages.push(...read.messages);
      malformed += read.malformed.length;
      cursor = nextCursor(page, cursor);
    } while (cursor !== '' && messages.length < MAX_THREAD_MESSAGES);
    const isCut = cursor !== '' || messages.length > MAX_THREAD_MESSAGES;
    return { messages: messages.slice(0, MAX_THREAD_MESSAGES), malformed, isCut };
  }

  private async listChannelsOf(types: string): Promise<Omit<ChannelList, 'lacksPrivate'>> {
    const entries = await this.readPages('conversations.list', { types }, 'channels');
    return {
      channels: readEach(channelSchema, entries),
      malformed: entries.filter((entry) => !channelSchema.safeParse(entry).success).map(readChannelId),
    };
  }

  private async readPages(
    method: string,
    args: Record<string, unknown>,
    field: string,
    { enough = Infinity, toError = undocumented }: { enough?: number; toError?: (cause: unknown) => AppError } = {},
  ): Promise<unknown[]> {
    const found: unknown[] = [];
    let cursor = '';
    do {
      const page: Record<string, unknown> & WebAPICallResult = await this.call(method, {
        ...args,
        limit: LIST_PAGE,
        ...(cursor === '' ? {} : { cursor }),
      });
      found.push(...parse(z.array(z.unknown()), page[field], toError));
      cursor = nextCursor(page, cursor);
    } while (cursor !== '' && found.length < enough);
    return found;
  }

  private async call(
    method: string,
    args: Record<string, unknown>,
  ): Promise<WebAPICallResult & Record<string, unknown>> {
    return this.guard.ask(method, async () => {
      try {
        return (await this.web.apiCall(method, args)) as WebAPICallResult & Record<string, unknown>;
      } catch (error) {
        throw toSlackError(error);
      }
    });
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
  return z.looseObject({ ts: z.string().max(40) }).safeParse(entry).data?.ts ?? UNNAMED;
}

function readChannelId(entry: unknown): string {
  return z.looseObject({ id: z.string().min(1).max(40) }).safeParse(entry).data?.id ?? UNNAMED;
}

/** '' at the end; a server that repeats its cursor has come to its end too. */
function nextCursor(page: WebAPICallResult, present: string): string {
  const next = page.response_metadata?.next_cursor ?? '';
  return next === present ? '' : next;
}

function readEach<Value>(schema: z.ZodType<Value>, entries: unknown[]): Value[] {
  return entries.flatMap((entry) => schema.safeParse(entry).data ?? []);
}

function parse<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  toError: (cause: unknown) => AppError = undocumented,
): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw toError(parsed.error);
}

function undocumented(cause: unknown): AppError {
  return new AppError('CONNECTOR.UNAVAILABLE', { message: 'Slack gave an answer that is not as documented.', cause });
}

function isMissingScope(error: unknown): boolean {
  return error instanceof AppError && error.details?.['reason'] === 'missing_scope';
}
