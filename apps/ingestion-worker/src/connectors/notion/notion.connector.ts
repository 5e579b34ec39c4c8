import { AppError, type AccessPolicy, type NotionCredentials, type NotionSettings } from '@candor/contracts';
import { z } from 'zod';
import { MAX_BATCH_ITEMS, type ConnectorOptions } from '../connector-options.js';
import { isUnreadable, unreadable } from '../item-errors.js';
import { OutageGuard } from '../outage-guard.js';
import { OutboundHttp } from '../outbound-http/outbound-fetch.js';
import type { ItemFailure, ReadOptions, SourceConnector, SyncBatch, SyncCursor } from '../source-connector.port.js';
import { findGone } from './find-gone.js';
import { NotionClient, type NotionList } from './notion-client.js';
import {
  asText,
  isObject,
  isTrashed,
  notionEntrySchema,
  type NotionEntry,
  type NotionObject,
} from './notion-object.js';
import { readTitle } from './render-properties.js';
import { toNotionItem, type NotionContext } from './to-notion-item.js';

/** The search index lags behind edits, and edit times are cut to the minute. */
const OVERLAP_MS = 10 * 60_000;

const cursorSchema = z.object({
  /** Newest edit that a finished run has seen. */
  watermark: z.string().nullable(),
  walk: z.object({ startCursor: z.string(), newest: z.string().nullable() }).nullable(),
});
type NotionCursor = z.infer<typeof cursorSchema>;

/**
 * Pages and databases that are shared with the integration; a database's rows are pages with their properties. Search,
 * newest edit first, is read down to the last run's newest. Trashed pages leave the search, and living ones may be missing
 * from it: reconciliation asks for each that is.
 */
export class NotionConnector implements SourceConnector {
  readonly provider = 'notion';
  private readonly http: OutboundHttp;
  private readonly pageSize: number;

  constructor(
    private readonly settings: NotionSettings,
    private readonly credentials: NotionCredentials,
    options: ConnectorOptions,
    private readonly now: () => number = Date.now,
  ) {
    this.http = new OutboundHttp(options);
    this.pageSize = options.pageSize ?? MAX_BATCH_ITEMS;
  }

  async check(signal: AbortSignal): Promise<{ account: string }> {
    const bot = await this.open(signal).getBot();
    const workspace = isObject(bot['bot']) ? asText(bot['bot']['workspace_name']) : '';
    return { account: `${asText(bot['name']) || 'unnamed'} in ${workspace || 'an unnamed workspace'}` };
  }

  async *changes(
    cursor: SyncCursor | null,
    signal: AbortSignal,
    options: ReadOptions = { giveUp: false },
  ): AsyncIterable<SyncBatch> {
    let state = cursorSchema.safeParse(cursor).data ?? { watermark: null, walk: null };
    const client = this.open(signal);
    const guard = new OutageGuard(options.giveUp);
    const context = await this.readContext(client);
    const floor = state.watermark === null ? -Infinity : Date.parse(state.watermark) - OVERLAP_MS;
    for (let isDone = false; !isDone;) {
      const list = await this.readPage(client, state);
      const { entries, failures } = await readEntries(client, list.results, guard);
      for (const entry of entries) context.titles.set(entry.id, readTitle(entry));
      const changed = entries.filter((entry) => Date.parse(entry.last_edited_time) >= floor);
      const live = changed.filter((entry) => !isTrashed(entry));
      const newest = findNewest([state.walk?.newest ?? null, ...entries.map((entry) => entry.last_edited_time)]);
      isDone = list.nextCursor === null || list.nextCursor === state.walk?.startCursor || isPast(entries, floor);
      state = isDone
        ? { watermark: findNewest([state.watermark, newest]), walk: null }
        : { ...state, walk: { startCursor: list.nextCursor ?? '', newest } };
      yield {
        items: live.map((entry) => toNotionItem(entry, context)),
        deletedIds: entries.filter(isTrashed).map(({ id }) => id),
        failures,
        cursor: { ...state },
        isLast: isDone,
      };
    }
  }

  async *listIds(signal: AbortSignal): AsyncIterable<string[]> {
    const client = this.open(signal);
    let startCursor: string | null = null;
    do {
      const list: NotionList = await client.search(startCursor, 100);
      // What can't be read now still exists.
      yield list.results.filter((entry) => !isTrashed(entry)).map(({ id }) => asText(id));
      startCursor = list.nextCursor === startCursor ? null : list.nextCursor;
    } while (startCursor !== null);
  }

  async confirmGone(externalIds: readonly string[], signal: AbortSignal): Promise<string[]> {
    return findGone(this.open(signal), externalIds);
  }

  private async readPage(client: NotionClient, state: NotionCursor): Promise<NotionList> {
    try {
      return await client.search(state.walk?.startCursor ?? null, this.pageSize);
    } catch (error) {
      if (isUnreadable(error, ['restricted_resource'])) throw rejected(error);
      // A cursor of an earlier slice may have expired: from the top, what is known is not loaded again.
      if (!isUnreadable(error, ['validation_error', 'object_not_found']) || state.walk === null) throw error;
      return client.search(null, this.pageSize);
    }
  }

  private async readContext(client: NotionClient): Promise<NotionContext & { titles: Map<string, string> }> {
    const bot = await client.getBot();
    const users = await client.listUserNames();
    const titles = new Map<string, string>();
    const names = {
      user: (id: string) => users.get(id) ?? null,
      page: (id: string) => titles.get(id) ?? null,
    };
    return { client, names, policy: mapNotionPolicy(bot), now: this.now, titles };
  }

  private open(signal: AbortSignal): NotionClient {
    return new NotionClient(this.credentials.token, this.http.fetchFor({ signal }), this.settings.baseUrl);
  }
}

/** Notion tells nobody who may read a page: whoever may read the source may read all that was shared with it. */
export function mapNotionPolicy(bot: NotionObject): AccessPolicy {
  const facts = isObject(bot['bot']) ? bot['bot'] : {};
  return {
    provider: 'notion',
    mode: 'provider_scope',
    workspaceId: asText(facts['workspace_id']) || null,
    workspaceName: asText(facts['workspace_name']) || null,
  };
}

async function readEntries(
  client: NotionClient,
  results: readonly NotionObject[],
  guard: OutageGuard,
): Promise<{ entries: NotionEntry[]; failures: ItemFailure[] }> {
  const entries: NotionEntry[] = [];
  const failures: ItemFailure[] = [];
  for (const result of results) {
    const id = asText(result['id']);
    try {
      // Without the right to read a page's content, search gives its id alone.
      const isPartial = result['object'] === 'page' && result['last_edited_time'] === undefined && id !== '';
      const whole = isPartial ? await guard.ask('pages.retrieve', () => client.getPage(id)) : result;
      const entry = notionEntrySchema.safeParse(whole);
      if (!entry.success) throw unreadable('Notion gave an entry that is not as documented.', 'malformed', entry.error);
      entries.push(entry.data);
    } catch (error) {
      failures.push(guard.toItemFailure(id || '?', null, error));
    }
  }
  return { entries, failures };
}

/** The rest is older too, provided that the server did sort. */
function isPast(entries: readonly NotionEntry[], floor: number): boolean {
  const times = entries.map((entry) => Date.parse(entry.last_edited_time));
  const isSorted = times.every((time, index) => index === 0 || time <= (times[index - 1] ?? time));
  return times.length > 0 && isSorted && (times.at(-1) ?? 0) < floor;
}

function findNewest(times: readonly (string | null)[]): string | null {
  const known = times.filter((time) => time !== null);
  return known.sort((left, right) => Date.parse(left) - Date.parse(right)).at(-1) ?? null;
}

function rejected(cause: AppError): AppError {
  return new AppError('CONNECTOR.CREDENTIALS_REJECTED', {
    message: 'The Notion integration may not read content.',
    cause,
  });
}
