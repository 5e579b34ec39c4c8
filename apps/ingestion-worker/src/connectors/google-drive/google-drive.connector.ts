import type { GoogleCredentials, GoogleDriveSettings } from '@candor/contracts';
import type { OAuth2Client } from 'googleapis-common';
import { MAX_BATCH_ITEMS, type ConnectorOptions } from '../connector-options.js';
import { isUnreadable, toRunError, unreadable } from '../item-errors.js';
import { createGoogleAuth } from '../google/google-auth.js';
import { OutageGuard } from '../outage-guard.js';
import { OutboundHttp } from '../outbound-http/outbound-fetch.js';
import type { ItemFailure, ReadOptions, SourceConnector, SyncBatch, SyncCursor } from '../source-connector.port.js';
import { MAX_FILE_BYTES } from '../refuse-unread-file.js';
import { DriveClient, DRIVE_SCOPES, type DriveFilePage } from './drive-client.js';
import { parseDriveCursor, startListing, type ChangesState, type DriveCursor, type ListState } from './drive-cursor.js';
import { FOLDER, SHORTCUT, type DriveChange, type DriveFile } from './drive-file.js';
import { readFolderScope, type FolderScope } from './folder-scope.js';
import { judgeChanges } from './judge-changes.js';
import { followShortcut, toDriveEntry, type DriveContext, type DriveEntry } from './to-drive-entry.js';

/** Each file may need requests of its own, for its permissions. */
const PARALLEL_FILES = 5;
const STALE_TOKEN = [
  'invalid',
  'invalidParameter',
  'badRequest',
  'invalidPageToken',
  'notFound',
  'gone',
  'INVALID_ARGUMENT',
];

/** A token serves more than the call that needed it first. */
const NEVER = new AbortController().signal;

interface Step {
  batch: Omit<SyncBatch, 'cursor'>;
  state: DriveCursor;
  /** The run ends here. */
  isDone: boolean;
}

/**
 * Files of Google Drive. The first run lists all; later ones follow the changes feed, which also tells of changed access,
 * trash and lost files. A changed shared drive or, with chosen folders, a changed folder makes the run list all again:
 * what is known is not downloaded again. Servers without a feed are listed every time.
 */
export class GoogleDriveConnector implements SourceConnector {
  readonly provider = 'google_drive';
  private readonly http: OutboundHttp;
  private auth: OAuth2Client | undefined;
  private readonly pageSize: number;

  constructor(
    private readonly settings: GoogleDriveSettings,
    private readonly credentials: GoogleCredentials,
    options: ConnectorOptions,
    private readonly now: () => number = Date.now,
  ) {
    this.http = new OutboundHttp(options);
    this.pageSize = options.pageSize ?? MAX_BATCH_ITEMS;
  }

  async check(signal: AbortSignal): Promise<{ account: string }> {
    try {
      return { account: await this.open(signal).getAccount() };
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
      const scope = await readFolderScope(client, this.settings.folderIds);
      const openClient = (own: AbortSignal): DriveClient => this.open(own, MAX_FILE_BYTES);
      const context: DriveContext = { client, openClient, now: this.now, guard: new OutageGuard(giveUp) };
      let state = parseDriveCursor(cursor) ?? startListing(await client.getStartPageToken());
      let mayRestart = true;
      for (let isDone = false; !isDone;) {
        const before: DriveCursor = state;
        const step: Step =
          before.phase === 'list'
            ? await this.list(before, scope, context)
            : await this.follow(before, scope, context, mayRestart);
        ({ state, isDone } = step);
        if (before.phase === 'changes' && state.phase === 'list') mayRestart = false;
        yield { ...step.batch, cursor: { ...state }, isLast: isDone };
      }
    } catch (error) {
      throw toRunError(error, 'to list files');
    }
  }

  async *listIds(signal: AbortSignal): AsyncIterable<string[]> {
    const client = this.open(signal);
    try {
      const scope = await readFolderScope(client, this.settings.folderIds);
      for (const query of scope.queries) {
        let pageToken: string | null = null;
        do {
          const page: DriveFilePage = await client.listFiles(query, pageToken, 200);
          yield [...page.malformed, ...(await readIds(page.files, client))];
          pageToken = page.nextPageToken;
        } while (pageToken !== null);
      }
    } catch (error) {
      throw toRunError(error, 'to list files');
    }
  }

  private async list(state: ListState, scope: FolderScope, context: DriveContext): Promise<Step> {
    const query = scope.queries[state.query] ?? scope.queries[0] ?? '';
    const page = await this.readListPage(query, state.pageToken, context.client);
    const batch = sort(await readEach(page.files, context));
    return {
      batch: { ...batch, failures: [...batch.failures, ...page.malformed.map(toMalformed)] },
      ...nextOfList(state, page.nextPageToken, scope.queries.length),
    };
  }

  private async readListPage(query: string, pageToken: string | null, client: DriveClient): Promise<DriveFilePage> {
    try {
      return await client.listFiles(query, pageToken, this.pageSize);
    } catch (error) {
      // A token of an earlier slice has expired: from the top of the query.
      if (pageToken === null || !isUnreadable(error, STALE_TOKEN)) throw error;
      return client.listFiles(query, null, this.pageSize);
    }
  }

  private async follow(
    state: ChangesState,
    scope: FolderScope,
    context: DriveContext,
    mayRestart: boolean,
  ): Promise<Step> {
    let page;
    try {
      page = await context.client.listChanges(state.pageToken, this.pageSize);
    } catch (error) {
      if (!mayRestart || !isUnreadable(error, STALE_TOKEN)) throw error;
      // The feed doesn't reach back that far any more: everything anew.
      const fresh = startListing(await context.client.getStartPageToken());
      return { batch: { items: [], deletedIds: [], failures: [] }, state: fresh, isDone: false };
    }
    const { present, goneIds, malformedIds } = await judgeChanges(page.changes, scope);
    const batch = sort(await readEach(present, context));
    const mustList = state.mustList || page.changes.some((change) => this.tellsInPart(change));
    const isDone = page.nextPageToken === null;
    const pageToken = page.nextPageToken ?? page.newStartPageToken ?? state.pageToken;
    return {
      batch: {
        ...batch,
        deletedIds: [...new Set([...goneIds, ...batch.deletedIds])],
        failures: [...batch.failures, ...malformedIds.map(toMalformed)],
      },
      state: isDone && mustList ? startListing(pageToken) : { phase: 'changes', pageToken, mustList },
      isDone: isDone && !mustList,
    };
  }

  /** Members of a shared drive change without a word about its files, and so do folders that move. */
  private tellsInPart({ changeType, file }: DriveChange): boolean {
    return changeType === 'drive' || (this.settings.folderIds !== undefined && file?.mimeType === FOLDER);
  }

  private open(signal: AbortSignal, maxBytes?: number): DriveClient {
    this.auth ??= createGoogleAuth(this.credentials, {
      fetch: this.http.fetchFor({ signal: NEVER }),
      tokenUrl: this.settings.tokenUrl,
      scopes: DRIVE_SCOPES,
    });
    return new DriveClient(this.auth, this.http.fetchFor({ signal, maxBytes }), this.settings);
  }
}

function nextOfList(state: ListState, nextPageToken: string | null, queries: number): Pick<Step, 'state' | 'isDone'> {
  if (nextPageToken !== null && nextPageToken !== state.pageToken) {
    return { state: { ...state, pageToken: nextPageToken }, isDone: false };
  }
  if (state.query + 1 < queries) return { state: { ...state, query: state.query + 1, pageToken: null }, isDone: false };
  const { changesToken } = state;
  if (changesToken === null) return { state: startListing(null), isDone: true };
  return { state: { phase: 'changes', pageToken: changesToken, mustList: false }, isDone: false };
}

async function readEach(files: readonly DriveFile[], context: DriveContext): Promise<DriveEntry[]> {
  const entries: DriveEntry[] = [];
  // Which requests fail in a row is known of those that are made in a row.
  const atOnce = context.guard.giveUp ? 1 : PARALLEL_FILES;
  for (let start = 0; start < files.length; start += atOnce) {
    const group = files.slice(start, start + atOnce);
    const read = await Promise.all(group.map((file) => toDriveEntry(file, context)));
    entries.push(...read.filter((entry) => entry !== null));
  }
  return entries;
}

/** A shortcut's file may come twice. */
function sort(entries: readonly DriveEntry[]): Step['batch'] {
  const items = new Map(
    entries.flatMap((entry) => (entry.kind === 'item' ? [[entry.item.externalId, entry.item]] : [])),
  );
  return {
    items: [...items.values()],
    deletedIds: entries.flatMap((entry) => (entry.kind === 'deleted' ? [entry.id] : [])),
    failures: entries.flatMap((entry) => (entry.kind === 'failure' ? [entry.failure] : [])),
  };
}

async function readIds(files: readonly DriveFile[], client: DriveClient): Promise<string[]> {
  const ids: string[] = [];
  for (const file of files) {
    if (file.mimeType === FOLDER) continue;
    if (file.mimeType !== SHORTCUT) ids.push(file.id);
    else ids.push(...(await readTargetId(file, client)));
  }
  return ids;
}

async function readTargetId(shortcut: DriveFile, client: DriveClient): Promise<string[]> {
  try {
    const target = await followShortcut(shortcut, client);
    return target === null ? [] : [target.id];
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    const { targetId } = shortcut.shortcutDetails ?? {};
    // What can't be read now still exists.
    return targetId && isUnreadable(error, ['malformed']) ? [targetId] : [];
  }
}

function toMalformed(externalId: string): ItemFailure {
  const error = unreadable('Google gave an entry that is not as documented.', 'malformed');
  return { externalId, title: null, error };
}
