import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { collect } from '../testing/collect-batches.js';
import { ScriptedProviderServer, type ProviderAnswer } from '../testing/scripted-provider.server.js';
import { NotionConnector } from './notion.connector.js';

type Parent = [type: 'page_id' | 'database_id' | 'data_source_id' | 'block_id', id: string] | null;
type Kind = 'pages' | 'databases' | 'data_sources' | 'blocks';

const refuse = (status: number, code: string): ProviderAnswer => ({
  status,
  body: { object: 'error', status, code, message: 'refused' },
});

describe('NotionConnector, of pages that left the search', () => {
  let server: ScriptedProviderServer;
  let found: Record<string, ProviderAnswer>;

  const put = (kind: Kind, id: string, parent: Parent, more: Record<string, unknown> = {}): void => {
    const place =
      parent === null ? { type: 'workspace', workspace: true } : { type: parent[0], [parent[0]]: parent[1] };
    found[`/v1/${kind}/${id}`] = { body: { object: kind, id, in_trash: false, parent: place, ...more } };
  };
  const connect = (): NotionConnector =>
    new NotionConnector(
      { baseUrl: server.url },
      { token: 'secret' },
      { allowPrivateAddresses: true, retry: { budgetMs: 2_000, firstPauseMs: 1 } },
    );
  const confirm = (...ids: string[]): Promise<string[]> => connect().confirmGone(ids, new AbortController().signal);

  beforeEach(async () => {
    server = await ScriptedProviderServer.start();
    found = {};
    server.on(/^\/v1\/(?:pages|data_sources|databases|blocks)\/[^/]+$/, ({ path }) => {
      return found[path] ?? refuse(404, 'object_not_found');
    });
  });
  afterEach(() => server.stop());

  it('takes what lies below something in the trash for gone, whatever it says of itself', async () => {
    put('pages', 'top', null, { in_trash: true });
    put('pages', 'child', ['page_id', 'top']);
    put('blocks', 'column', ['page_id', 'child']);
    put('pages', 'grandchild', ['block_id', 'column']);
    put('pages', 'shelf', null);
    put('databases', 'board', ['page_id', 'shelf'], { archived: true });
    put('data_sources', 'rows', ['database_id', 'board']);
    put('pages', 'row', ['data_source_id', 'rows']);
    put('pages', 'sibling', ['page_id', 'shelf']);
    expect(await confirm('grandchild', 'row', 'sibling', 'child', 'top')).toEqual([
      'grandchild',
      'row',
      'child',
      'top',
    ]);
  });

  it('asks for each ancestor once', async () => {
    put('pages', 'top', null);
    put('pages', 'middle', ['page_id', 'top']);
    for (const id of ['a', 'b', 'c']) put('pages', id, ['page_id', 'middle']);
    expect(await confirm('a', 'b', 'c', 'middle')).toEqual([]);
    expect(server.calls.map(({ path }) => path.split('/').at(-1))).toEqual(['a', 'middle', 'top', 'b', 'c']);
  });

  it('keeps what lies below something that is not shared, and not what lies below a stored page that is missing', async () => {
    put('pages', 'shared', ['page_id', 'private']);
    put('pages', 'locked', ['page_id', 'closed']);
    found['/v1/pages/closed'] = refuse(403, 'restricted_resource');
    put('pages', 'child', ['page_id', 'removed']);
    expect(await confirm('shared', 'locked', 'child')).toEqual([]);
    expect(await confirm('child', 'removed')).toEqual(['child', 'removed']);
  });

  it('stops at some depth, and where pages lie below each other', async () => {
    for (let depth = 0; depth < 80; depth += 1) put('pages', `p${String(depth)}`, ['page_id', `p${String(depth + 1)}`]);
    put('pages', 'p80', null, { in_trash: true });
    put('pages', 'x', ['page_id', 'y']);
    put('pages', 'y', ['page_id', 'x']);
    expect(await confirm('p70', 'p0', 'x')).toEqual(['p70']);
    expect(server.calls.length).toBeLessThan(120);
  });

  it('judges by an ancestor that fails alone no page, and takes three in a row for an outage', async () => {
    found['/v1/pages/failing'] = { status: 503 };
    put('pages', 'living', null);
    for (const id of ['a', 'b']) put('pages', id, ['page_id', 'failing']);
    expect(await confirm('a', 'living', 'b', 'none')).toEqual(['none']);
    found['/v1/pages/broken'] = { status: 503 };
    expect(await confirm('failing', 'broken', 'none')).toEqual(['none']);
    found['/v1/pages/worse'] = { status: 503 };
    await expect(confirm('failing', 'broken', 'worse')).rejects.toMatchObject({ code: 'CONNECTOR.UNAVAILABLE' });
  });

  it('takes entries that fail in a row for an outage, also where it is told to give up', async () => {
    const whole = (id: string) => ({
      object: 'page',
      id,
      created_time: '2026-01-01T08:00:00.000Z',
      last_edited_time: '2026-02-01T08:00:00.000Z',
      parent: { type: 'workspace', workspace: true },
    });
    const partial = (id: string) => ({ object: 'page', id });
    let results: unknown[] = [];
    server
      .on('/v1/users/me', () => ({ body: { object: 'user', id: 'bot', bot: {} } }))
      .on('/v1/users', () => ({ body: { results: [], has_more: false } }))
      .on('/v1/search', () => ({ body: { results, has_more: false, next_cursor: null } }));
    for (const id of ['bad', 'worse', 'worst']) found[`/v1/pages/${id}`] = { status: 503 };
    found['/v1/pages/fine'] = { body: whole('fine') };
    results = [partial('bad'), partial('fine'), partial('worse')];
    const { byId, failures } = await collect(connect(), null, { giveUp: true });
    expect([...byId.keys()]).toEqual(['fine']);
    expect(failures.map(({ externalId }) => externalId)).toEqual(['bad', 'worse']);
    // What came whole took no request.
    results = [partial('bad'), whole('other'), partial('worse'), partial('worst')];
    await expect(collect(connect(), null, { giveUp: true })).rejects.toMatchObject({ code: 'CONNECTOR.UNAVAILABLE' });
  });
});
