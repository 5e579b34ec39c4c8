import type { GmailSettings, GoogleCredentials } from '@candor/contracts';
import type { OAuth2Client } from 'googleapis-common';
import { MAX_BATCH_ITEMS, type ConnectorOptions } from '../connector-options.js';
import { isUnreadable, toRunError } from '../item-errors.js';
import { createGoogleAuth } from '../google/google-auth.js';
import { OutageGuard } from '../outage-guard.js';
import { OutboundHttp } from '../outbound-http/outbound-fetch.js';
import type { ItemChanges, ReadOptions, SourceConnector, SyncBatch, SyncCursor } from '../source-connector.port.js';
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
import { readThreads } from './read-threads.js';
import { readThreadId, type GmailContext, type GmailItems } from './to-gmail-items.js';

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
      const context = this.toContext(profile.emailAddress, giveUp);
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

  /** With a query as well: ids come from a listing by it. One of an attachment stands for its thread. */
  async *refresh(
    externalIds: readonly string[],
    signal: AbortSignal,
    { giveUp }: ReadOptions = { giveUp: false },
  ): AsyncIterable<ItemChanges> {
    const client = this.open(signal);
    const threadIds = [...new Set(externalIds.map(readThreadId))];
    try {
      const { emailAddress } = await client.getProfile();
      const context = this.toContext(emailAddress, giveUp);
      for (let start = 0; start < threadIds.length; start += this.pageSize) {
        yield await readThreads(threadIds.slice(start, start + this.pageSize), client, context);
      }
    } catch (error) {
      throw toRunError(error, 'to read threads');
    }
  }

  private toContext(mailbox: string, giveUp: boolean): GmailContext {
    return {
      mailbox,
      includeAttachments: this.includeAttachments,
      guard: new OutageGuard(giveUp),
      openClient: (own) => this.open(own, MAX_ATTACHMENT_ANSWER),
    };
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
      return await client.listThreads({ query: this.settings.query }, pageToken, this.pageSize);
    } catch (error) {
      // A token of an earlier slice has expired: from the top.
      if (pageToken === null || !isUnreadable(error)) throw error;
      return client.listThreads({ query: this.settings.query }, null, this.pageSize);
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
