import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { collect, collectIds, loadText } from '../testing/collect-batches.js';
import { bodyOf, readCaptured, serveCaptured, type CapturedAnswer } from '../testing/captured/serve-captured.js';
import { ScriptedProviderServer } from '../testing/scripted-provider.server.js';
import { NotionConnector } from './notion.connector.js';
import type { NotionObject } from './notion-object.js';
import { renderBlocks, toNodes } from './render-blocks.js';

interface RichText {
  rich_text?: { plain_text: string }[];
}
interface Entry {
  object: string;
  id: string;
  url: string;
  created_time: string;
  last_edited_time: string;
  created_by: { id: string };
  properties: Record<string, Record<string, { name: string } | undefined>>;
}

// A whole workspace, on a machine that does much else.
jest.setTimeout(30_000);

const answers = readCaptured<CapturedAnswer[]>('notion');
const samples = readCaptured<Record<string, NotionObject & { results: NotionObject[] }>>('notion-samples');
const entries = bodyOf<{ results: Entry[] }>(answers, '/v1/search').results;
const users = bodyOf<{ results: { id: string; name: string }[] }>(answers, '/v1/users').results;
const MOCKS = '0a2a1fb8-5f7d-43cc-9208-3244c75c60bc';
const DATABASE = '5db5b1a8-b2f0-478d-a012-8f3c4c1fd92a';

describe('NotionConnector over captured answers', () => {
  let server: ScriptedProviderServer;
  const connect = (): NotionConnector =>
    new NotionConnector(
      { baseUrl: `${server.url}/notion` },
      { token: 'secret' },
      { allowPrivateAddresses: true, retry: { budgetMs: 2_000, firstPauseMs: 1 } },
      () => Date.parse('2026-04-01T00:00:00Z'),
    );
  const searchGives = (results: unknown[]): void => {
    server.on('/notion/v1/search', () => ({ body: { ...bodyOf<object>(answers, '/v1/search'), results } }));
  };

  beforeEach(async () => {
    server = await ScriptedProviderServer.start();
    serveCaptured(server, answers, { otherwise: { status: 404, body: bodyOf(answers, 'pages/00000000') } });
    server.on('/notion/v1/users/me', () => ({ body: samples['user_me'] }));
  });
  afterEach(() => server.stop());

  it('gives every page with text, author, link, times and policy', async () => {
    const { byId, failures } = await collect(connect());
    expect(failures).toEqual([]);
    expect([...byId.keys()].sort()).toEqual(entries.map(({ id }) => id).sort());
    expect(await collectIds(connect())).toEqual([...byId.keys()].sort());
    for (const entry of entries) {
      const item = byId.get(entry.id);
      expect(item).toMatchObject({
        sourceKind: 'document',
        url: entry.url,
        authorName: users.find(({ id }) => id === entry.created_by.id)?.name,
        sourceCreatedAt: entry.created_time,
        sourceUpdatedAt: entry.last_edited_time,
        accessPolicy: { provider: 'notion', mode: 'provider_scope', workspaceName: "John Doe's Workspace" },
      });
      expect(item?.metadata?.['status']).toBe(entry.properties['Status']?.['select']?.name);
      if (entry.object === 'database') continue;
      const text = await loadText(item);
      const blocks = bodyOf<{ results: (Record<string, RichText> & { type: never })[] }>(answers, entry.id).results;
      for (const block of blocks)
        for (const part of block[block.type]?.rich_text ?? []) expect(text).toContain(part.plain_text);
    }
  });

  it('keeps headings, properties and columns', async () => {
    const { byId } = await collect(connect());
    expect(byId.get(MOCKS)).toMatchObject({ title: 'v2 Dashboard Mocks', authorName: 'Lena Fischer' });
    expect(await loadText(byId.get(MOCKS))).toBe(
      [
        '## v2 Dashboard',
        '### Empty state',
        'One sentence, one action.',
        '### Density toggle',
        'Labelled, remembers the last choice.',
      ].join('\n\n'),
    );
    const row = byId.get('12064245-6209-44e7-a4ed-9b6dbe8f1936');
    expect(row?.metadata).toMatchObject({ parent: { type: 'database_id', database_id: DATABASE } });
    expect(await loadText(row)).toBe(
      '- Owner: Raj Menon\n- Points: 5\n- Status: Done\n\nStreaming export writer — tracked on the sprint board.',
    );
    expect(await loadText(byId.get(DATABASE))).toBe(
      [
        'Work in flight for the platform team, one row per item.',
        'Columns:',
        '- title (title)\n- Name (rich_text)\n- Owner (rich_text)\n- Points (rich_text)\n- Status (rich_text)',
      ].join('\n\n'),
    );
  });

  it('reads entries and blocks of older versions of the API: no links, `text` for `rich_text`', async () => {
    const [page, database] = samples['search']?.results ?? [];
    const row = samples['database_query']?.results[0];
    searchGives([
      { ...page, id: 'p1' },
      { ...database, id: 'd1' },
      { ...row, id: 'p2' },
      { ...samples['page_get'], id: 'p3' },
    ]);
    server
      .on(/^\/notion\/v1\/blocks\/p1\//, () => ({ body: samples['block_get_children'] }))
      .on(/^\/notion\/v1\/blocks\/p[23]\//, () => ({ body: { ...samples['block_get_children'], results: [] } }));
    const { byId, failures } = await collect(connect());
    expect(failures).toEqual([]);
    expect(byId.get('p1')).toMatchObject({
      title: 'hello',
      url: null,
      authorName: null,
      sourceCreatedAt: '2021-05-29T08:51:07.831Z',
    });
    expect(await loadText(byId.get('p1'))).toBe('## Heading1\n\n- [x] todo');
    expect(byId.get('d1')).toMatchObject({ title: 'Test Database', metadata: { object: 'database' } });
    expect(await loadText(byId.get('d1'))).toContain('- Tags (multi_select: tag)');
    expect(byId.get('p2')).toMatchObject({ title: 'ba', url: null });
    expect(await loadText(byId.get('p2'))).toBe('- Tags: a\n- Column 1: a, v, b\n- some_prop: a');
    expect(await loadText(byId.get('p3'))).toBe(
      '- Tags: tag\n- Some another column: some name\n- SomeColumn: some text\n- Some Files: https://google.com\n- RollupArray: 42.2, 56',
    );
  });

  it('renders blocks of many kinds', () => {
    expect(renderBlocks(toNodes(samples['block_array_unmarshal']))).toBe(
      [
        '> 📌 This page is designed to be shared with students on the web. Click `Share`',
        '## History 340',
        '[Required Texts](https://www.notion.so/block3)',
        '#### **Assignment Submission**',
        'All essays and papers are due in lecture (due dates are listed on the schedule). No electronic copies will be accepted!',
      ].join('\n\n'),
    );
  });

  it('holds a refusal against the page alone', async () => {
    server.on(`/notion/v1/blocks/${MOCKS}/children`, () => ({ status: 400, body: samples['validation_error'] }));
    const { byId, failures } = await collect(connect());
    expect(failures).toEqual([]);
    await expect(loadText(byId.get(MOCKS))).rejects.toMatchObject({
      code: 'CONNECTOR.ITEM_UNREADABLE',
      details: { reason: 'validation_error' },
    });
    expect(await connect().confirmGone([DATABASE], new AbortController().signal)).toEqual([DATABASE]);
  });
});
