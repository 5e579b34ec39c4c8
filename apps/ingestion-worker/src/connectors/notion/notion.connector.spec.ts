import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { collect, collectIds, loadText } from '../testing/collect-batches.js';
import { ScriptedProviderServer, type ProviderAnswer } from '../testing/scripted-provider.server.js';
import { NotionConnector } from './notion.connector.js';

const NOW = Date.parse('2026-03-01T12:00:30.000Z');
type Entry = Record<string, unknown> & { id: string; last_edited_time: string };

function page(id: string, edited: string, more: Record<string, unknown> = {}): Entry {
  return {
    object: 'page',
    id,
    created_time: '2026-01-01T08:00:00.000Z',
    last_edited_time: edited,
    created_by: { object: 'user', id: 'u1' },
    last_edited_by: { object: 'user', id: 'u9' },
    url: `https://app.notion.com/p/${id}`,
    in_trash: false,
    parent: { type: 'workspace', workspace: true },
    properties: { title: { type: 'title', title: [{ plain_text: `Page ${id}` }] } },
    ...more,
  };
}
const paragraph = (id: string, content: string, hasChildren = false) => ({
  object: 'block',
  id,
  type: 'paragraph',
  has_children: hasChildren,
  paragraph: { rich_text: [{ plain_text: content }] },
});

describe('NotionConnector', () => {
  let server: ScriptedProviderServer;
  let entries: Entry[];
  let blocks: Record<string, unknown[]>;

  const connect = (pageSize = 50, token = 'secret'): NotionConnector =>
    new NotionConnector(
      { baseUrl: server.url },
      { token },
      { allowPrivateAddresses: true, pageSize, retry: { budgetMs: 2_000, firstPauseMs: 1 } },
      () => NOW,
    );

  beforeEach(async () => {
    server = await ScriptedProviderServer.start();
    entries = [
      page('a', '2026-02-03T10:00:00.000Z'),
      page('b', '2026-02-02T10:00:00.000Z'),
      page('c', '2026-02-01T10:00:00.000Z'),
    ];
    blocks = {};
    server
      .on('/v1/users/me', (call) =>
        call.headers.authorization === 'Bearer secret'
          ? {
              body: {
                object: 'user',
                id: 'bot',
                name: 'Candor',
                type: 'bot',
                bot: { workspace_id: 'w1', workspace_name: 'Shop' },
              },
            }
          : {
              status: 401,
              body: { object: 'error', status: 401, code: 'unauthorized', message: 'API token is invalid.' },
            },
      )
      .on('/v1/users', () => ({
        body: { results: [{ object: 'user', id: 'u1', name: 'Ana' }], has_more: false, next_cursor: null },
      }))
      .on('/v1/search', (call) => {
        const { start_cursor: start, page_size: size } = JSON.parse(call.body) as {
          start_cursor?: string;
          page_size: number;
        };
        const sorted = [...entries].sort((left, right) => right.last_edited_time.localeCompare(left.last_edited_time));
        const from = start === undefined ? 0 : sorted.findIndex(({ id }) => id === start);
        if (from === -1)
          return {
            status: 400,
            body: { object: 'error', status: 400, code: 'validation_error', message: 'start_cursor' },
          };
        const next = sorted[from + size];
        return {
          body: {
            object: 'list',
            results: sorted.slice(from, from + size),
            has_more: next !== undefined,
            next_cursor: next?.id ?? null,
          },
        };
      })
      .on(/^\/v1\/blocks\/.+\/children$/, (call) => {
        const id = call.path.split('/')[3] ?? '';
        const found = blocks[id];
        if (found === undefined)
          return { status: 404, body: { object: 'error', status: 404, code: 'object_not_found', message: 'gone' } };
        const from = Number(call.query.get('start_cursor') ?? 0);
        const next = from + 2 < found.length ? String(from + 2) : null;
        return {
          body: { object: 'list', results: found.slice(from, from + 2), has_more: next !== null, next_cursor: next },
        };
      });
  });
  afterEach(() => server.stop());

  it('gives pages with nested blocks, author, link, times and policy', async () => {
    blocks = {
      a: [paragraph('a1', 'first'), paragraph('a2', 'second', true), paragraph('a3', 'third')],
      a2: [paragraph('a21', 'below', true)],
      a21: [paragraph('a211', 'deeper')],
    };
    const { byId } = await collect(connect());
    expect(byId.size).toBe(3);
    expect(byId.get('a')).toMatchObject({
      sourceKind: 'document',
      title: 'Page a',
      url: 'https://app.notion.com/p/a',
      authorName: 'Ana',
      sourceCreatedAt: '2026-01-01T08:00:00.000Z',
      sourceUpdatedAt: '2026-02-03T10:00:00.000Z',
      contentRevision: '2026-02-03T10:00:00.000Z',
      accessPolicy: { provider: 'notion', mode: 'provider_scope', workspaceId: 'w1', workspaceName: 'Shop' },
    });
    expect(await loadText(byId.get('a'))).toBe('first\n\nsecond\n\nbelow\n\ndeeper\n\nthird');
  });

  it('bounds the depth and says so', async () => {
    for (let depth = 0; depth < 40; depth += 1) {
      const id = depth === 0 ? 'a' : `n${String(depth)}`;
      blocks[id] = [paragraph(`n${String(depth + 1)}`, `level ${String(depth)}`, true)];
    }
    const text = await loadText((await collect(connect())).byId.get('a'));
    expect(text).toContain('level 11');
    expect(text).not.toContain('level 12');
    expect(text).toContain('(1 nested parts of this page could not be read.)');
  });

  it('takes up edits alone in the next run, and an edit within the running minute once more', async () => {
    blocks = { a: [paragraph('a1', 'x')] };
    const first = await collect(connect());
    const edited = '2026-03-01T12:00:00.000Z';
    entries = [page('b', edited), ...entries.filter(({ id }) => id !== 'b')];
    const second = await collect(connect(), first.cursor);
    expect([...second.byId.keys()]).toEqual(['b', 'a']);
    expect(second.byId.get('a')?.contentRevision).toBe(first.byId.get('a')?.contentRevision);
    expect(second.byId.get('b')?.contentRevision).toBe(`${edited}~${String(NOW)}`);
    const asked = server.callsOf('/v1/search').length;
    expect((await collect(connect(1), second.cursor)).items.map(({ externalId }) => externalId)).toEqual(['b']);
    expect(server.callsOf('/v1/search').length - asked).toBe(2);
  });

  it('goes on in the middle, and from the top when its place is lost', async () => {
    const first = await collect(connect(1), null, { batches: 1 });
    expect(first.items.map(({ externalId }) => externalId)).toEqual(['a']);
    expect((await collect(connect(1), first.cursor)).items.map(({ externalId }) => externalId)).toEqual(['b', 'c']);
    entries = entries.filter(({ id }) => id !== 'b');
    const again = await collect(connect(1), first.cursor);
    expect(again.items.map(({ externalId }) => externalId)).toEqual(['a', 'c']);
    expect(again.cursor).toMatchObject({ watermark: '2026-02-03T10:00:00.000Z', walk: null });
  });

  it('reads on where a server does not sort', async () => {
    const first = await collect(connect());
    const unsorted = [
      page('c', '2026-01-01T10:00:00.000Z'),
      page('a', '2026-01-02T10:00:00.000Z'),
      page('late', '2026-02-20T10:00:00.000Z'),
    ];
    server.on('/v1/search', (call) => {
      const from = Number((JSON.parse(call.body) as { start_cursor?: string }).start_cursor ?? 0);
      const next = from + 2 < unsorted.length ? String(from + 2) : null;
      return { body: { results: unsorted.slice(from, from + 2), has_more: next !== null, next_cursor: next } };
    });
    expect([...(await collect(connect(2), first.cursor)).byId.keys()]).toEqual(['late']);
  });

  it('reports trashed pages as deleted and leaves them out of the ids', async () => {
    entries = [
      page('a', '2026-02-03T10:00:00.000Z', { in_trash: true }),
      page('b', '2026-02-02T10:00:00.000Z', { archived: true }),
      page('c', '2026-02-01T10:00:00.000Z'),
    ];
    const { byId, deletedIds } = await collect(connect());
    expect([...byId.keys()]).toEqual(['c']);
    expect(deletedIds).toEqual(['a', 'b']);
    expect(await collectIds(connect())).toEqual(['c']);
  });

  it('renders a database by its columns and a row by its values', async () => {
    entries = [
      page('row', '2026-02-03T10:00:00.000Z', {
        properties: {
          Name: { type: 'title', title: [{ plain_text: 'Ship it' }] },
          Status: { type: 'select', select: { name: 'Done' } },
        },
      }),
      page('db', '2026-02-02T10:00:00.000Z', {
        object: 'data_source',
        title: [{ plain_text: 'Board' }],
        description: [{ plain_text: 'Work in flight.' }],
        properties: { Status: { type: 'select', select: { options: [{ name: 'Todo' }, { name: 'Done' }] } } },
      }),
    ];
    blocks = { row: [] };
    const { byId } = await collect(connect());
    expect(byId.get('row')?.title).toBe('Ship it');
    expect(await loadText(byId.get('row'))).toBe('- Status: Done');
    expect(byId.get('db')?.title).toBe('Board');
    expect(await loadText(byId.get('db'))).toBe('Work in flight.\n\nColumns:\n\n- Status (select: Todo, Done)');
  });

  it('fails an item alone when it vanished or is malformed', async () => {
    entries = [
      page('a', '2026-02-03T10:00:00.000Z'),
      { id: 'odd', last_edited_time: 'soon', object: 'page' },
      page('c', '2026-02-01T10:00:00.000Z'),
    ];
    const { byId, failures } = await collect(connect());
    expect([...byId.keys()]).toEqual(['a', 'c']);
    expect(failures).toMatchObject([{ externalId: 'odd', error: { code: 'CONNECTOR.ITEM_UNREADABLE' } }]);
    await expect(loadText(byId.get('a'))).rejects.toMatchObject({
      code: 'CONNECTOR.ITEM_UNREADABLE',
      retryable: false,
    });
    expect(await collectIds(connect())).toEqual(['a', 'c', 'odd']);
  });

  it('confirms as gone what is in the trash or found as nothing, and keeps what it cannot judge', async () => {
    const refuse = (status: number, code: string) => ({
      status,
      body: { object: 'error', status, code, message: 'refused' },
    });
    const found: Record<string, ProviderAnswer> = {
      '/v1/pages/living': { body: page('living', '2026-02-01T10:00:00.000Z') },
      '/v1/pages/trashed': { body: page('trashed', '2026-02-01T10:00:00.000Z', { in_trash: true }) },
      '/v1/pages/archived': { body: page('archived', '2026-02-01T10:00:00.000Z', { archived: true }) },
      '/v1/pages/locked': refuse(403, 'restricted_resource'),
      '/v1/pages/odd': refuse(400, 'validation_error'),
      '/v1/pages/failing': { status: 503 },
      '/v1/pages/broken': { status: 503 },
      '/v1/pages/worse': { status: 503 },
      '/v1/pages/old-board': refuse(400, 'validation_error'),
      '/v1/data_sources/board': { body: page('board', '2026-02-01T10:00:00.000Z', { object: 'data_source' }) },
      '/v1/databases/database': { body: page('database', '2026-02-01T10:00:00.000Z', { object: 'database' }) },
      '/v1/data_sources/old-board': { body: { object: 'data_source', id: 'old-board', in_trash: true } },
    };
    server.on(/^\/v1\/(?:pages|data_sources|databases)\/[^/]+$/, (call) => {
      return found[call.path] ?? refuse(404, 'object_not_found');
    });
    const confirm = (...ids: string[]): Promise<string[]> => connect().confirmGone(ids, new AbortController().signal);
    const asked = [
      'living',
      'trashed',
      'archived',
      'locked',
      'odd',
      'failing',
      'old-board',
      'board',
      'database',
      'none',
    ];
    expect(await confirm(...asked)).toEqual(['trashed', 'archived', 'old-board', 'none']);
    await expect(confirm('none', 'failing', 'broken', 'worse')).rejects.toMatchObject({
      code: 'CONNECTOR.UNAVAILABLE',
    });
    server.on('/v1/pages/none', () => refuse(401, 'unauthorized'));
    await expect(confirm('none')).rejects.toMatchObject({ code: 'CONNECTOR.CREDENTIALS_REJECTED' });
    server.on('/v1/pages/none', () => ({ status: 404, body: 'Not Found' }));
    expect(await confirm('none')).toEqual([]);
  });

  it('reports a page that keeps failing as its own failure when it is told to give up', async () => {
    const results = [page('a', '2026-02-03T10:00:00.000Z'), { object: 'page', id: 'partial' }];
    server.on('/v1/search', () => ({ body: { results, has_more: false, next_cursor: null } }));
    server.on('/v1/pages/partial', () => ({ status: 503 }));
    await expect(collect(connect())).rejects.toMatchObject({ code: 'CONNECTOR.UNAVAILABLE', retryable: true });
    const { byId, failures } = await collect(connect(), null, { giveUp: true });
    expect([...byId.keys()]).toEqual(['a']);
    expect(failures).toMatchObject([{ externalId: 'partial', error: { code: 'CONNECTOR.UNAVAILABLE' } }]);
  });

  it('names the error: token, rate, garbage, abort', async () => {
    await expect(collect(connect(50, 'stale'))).rejects.toMatchObject({ code: 'CONNECTOR.CREDENTIALS_REJECTED' });
    expect(await connect().check(new AbortController().signal)).toEqual({ account: 'Candor in Shop' });
    server.on('/v1/search', () => ({ status: 429, headers: { 'retry-after': '45' }, body: { code: 'rate_limited' } }));
    await expect(collect(connect())).rejects.toMatchObject({ code: 'CONNECTOR.RATE_LIMITED', retryAfterSeconds: 45 });
    server.on('/v1/search', () => ({ body: '{"results": [' }));
    await expect(collect(connect())).rejects.toMatchObject({ code: 'CONNECTOR.UNAVAILABLE' });
    server.on('/v1/search', () => ({ body: { results: null } }));
    await expect(collect(connect())).rejects.toMatchObject({ code: 'CONNECTOR.UNAVAILABLE' });
    const abort = new AbortController();
    abort.abort();
    await expect(collect(connect(), null, { signal: abort.signal })).rejects.toMatchObject({
      code: 'REQUEST.CANCELLED',
    });
  });

  it('goes on without names when users may not be read, and after a short rate limit', async () => {
    server.on('/v1/users', () => ({
      status: 403,
      body: { object: 'error', status: 403, code: 'restricted_resource', message: 'no' },
    }));
    server.onceEach('/v1/blocks/a/children', [
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 503 },
      { body: { results: [paragraph('a1', 'at last')], has_more: false, next_cursor: null } },
    ]);
    const { byId } = await collect(connect());
    expect(byId.get('a')?.authorName).toBeNull();
    expect(await loadText(byId.get('a'))).toBe('at last');
  });
});
