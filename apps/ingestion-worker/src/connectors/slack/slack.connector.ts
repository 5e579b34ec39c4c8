import { AppError, type SlackCredentials, type SlackSettings } from '@candor/contracts';
import { compareSlackTs, isSlackContent, parseSlackTs, readThreadTs } from '@candor/extraction';
import { createHash } from 'node:crypto';
import { MAX_BATCH_ITEMS, type ConnectorOptions } from '../connector-options.js';
import { isUnreadable, unreadable } from '../item-errors.js';
import { OutboundHttp } from '../outbound-http/outbound-fetch.js';
import type {
  ItemChanges,
  ListedPage,
  ListingLimit,
  ReadOptions,
  SourceConnector,
  SyncBatch,
  SyncCursor,
} from '../source-connector.port.js';
import {
  chooseChannels,
  describeGaps,
  describeMalformed,
  isGone,
  privateUnseen,
  type ChosenChannels,
} from './choose-channels.js';
import { mapSlackPolicy } from './map-slack-policy.js';
import { findThreads, toExternalId, type ChannelContext } from './read-slack-thread.js';
import { readThreads } from './read-threads.js';
import { SlackClient, UNNAMED, type SlackChannel } from './slack-client.js';
import {
  finishWalk,
  parseSlackCursor,
  startOfWindow,
  type ChannelState,
  type ChannelWalk,
  type SlackCursor,
} from './slack-cursor.js';
import { SlackDirectory } from './slack-directory.js';
import { walkPage, type WalkedPage } from './walk-channel.js';

const CLOSED = ['not_in_channel', 'channel_not_found', 'access_denied', 'restricted_action'];
/** Ids alone are cheap, and requests are few: as many as Slack gives at once. */
const LISTING_PAGE = 999;

interface Slice extends ChosenChannels {
  client: SlackClient;
  directory: SlackDirectory;
  workspaceUrl: string | null;
  giveUp: boolean;
}

/**
 * Threads of Slack channels. Each run reads a week of each channel again, counted from its newest message, and finds edits,
 * replies and deletions there, in the replies of a thread up to two days after its last; a changed name makes it
 * read the whole channel, a changed member list is taken over for all of its threads before any is read. What changes later
 * is found by events (`refresh`) and by a full run, deletions and late replies by reconciliation too.
 */
export class SlackConnector implements SourceConnector {
  readonly provider = 'slack';
  private readonly http: OutboundHttp;
  private readonly pageSize: number;

  constructor(
    private readonly settings: SlackSettings,
    private readonly credentials: SlackCredentials,
    options: ConnectorOptions,
    private readonly now: () => number = Date.now,
  ) {
    this.http = new OutboundHttp(options);
    this.pageSize = options.pageSize ?? MAX_BATCH_ITEMS;
  }

  async check(signal: AbortSignal): Promise<{ account: string }> {
    const { team, team_id, user } = await this.open(signal).getAccount();
    return { account: `${user ?? 'unnamed'} in ${team ?? team_id ?? 'an unnamed workspace'}` };
  }

  async *changes(
    cursor: SyncCursor | null,
    signal: AbortSignal,
    options: ReadOptions = { giveUp: false },
  ): AsyncIterable<SyncBatch> {
    const slice = await this.begin(signal, options);
    let state = parseSlackCursor(cursor);
    const gone = Object.keys(state.channels).filter((id) => isGone(id, slice));
    for (const id of gone) {
      const deletedIds = (state.channels[id]?.recent ?? []).map((ts) => toExternalId(id, ts));
      state = { ...state, ...forget(state, id) };
      yield batch(state, { deletedIds });
    }
    // With the first batch whose cursor leaves the start behind: told once a run, however often its slices begin.
    let gaps = state.after === null && state.walk === null ? describeGaps(slice) : [];
    const { after } = state;
    const ahead = slice.channels.filter(({ id }) => after === null || id > after);
    if (ahead.length === 0) yield { ...batch(restart(state), { failures: gaps }), isLast: true };
    for (const channel of ahead) {
      for await (const step of this.walk(channel, state, slice)) {
        state = step.state;
        const isLast = channel === ahead.at(-1) && state.walk === null;
        const given = { ...step.batch, failures: [...gaps, ...step.batch.failures] };
        gaps = [];
        yield isLast ? { ...given, cursor: { ...restart(state) }, isLast } : given;
      }
    }
  }

  async *refresh(
    externalIds: readonly string[],
    signal: AbortSignal,
    options: ReadOptions = { giveUp: false },
  ): AsyncIterable<ItemChanges> {
    const slice = await this.begin(signal, options);
    for (const channel of slice.channels) {
      const own = externalIds.filter((id) => id.startsWith(toExternalId(channel.id, '')));
      if (own.length === 0) continue;
      const timestamps = own.map((id) => id.slice(channel.id.length + 1));
      yield await readThreads(timestamps, await readContext(channel, slice), slice.giveUp);
    }
    const unread = slice.malformed.flatMap((channelId) =>
      externalIds
        .filter((id) => id.startsWith(toExternalId(channelId, '')))
        .map((externalId) => ({ ...describeMalformed(channelId), externalId })),
    );
    if (unread.length > 0) yield { items: [], deletedIds: [], failures: unread };
  }

  async *listIds(signal: AbortSignal): AsyncIterable<ListedPage | ListingLimit> {
    const { client, channels, malformed, lacksPrivate } = await this.begin(signal);
    // What such a channel holds would be missing, and taken for deleted.
    if (malformed.includes(UNNAMED)) {
      throw new AppError('CONNECTOR.UNAVAILABLE', { message: 'Slack lists a channel without an id.' });
    }
    const listed = [...channels.map((channel) => channel.id), ...malformed];
    for (const id of listed) yield* listThreadIds(client, id);
    if (lacksPrivate) yield { onlyUnder: listed.map((id) => toExternalId(id, '')), failure: privateUnseen() };
  }

  private async *walk(
    channel: SlackChannel,
    before: SlackCursor,
    slice: Slice,
  ): AsyncIterable<{ state: SlackCursor; batch: SyncBatch }> {
    let state = before;
    const known = state.channels[channel.id];
    const context = await readContext(channel, slice);
    let walk = this.startWalk(channel, state);
    const policy = digest(context.policy);
    if (state.policies[channel.id] !== policy) {
      // What a public channel's threads have before a first look is never wider.
      const mayBeWider = channel.is_private || state.policies[channel.id] !== undefined;
      state = { ...state, walk, policies: { ...state.policies, [channel.id]: policy } };
      const shared = { matching: { channelId: channel.id }, metadata: { isPrivate: channel.is_private } };
      const policyOf = { ...shared, accessPolicy: context.policy };
      if (mayBeWider) yield { state, batch: batch(state, { policyOf }) };
    }
    for (let isDone = false; !isDone;) {
      const page = await this.readPage(walk, known, context, slice.giveUp);
      if (page === null) {
        state = { ...forget(state, channel.id), walk: null, after: channel.id };
        yield { state, batch: batch(state, describeClosed(channel, known)) };
        return;
      }
      ({ walk, isDone } = page);
      const finished = isDone ? finishWalk(walk, known) : null;
      state = finished
        ? { ...state, channels: { ...state.channels, [channel.id]: finished.next }, walk: null, after: channel.id }
        : { ...state, walk };
      const missing = (finished?.missing ?? []).map((ts) => toExternalId(channel.id, ts));
      const deletedIds = [...new Set([...page.deletedIds, ...missing])];
      yield { state, batch: batch(state, { ...page, deletedIds }) };
    }
  }

  private startWalk(channel: SlackChannel, state: SlackCursor): ChannelWalk {
    const known = state.channels[channel.id];
    // Not who may see it: that is taken over for all threads at once.
    const facts = digest([channel.name, channel.is_archived]);
    if (state.walk?.channel === channel.id && state.walk.facts === facts) return state.walk;
    const oldest = startOfWindow(known, facts);
    const startedAt = this.now() / 1000;
    return { channel: channel.id, oldest, latest: null, newest: known?.newest ?? '0', facts, startedAt, seen: [] };
  }

  /** Null when the channel is closed to the token. */
  private async readPage(
    walk: ChannelWalk,
    known: ChannelState | undefined,
    context: ChannelContext,
    giveUp: boolean,
  ): Promise<WalkedPage | null> {
    try {
      return await walkPage(walk, known, { limit: this.pageSize, giveUp }, context);
    } catch (error) {
      if (isUnreadable(error, CLOSED)) return null;
      throw error;
    }
  }

  private async begin(signal: AbortSignal, { giveUp }: ReadOptions = { giveUp: false }): Promise<Slice> {
    const client = this.open(signal);
    const account = await client.getAccount();
    const list = await client.listChannels();
    const directory = await SlackDirectory.read(client, list.channels);
    const chosen = chooseChannels(list, this.settings.channelAllowlist);
    return { client, directory, giveUp, workspaceUrl: readWorkspaceUrl(account.url), ...chosen };
  }

  private open(signal: AbortSignal): SlackClient {
    return new SlackClient(this.credentials.botToken, this.http.fetchFor({ signal }), this.settings.baseUrl);
  }
}

function describeClosed(channel: SlackChannel, known: ChannelState | undefined): Partial<SyncBatch> {
  const deletedIds = (known?.recent ?? []).map((ts) => toExternalId(channel.id, ts));
  const message =
    channel.is_member === false
      ? 'The bot is not a member of this channel, so it is not read: invite it, or name the channels that are meant.'
      : 'The token may not read this channel: is it a member?';
  const error = unreadable(message, 'not_in_channel');
  return { deletedIds, failures: [{ externalId: channel.id, title: `#${channel.name}`, error }] };
}

async function readContext(channel: SlackChannel, slice: Slice): Promise<ChannelContext> {
  const { client, directory, workspaceUrl } = slice;
  const memberIds = channel.is_private ? await readMembers(client, channel.id) : null;
  await directory.learnUsers(memberIds ?? []);
  const policy = mapSlackPolicy(channel, memberIds, (id) => directory.principalOf(id));
  return { client, directory, channel, policy, workspaceUrl };
}

/** Null = unreadable: what the channel holds is withheld. */
async function readMembers(client: SlackClient, channelId: string): Promise<string[] | null> {
  try {
    return await client.listMembers(channelId);
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}

async function* listThreadIds(client: SlackClient, channelId: string): AsyncIterable<ListedPage> {
  let latest: string | null = null;
  for (let hasMore = true; hasMore;) {
    let page;
    try {
      page = await client.readHistory(channelId, { oldest: '0', latest, limit: LISTING_PAGE });
    } catch (error) {
      if (isUnreadable(error, CLOSED)) return;
      throw error;
    }
    const found = findThreads(page.messages.filter(isSlackContent));
    // What can't be read now still exists.
    const ids = [...found.map(readThreadTs), ...page.malformed].map((ts) => toExternalId(channelId, ts));
    const activeAt = found.flatMap((root): [string, string][] => {
      const at = parseSlackTs(root.latest_reply);
      return at === null ? [] : [[toExternalId(channelId, readThreadTs(root)), at.toISOString()]];
    });
    yield { ids, activeAt: Object.fromEntries(activeAt) };
    const earliest: string | undefined = page.messages.map(({ ts }) => ts).sort(compareSlackTs)[0];
    hasMore = page.hasMore && earliest !== undefined && earliest !== latest;
    latest = earliest ?? latest;
  }
}

function batch(cursor: SlackCursor, parts: Partial<SyncBatch>): SyncBatch {
  const { items = [], deletedIds = [], failures = [], policyOf } = parts;
  return { items, ...(policyOf ? { policyOf } : {}), deletedIds, failures, cursor: { ...cursor } };
}

/** All channels are behind: the next run begins with the first. */
function restart(state: SlackCursor): SlackCursor {
  return { ...state, after: null, walk: null };
}

/** Met again, the channel is read as one that was never seen. */
function forget({ channels, policies }: SlackCursor, id: string): Pick<SlackCursor, 'channels' | 'policies'> {
  return { channels: omit(channels, id), policies: omit(policies, id) };
}

function omit<Value>(values: Record<string, Value>, id: string): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== id));
}

function readWorkspaceUrl(url: string | undefined): string | null {
  return url !== undefined && URL.canParse(url) && /^https?:/.test(url) ? url : null;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}
