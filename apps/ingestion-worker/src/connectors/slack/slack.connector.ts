import { AppError, type SlackCredentials, type SlackSettings } from '@candor/contracts';
import { MAX_BATCH_ITEMS, type ConnectorOptions } from '../connector-options.js';
import { OutageGuard } from '../outage-guard.js';
import { OutboundHttp } from '../outbound-http/outbound-fetch.js';
import type {
  ItemChanges,
  ItemFailure,
  ListedPage,
  ListingLimit,
  ReadOptions,
  SourceConnector,
  SyncBatch,
  SyncCursor,
} from '../source-connector.port.js';
import { digest, shareOf, WITHHELD } from './channel-policy.js';
import {
  chooseChannels,
  describeGaps,
  describeMalformed,
  isGone,
  privateUnseen,
  type ChosenChannels,
} from './choose-channels.js';
import { describeFailing } from './describe-channel-failure.js';
import { findMembers, readMembers } from './find-members.js';
import { leaveChannel, withholdChannel } from './leave-channel.js';
import { listThreadIds } from './list-thread-ids.js';
import { mapSlackPolicy } from './map-slack-policy.js';
import { toExternalId, type ChannelContext, type SlackSession } from './read-slack-thread.js';
import { readThreads } from './read-threads.js';
import { SlackClient, UNNAMED, type MessagePage, type SlackChannel } from './slack-client.js';
import {
  finishWalk,
  listKnown,
  parseSlackCursor,
  restart,
  startOfWindow,
  type ChannelWalk,
  type SlackCursor,
} from './slack-cursor.js';
import { SlackDirectory } from './slack-directory.js';
import { walkPage } from './walk-channel.js';

type Slice = SlackSession & ChosenChannels;

/**
 * Threads of Slack channels. Each run reads a week of each channel again, counted from its newest message, and finds edits,
 * replies and deletions there, in the replies of a thread up to two days after its last; a changed name makes it
 * read the whole channel, a changed member list is taken over for all of its threads before any is read, and a channel that
 * closes is withheld as a whole. What changes later is found by events (`refresh`) and by a full run, deletions and late
 * replies by reconciliation too.
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
    const { team, team_id, user } = await this.open(signal, new OutageGuard(false)).getAccount();
    return { account: `${user ?? 'unnamed'} in ${team ?? team_id ?? 'an unnamed workspace'}` };
  }

  async *changes(
    cursor: SyncCursor | null,
    signal: AbortSignal,
    options: ReadOptions = { giveUp: false },
  ): AsyncIterable<SyncBatch> {
    const slice = await this.begin(signal, options);
    let state = parseSlackCursor(cursor);
    const gone = listKnown(state).filter((id) => isGone(id, slice));
    for (const id of gone) {
      const withheld = withholdChannel({ id }, state);
      state = withheld.state;
      yield batch(state, withheld);
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
      yield await this.reread(channel, own, slice);
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
    const listed: string[] = [];
    let failure = lacksPrivate ? privateUnseen() : null;
    let hasFailed = false;
    for (const channel of [...channels, ...malformed.map((id) => ({ id, name: id }))]) {
      const error = yield* listThreadIds(client, channel.id);
      // Of one alone the others are still compared; two in a row are an outage.
      if (error !== null && hasFailed) throw error;
      hasFailed = error !== null;
      if (error === null) listed.push(channel.id);
      else failure = describeFailing(channel, 'Slack fails to list this channel; it was not compared.', error);
    }
    if (failure !== null) yield { onlyUnder: listed.map((id) => toExternalId(id, '')), failure };
  }

  private async reread(channel: SlackChannel, externalIds: readonly string[], slice: Slice): Promise<ItemChanges> {
    let memberIds: string[] | null;
    try {
      memberIds = await readMembers(channel, slice);
    } catch (error) {
      // Without a policy of today they stay as they are: the walk withholds the whole channel.
      const toFailure = (id: string): ItemFailure => slice.guard.toItemFailure(id, `#${channel.name}`, error);
      return { items: [], deletedIds: [], failures: externalIds.map(toFailure) };
    }
    const timestamps = externalIds.map((id) => id.slice(channel.id.length + 1));
    return readThreads(timestamps, toContext(channel, memberIds, slice));
  }

  private async *walk(
    channel: SlackChannel,
    before: SlackCursor,
    slice: Slice,
  ): AsyncIterable<{ state: SlackCursor; batch: SyncBatch }> {
    const { id } = channel;
    const known = before.channels[id];
    const found = await findMembers(channel, before, slice);
    let { state, failures } = found;
    const context = toContext(channel, found.memberIds, slice);
    let walk = this.startWalk(channel, state);
    /** Digest of the policy that the stored threads have; undefined = none is stored. */
    let given = state.policies[id];
    try {
      // What was withheld may belong to a channel that is still closed, and isn't opened before that is known.
      let page = given === WITHHELD ? await this.readPage(walk, slice) : null;
      const policy = digest(context.policy);
      if (given !== policy) {
        // What a public channel's threads have before a first look is never wider.
        const mayBeWider = channel.is_private || given !== undefined;
        state = { ...state, walk, policies: { ...state.policies, [id]: policy } };
        if (mayBeWider) {
          given = policy;
          yield { state, batch: batch(state, { policyOf: shareOf(channel, context.policy), failures }) };
          failures = [];
        }
      }
      for (let isDone = false; !isDone;) {
        page ??= await this.readPage(walk, slice);
        const walked = await walkPage(page, walk, known, context);
        page = null;
        ({ walk, isDone } = walked);
        const finished = isDone ? finishWalk(walk, known) : null;
        state = finished
          ? { ...state, channels: { ...state.channels, [id]: finished.next }, walk: null, after: id, skipped: null }
          : { ...state, walk, skipped: null };
        const missing = (finished?.missing ?? []).map((ts) => toExternalId(id, ts));
        const deletedIds = [...new Set([...walked.deletedIds, ...missing])];
        given = policy;
        yield { state, batch: batch(state, { ...walked, deletedIds, failures: [...failures, ...walked.failures] }) };
        failures = [];
      }
    } catch (error) {
      const left = leaveChannel(channel, error, { state, given, giveUp: slice.guard.giveUp });
      if (left === null) throw error;
      yield { state: left.state, batch: batch(left.state, { ...left, failures: [...failures, ...left.failures] }) };
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

  private readPage({ channel, oldest, latest }: ChannelWalk, { client }: Slice): Promise<MessagePage> {
    return client.readHistory(channel, { oldest, latest, limit: this.pageSize });
  }

  private async begin(signal: AbortSignal, { giveUp }: ReadOptions = { giveUp: false }): Promise<Slice> {
    const guard = new OutageGuard(giveUp);
    const client = this.open(signal, guard);
    const account = await client.getAccount();
    const list = await client.listChannels();
    const directory = await SlackDirectory.read(client, list.channels, guard);
    const chosen = chooseChannels(list, this.settings.channelAllowlist);
    return { client, directory, guard, workspaceUrl: readWorkspaceUrl(account.url), ...chosen };
  }

  private open(signal: AbortSignal, guard: OutageGuard): SlackClient {
    return new SlackClient(this.credentials.botToken, this.http.fetchFor({ signal }), guard, this.settings.baseUrl);
  }
}

function toContext(
  channel: SlackChannel,
  memberIds: readonly string[] | null,
  { client, directory, guard, workspaceUrl }: SlackSession,
): ChannelContext {
  const policy = mapSlackPolicy(channel, memberIds, (id) => directory.principalOf(id));
  return { client, directory, guard, channel, policy, workspaceUrl };
}

function batch(cursor: SlackCursor, parts: Partial<SyncBatch>): SyncBatch {
  const { items = [], deletedIds = [], failures = [], policyOf } = parts;
  return { items, ...(policyOf ? { policyOf } : {}), deletedIds, failures, cursor: { ...cursor } };
}

function readWorkspaceUrl(url: string | undefined): string | null {
  return url !== undefined && URL.canParse(url) && /^https?:/.test(url) ? url : null;
}
