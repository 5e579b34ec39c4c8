import { AppError } from '@candor/contracts';
import { Client } from '@notionhq/client';
import type { OutboundFetch } from '../outbound-http/outbound-fetch.js';
import { isUnreadable } from '../item-errors.js';
import { toNotionError } from './notion-errors.js';
import { asList, isObject, type NotionObject } from './notion-object.js';

const PAGE = 100;

export interface NotionList {
  results: NotionObject[];
  nextCursor: string | null;
}

/** The few endpoints that are read, for one call or slice. Errors: those of the port, and `CONNECTOR.ITEM_UNREADABLE`. */
export class NotionClient {
  private readonly api: Client;

  constructor(token: string, fetch: OutboundFetch, baseUrl?: string) {
    this.api = new Client({
      auth: token,
      fetch,
      // Both are the fetch's own business.
      retry: false,
      timeoutMs: 10 * 60_000,
      logger: () => undefined,
      ...(baseUrl === undefined ? {} : { baseUrl: baseUrl.replace(/\/$/, '') }),
    });
  }

  async getBot(): Promise<NotionObject> {
    return this.call(() => this.api.users.me({}));
  }

  /** Id → name; empty when the integration may not read users. */
  async listUserNames(): Promise<Map<string, string>> {
    const names = new Map<string, string>();
    try {
      await this.readAll(
        (cursor) => this.api.users.list({ page_size: PAGE, ...cursor }),
        ({ id, name }) => {
          if (typeof id === 'string' && typeof name === 'string') names.set(id, name);
          return true;
        },
      );
    } catch (error) {
      if (!isUnreadable(error, ['restricted_resource'])) throw error;
    }
    return names;
  }

  /** Pages and data sources that are shared with the integration, last edited first. */
  async search(startCursor: string | null, pageSize: number): Promise<NotionList> {
    const list = await this.call(() =>
      this.api.search({
        page_size: pageSize,
        sort: { timestamp: 'last_edited_time', direction: 'descending' },
        ...(startCursor === null ? {} : { start_cursor: startCursor }),
      }),
    );
    return readList(list);
  }

  async getPage(id: string): Promise<NotionObject> {
    return this.call(() => this.api.pages.retrieve({ page_id: id }));
  }

  async getDataSource(id: string): Promise<NotionObject> {
    return this.call(() => this.api.dataSources.retrieve({ data_source_id: id }));
  }

  async getDatabase(id: string): Promise<NotionObject> {
    return this.call(() => this.api.databases.retrieve({ database_id: id }));
  }

  async getBlock(id: string): Promise<NotionObject> {
    return this.call(() => this.api.blocks.retrieve({ block_id: id }));
  }

  /** At most `limit` children of a block or page, in order. */
  async listChildren(blockId: string, limit: number): Promise<NotionObject[]> {
    const children: NotionObject[] = [];
    await this.readAll(
      (cursor) => this.api.blocks.children.list({ block_id: blockId, page_size: PAGE, ...cursor }),
      (child) => {
        children.push(child);
        return children.length < limit;
      },
    );
    return children;
  }

  private async readAll(
    ask: (cursor: { start_cursor?: string }) => Promise<unknown>,
    take: (entry: NotionObject) => boolean,
  ): Promise<void> {
    let cursor: string | null = null;
    do {
      const start: string | null = cursor;
      const list = readList(await this.call(() => ask(start === null ? {} : { start_cursor: start })));
      for (const entry of list.results) {
        if (!take(entry)) return;
      }
      cursor = list.nextCursor === start ? null : list.nextCursor;
    } while (cursor !== null);
  }

  private async call(ask: () => Promise<unknown>): Promise<NotionObject> {
    let answer: unknown;
    try {
      answer = await ask();
    } catch (error) {
      throw toNotionError(error);
    }
    if (isObject(answer)) return answer;
    throw undocumented();
  }
}

function readList(answer: NotionObject): NotionList {
  if (!Array.isArray(answer['results'])) throw undocumented();
  const { has_more: hasMore, next_cursor: next } = answer;
  return {
    results: asList(answer['results']),
    nextCursor: hasMore === true && typeof next === 'string' && next !== '' ? next : null,
  };
}

function undocumented(): AppError {
  return new AppError('CONNECTOR.UNAVAILABLE', { message: 'Notion gave an answer that is not as documented.' });
}
