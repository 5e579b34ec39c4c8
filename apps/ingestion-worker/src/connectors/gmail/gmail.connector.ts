import type { GmailSettings, GoogleCredentials } from '@candor/contracts';
import type { OAuth2Client } from 'googleapis-common';
import { MAX_BATCH_ITEMS, type ConnectorOptions } from '../connector-options.js';
import { isUnreadable, toItemFailure, toRunError } from '../item-errors.js';
import { createGoogleAuth } from '../google/google-auth.js';
import { OutboundHttp } from '../outbound-http/outbound-fetch.js';
import type { ReadOptions, SourceConnector, SyncBatch, SyncCursor } from '../source-connector.port.js';
import { GmailClient, GMAIL_SCOPES, type GmailThreadEntry } from './gmail-client.js';
import {
  isChangedSince,
  parseGmailCursor,
  type GmailCursor,
  type GmailHistoryState,
  type GmailListState,
} from './gmail-cursor.js';
import { listMailboxIds } from './list-mailbox-ids.js';
import { readHistory } from './read-history.js';
import { toGmailItems, type GmailContext, type GmailItems } from './to-gmail-items.js';

const PARALLEL_THREADS = 5;
/** A thread may bring attachments along. */
const THREADS_A_BATCH = 25;
/** Attachments come as base64 within JSON; Gmail takes none beyond 50 MB. */
const MAX_ATTACHMENT_ANSWER = 72 * 1024 * 1024;

/** A token serves more than the call that needed it first. */
const NEVER = new AbortController().signal;

interface Step {
  batch: GmailItems;
  state: GmailCursor;
}

/**
 * Threads of one mailbox, and their attachments. The first run lists all; later ones follow the history, and list again by
 * themselves when it doesn't reach back far enough. With a search query each run lists, and reads threads that changed.
 */
export class GmailConnector implements SourceConnector {
  readonly provider = 'gmail';
  private readonly http: OutboundHttp;
  private auth: OAuth2Client | undefined;
  private readonly pageSize: number;

  constructor(
    private readonly settings: GmailSettings,
    private readonly credentials: GoogleCredentials,
    options: ConnectorOptions,
  ) {
    this.http = new OutboundHttp(options);
    this.pageSize = Math.min(options.pageSize ?? THREADS_A_BATCH, MAX_BATCH_ITEMS);
  }

  async check(signal: AbortSignal): Promise<{ account: string }> {
    try {
      return { account: (await this.open(signal).getProfile()).emailAddress };
    } catch (error) {
      throw toRunError(error, 'to name the account');
    }
  }

  async *changes(
    cursor: SyncCursor | null,
    signal: AbortSignal,
    { giveUp }: ReadOptions = { giveUp: false },
  ): AsyncIterable<SyncBatch> {
    const client = this.open(signal);
    try {
      const profile = await client.getProfile();
      const context: GmailContext = {
        mailbox: profile.emailAddress,
        includeAttachments: this.includeAttachments,
        giveUp,
        openClient: (own) => this.open(own, MAX_ATTACHMENT_ANSWER),
      };
      const saved = parseGmailCursor(cursor);
      let state: GmailCursor =
        saved === null || saved.phase === 'idle' ? this.startListing(profile.historyId, saved?.since ?? null) : saved;
      for (let isDone = false; !isDone;) {
        const before: GmailListState | GmailHistoryState = state;
        const step: Step & { isDone: boolean } =
          before.phase === 'list'
            ? await this.list(before, client, context)
            : await this.follow(before, client, context, profile.historyId);
        ({ isDone } = step);
        yield { ...step.batch, cursor: { ...step.state }, isLast: isDone };
        if (step.state.phase === 'idle') return;
        ({ state } = step as { state: GmailListState | GmailHistoryState });
      }
    } catch (error) {
      throw toRunError(error, 'to list threads');
    }
  }

  async *listIds(signal: AbortSignal): ReturnType<SourceConnector['listIds']> {
    const client = this.open(signal);
    try {
      yield* listMailboxIds(client, { query: this.settings.query, includeAttachments: this.includeAttachments });
    } catch (error) {
      throw toRunError(error, 'to list threads');
    }
  }

  private get includeAttachments(): boolean {
    return this.settings.includeAttachments ?? true;
  }

  private startListing(historyId: string, since: string | null): GmailListState {
    const hasHistory = this.settings.query === undefined;
    return { phase: 'list', pageToken: null, historyId, since: hasHistory ? null : since, hasHistory };
  }

  private async list(
    state: GmailListState,
    client: GmailClient,
    context: GmailContext,
  ): Promise<Step & { isDone: boolean }> {
    const page = await this.readListPage(state.pageToken, client);
    const changed = page.threads.filter(({ historyId }) => isChangedSince(historyId, state.since));
    const batch = await readThreads(
      changed.map(({ id }) => id),
      client,
      context,
    );
    if (page.nextPageToken !== null && page.nextPageToken !== state.pageToken) {
      return { batch, state: { ...state, pageToken: page.nextPageToken }, isDone: false };
    }
    return state.hasHistory
      ? { batch, state: { phase: 'history', historyId: state.historyId, pageToken: null }, isDone: false }
      : {
          batch,
          state: { phase: 'idle', since: this.settings.query === undefined ? null : state.historyId },
          isDone: true,
        };
  }

  private async readListPage(
    pageToken: string | null,
    client: GmailClient,
  ): Promise<{ threads: GmailThreadEntry[]; nextPageToken: string | null }> {
    try {
      return await client.listThreads(this.settings.query, pageToken, this.pageSize);
    } catch (error) {
      // A token of an earlier slice has expired: from the top.
      if (pageToken === null || !isUnreadable(error)) throw error;
      return client.listThreads(this.settings.query, null, this.pageSize);
    }
  }

  private async follow(
    state: GmailHistoryState,
    client: GmailClient,
    context: GmailContext,
    presentHistoryId: string,
  ): Promise<Step & { isDone: boolean }> {
    const page = await client.listHistory(state.historyId, state.pageToken, this.pageSize);
    if (page === null) {
      const batch = { items: [], deletedIds: [], failures: [] };
      // Even the present is out of its reach: this server has none.
      if (state.historyId === presentHistoryId) return { batch, state: { phase: 'idle', since: null }, isDone: true };
      return { batch, state: this.startListing(presentHistoryId, null), isDone: false };
    }
    const changes = readHistory(page.records);
    const read = await readThreads(changes.threadIds, client, context);
    const batch = { ...read, deletedIds: [...new Set([...read.deletedIds, ...changes.deletedIds])] };
    return page.nextPageToken === null
      ? { batch, state: { phase: 'history', historyId: page.historyId, pageToken: null }, isDone: true }
      : { batch, state: { ...state, pageToken: page.nextPageToken }, isDone: false };
  }

  private open(signal: AbortSignal, maxBytes?: number): GmailClient {
    this.auth ??= createGoogleAuth(this.credentials, {
      fetch: this.http.fetchFor({ signal: NEVER }),
      tokenUrl: this.settings.tokenUrl,
      scopes: GMAIL_SCOPES,
    });
    return new GmailClient(this.auth, this.http.fetchFor({ signal, maxBytes }), this.settings);
  }
}

async function readThreads(ids: readonly string[], client: GmailClient, context: GmailContext): Promise<GmailItems> {
  const all: GmailItems = { items: [], deletedIds: [], failures: [] };
  for (let start = 0; start < ids.length; start += PARALLEL_THREADS) {
    const group = ids.slice(start, start + PARALLEL_THREADS);
    const read = await Promise.all(group.map((id) => readThread(id, client, context)));
    for (const { items, deletedIds, failures } of read) {
      all.items.push(...items);
      all.deletedIds.push(...deletedIds);
      all.failures.push(...failures);
    }
  }
  return all;
}

async function readThread(id: string, client: GmailClient, context: GmailContext): Promise<GmailItems> {
  try {
    const thread = await client.findThread(id);
    return thread === null ? { items: [], deletedIds: [id], failures: [] } : await toGmailItems(thread, context);
  } catch (error) {
    return { items: [], deletedIds: [], failures: [toItemFailure(id, null, error, context.giveUp)] };
  }
}
