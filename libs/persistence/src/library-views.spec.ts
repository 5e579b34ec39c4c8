import { beforeEach, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import type { CreatePromptBody, IngestDocument } from '@candor/contracts';
import { LibraryViews, type LiteralMatch } from './library-views.js';
import { addCollectionItems } from './repositories/collection-item.repository.js';
import { insertCollection, updateCollection } from './repositories/collection.repository.js';
import {
  findUnembedded,
  forgetOtherEmbeddings,
  saveEmbedding,
  type UnembeddedText,
} from './repositories/library-embedding.repository.js';
import { insertPrompt, updatePrompt, type PromptRow } from './repositories/prompt.repository.js';
import { buildDocument, TestTenant } from './testing.js';
import { buildChunk } from './testing/test-tenant.js';
import { RetrievalViews } from './retrieval-views.js';
import { describeOnPostgres } from './testing/describe-on-postgres.js';
import { serviceViewer } from './visibility.js';

const AUTHOR = { apiKeyId: randomUuid(), name: 'Editor' };

describeOnPostgres('the library, as retrieval reads it', (postgres) => {
  let tenant: TestTenant;
  let views: LibraryViews;
  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
    views = new LibraryViews(postgres.database);
  });

  const makePrompt = (fields: Partial<CreatePromptBody> = {}): Promise<PromptRow> =>
    postgres.database.transaction((transaction) =>
      insertPrompt(transaction, tenant.id, AUTHOR, { title: 'Greeting', content: 'Greet.', ...fields }),
    );
  const makeCollection = (name: string, description?: string) =>
    postgres.database.transaction((transaction) =>
      insertCollection(transaction, tenant.id, { name, ...(description === undefined ? {} : { description }) }),
    );
  const unembedded = async (): Promise<UnembeddedText[]> => {
    const all = await postgres.database.read((manager) => findUnembedded(manager, 1_000));
    return all.filter(({ tenantId }) => tenantId === tenant.id);
  };
  const embed = (text: UnembeddedText, values: number[], profile = 'p1') =>
    postgres.database.transaction((transaction) =>
      saveEmbedding(transaction, text, Float32Array.from(values), profile),
    );
  const vectors = async (itemType: 'prompt' | 'collection', tags: string[] = [], profile = 'p1') => {
    const found: [string, number[]][] = [];
    for await (const page of views.vectors(tenant.id, itemType, { profile, tags }))
      found.push(...page.map(({ id, vector }): [string, number[]] => [id, [...vector]]));
    return found;
  };

  it('embeds each text once, and again when it has changed', async () => {
    const prompt = await makePrompt({ description: 'How to greet', content: 'x'.repeat(5_000) });
    const collection = await makeCollection('Letters', 'All of them');
    const [first, second] = await unembedded();
    expect([first, second]).toEqual([
      {
        itemType: 'prompt',
        tenantId: tenant.id,
        id: prompt.id,
        revision: 1,
        title: 'Greeting',
        description: 'How to greet',
        content: 'x'.repeat(4_000),
      },
      {
        itemType: 'collection',
        tenantId: tenant.id,
        id: collection.id,
        revision: 0,
        title: 'Letters',
        description: 'All of them',
        content: '',
      },
    ]);
    if (!first || !second) throw new Error('nothing to embed');
    await embed(first, [0.5, -0.25]);
    await embed(second, [1, 0]);
    expect(await unembedded()).toEqual([]);
    expect(await vectors('prompt')).toEqual([[prompt.id, [0.5, -0.25]]]);
    expect(await vectors('collection')).toEqual([[collection.id, [1, 0]]]);

    await postgres.database.transaction(async (transaction) => {
      await updatePrompt(transaction, tenant.id, prompt.id, AUTHOR, { tags: ['a'] });
      await updateCollection(transaction, tenant.id, collection.id, { tags: ['a'], color: 'red' });
    });
    expect(await unembedded()).toEqual([]);
    await postgres.database.transaction(async (transaction) => {
      await updatePrompt(transaction, tenant.id, prompt.id, AUTHOR, { content: 'New.' });
      await updateCollection(transaction, tenant.id, collection.id, { name: 'Mails' });
    });
    expect(await vectors('prompt')).toEqual([]);
    expect(await vectors('collection')).toEqual([]);
    // Whoever was at work on the former text comes too late.
    await embed(first, [1, 1]);
    await embed(second, [1, 1]);
    expect(await vectors('prompt')).toEqual([]);
    const again = await unembedded();
    expect(again.map(({ revision, title }) => `${title} ${revision}`).sort()).toEqual(['Greeting 2', 'Mails 1']);
  });

  it('compares vectors of one profile only, and makes others again', async () => {
    await makePrompt();
    const [text] = await unembedded();
    if (!text) throw new Error('nothing to embed');
    await embed(text, [1], 'p1');
    expect(await vectors('prompt', [], 'p2')).toEqual([]);
    const forget = (profile: string) =>
      postgres.database.transaction((transaction) => forgetOtherEmbeddings(transaction, profile));
    expect(await forget('p1')).toBe(0);
    expect(await forget('p2')).toBe(1);
    expect(await unembedded()).toHaveLength(1);
    await embed(text, [1], 'p2');
  });

  it('takes turns between tenants', async () => {
    await makePrompt({ title: 'Other 1' });
    await makePrompt({ title: 'Other 2' });
    const other = tenant;
    tenant = await TestTenant.create(postgres.database);
    await makePrompt({ title: 'Mine' });
    const mine = tenant.id;
    const texts = await postgres.database.read((manager) => findUnembedded(manager, 1_000));
    const place = (tenantId: string, title: string): number =>
      texts.findIndex((text) => text.tenantId === tenantId && text.title === title);
    expect(place(mine, 'Mine')).toBeLessThan(place(other.id, 'Other 2'));
    const except = texts.map(({ id }) => id);
    expect(await postgres.database.read((manager) => findUnembedded(manager, 1_000, except))).toEqual([]);
  });

  it('gives vectors in pages, of the tenant and of what has all of the tags', async () => {
    await postgres.query(
      `WITH made AS (INSERT INTO prompts (id, tenant_id, title, description, tags, current_version, embedding, embedding_profile)
         SELECT gen_random_uuid(), $1, 't', '', CASE WHEN n % 2 = 0 THEN ARRAY['even', 'n'] ELSE ARRAY['n'] END, 1,
           '\\x0000803f', 'p1' FROM generate_series(1, 2500) n RETURNING id) SELECT count(*) FROM made`,
      [tenant.id],
    );
    const all = await vectors('prompt');
    expect(new Set(all.map(([id]) => id)).size).toBe(2_500);
    expect(all[0]?.[1]).toEqual([1]);
    expect(await vectors('prompt', ['n', 'even'])).toHaveLength(1_250);
    tenant = await TestTenant.create(postgres.database);
    expect(await vectors('prompt')).toEqual([]);
  });

  const literal = (text: string, tags: string[] = [], limit = 10, signal = new AbortController().signal) => ({
    text,
    tags,
    limit,
    signal,
  });
  const shown = (matches: LiteralMatch[]): [string, string | null][] =>
    matches.map(({ field, window }) => [field, window]);

  it('finds prompts by what is written in them, titles first', async () => {
    const body = await makePrompt({
      title: 'A',
      content: `${'before '.repeat(40)}the LIME-green one${' after'.repeat(80)}`,
    });
    const description = await makePrompt({ title: 'B', description: 'About lime-green things', content: 'lime-green' });
    const title = await makePrompt({ title: 'Lime-Green', tags: ['t'] });
    await makePrompt({ title: 'lime green', content: '100% limegreen' });
    const found = await views.findPrompts(tenant.id, literal('lime-green', [], 10));
    expect(found.map(({ id }) => id)).toEqual([title.id, description.id, body.id]);
    expect(found.map(({ field, startsCut, endsCut }) => [field, startsCut, endsCut])).toEqual([
      ['title', false, false],
      ['description', false, false],
      ['body', true, true],
    ]);
    expect(found[2]?.window).toHaveLength(300);
    expect(found[2]?.window).toContain('the LIME-green one');
    expect(await views.findPrompts(tenant.id, literal('lime-green', ['t'], 10))).toHaveLength(1);
    expect(await views.findPrompts(tenant.id, literal('lime-green', [], 2))).toHaveLength(2);
    expect(shown(await views.findPrompts(tenant.id, literal('100% LIME', [], 10)))).toEqual([
      ['body', '100% limegreen'],
    ]);
    expect(await views.findPrompts(tenant.id, literal('100_', [], 10))).toEqual([]);
    expect(await views.findPrompts(randomUuid(), literal('lime-green', [], 10))).toEqual([]);
  });

  it('finds collections by name and description', async () => {
    const { id } = await makeCollection('Brand', 'What is lime-green');
    await makeCollection('Other');
    const found = await views.findCollections(tenant.id, literal('LIME-GREEN', [], 10));
    expect(found.map((match) => [match.id, match.field])).toEqual([[id, 'description']]);
    expect(await views.heads(tenant.id, 'collection', [id, randomUuid()])).toEqual(
      new Map([[id, { id, title: 'Brand', description: 'What is lime-green' }]]),
    );
    expect(await views.heads(tenant.id, 'collection', [id], ['t'])).toEqual(new Map());
    expect(await views.heads(randomUuid(), 'collection', [id])).toEqual(new Map());
  });

  const put = async (text: string, fields: Partial<IngestDocument> = {}) => {
    const item = await tenant.acceptOne(buildDocument({ body: text, ...fields }));
    await tenant.extract(item, text);
    await tenant.start(item, 'indexing');
    const chunks = [
      buildChunk(text),
      buildChunk(text, { ordinal: 1, level: 'paragraph', start: 0, end: Math.floor(text.length / 2) }),
      buildChunk(text, { ordinal: 2, level: 'paragraph', start: Math.floor(text.length / 2) }),
    ];
    await tenant.complete(item, chunks);
    return { id: item.itemId, chunkIds: chunks.map((chunk) => chunk.id) };
  };
  const everything = () => serviceViewer(tenant.id);

  it('finds documents by title and by text, with the innermost chunk around the match', async () => {
    const named = await put('Nothing.', { title: 'The Otter file' });
    // Half of the characters before the match are two UTF-16 units each.
    const early = await put(`${'🦦'.repeat(60)} an otter ${'z'.repeat(400)}`, { title: 'Early' });
    const late = await put(`${'🦦x'.repeat(200)} an otter swims`, { title: 'Late' });
    const found = await views.findDocuments(everything(), literal('an OTTER', [], 10));
    const byId = new Map(found.map((match) => [match.id, match]));
    expect([...byId.keys()].sort()).toEqual([early.id, late.id].sort());
    expect(byId.get(early.id)).toMatchObject({
      field: 'body',
      startsCut: false,
      endsCut: true,
      chunkId: early.chunkIds[1],
    });
    expect(byId.get(late.id)).toMatchObject({
      field: 'body',
      startsCut: true,
      endsCut: false,
      chunkId: late.chunkIds[2],
    });
    const titles = await views.findDocuments(everything(), literal('otter', [], 10));
    expect(titles[0]).toMatchObject({ id: named.id, field: 'title', window: null, chunkId: null });
    expect(titles).toHaveLength(3);
    expect(await views.findDocuments(everything(), literal('otter', [], 1))).toHaveLength(1);
  });

  it('finds documents for who may see them, in what is live, by all of the tags', async () => {
    const policy = (principals: string[]) => ({ provider: 'slack' as const, mode: 'acl' as const, principals });
    const open = await put('A heron.', {
      accessPolicy: { provider: 'slack', mode: 'provider_scope' },
      tags: ['a', 'b'],
    });
    const closed = await put('A heron.', { title: 'heron', accessPolicy: policy(['user:b@x.org']) });
    const gone = await put('A heron.', { accessPolicy: { provider: 'slack', mode: 'provider_scope' } });
    await tenant.tombstone(gone.id);
    await tenant.acceptOne(buildDocument({ body: 'A heron, not indexed yet.', title: 'heron' }));
    const find = async (principals: string[] | null, tags: string[] = [], tenantId = tenant.id) =>
      (await views.findDocuments({ tenantId, providers: null, principals }, literal('HERON', tags))).map(
        ({ id }) => id,
      );
    expect(await find(null)).toEqual([closed.id, open.id]);
    expect(await find(['user:a@x.org'])).toEqual([open.id]);
    expect(await find(null, ['b', 'a'])).toEqual([open.id]);
    expect(await find(null, ['a', 'c'])).toEqual([]);
    expect(await find(null, [], randomUuid())).toEqual([]);
    const titles = await views.documentTitles({ ...everything(), principals: [] }, [open.id, closed.id]);
    expect([...titles.keys()]).toEqual([open.id]);
  });

  /** One text for all; the later, the longer ago it was changed. */
  const putMany = async (count: number, textOf: string): Promise<void> => {
    await postgres.query(
      `WITH items AS (INSERT INTO source_items (id, tenant_id, provider, external_id, source_kind, title, access_mode, live_version, updated_at)
         SELECT gen_random_uuid(), $1, 'slack', 'many-' || n, 'message', 't' || n, 'unknown', 1, now() - n * interval '1 second'
         FROM generate_series(1, $2::integer) n RETURNING id, external_id)
       INSERT INTO item_versions (item_id, version, tenant_id, request_id, state, title, mime_type, text, content_hash)
       SELECT id, 1, $1, gen_random_uuid(), 'indexed', 't', 'text/plain', ${textOf}, 'hash' FROM items`,
      [tenant.id, count],
    );
  };

  it('finds the newest documents of very many, and the only one behind ten thousand others', async () => {
    await putMany(10_500, `CASE WHEN external_id = 'many-10400' THEN 'one kingfisher' ELSE 'a heron' END`);
    const newest = await views.findDocuments(everything(), literal('HERON', [], 3));
    const titles = await views.documentTitles(
      everything(),
      newest.map(({ id }) => id),
    );
    expect(newest.map(({ id }) => titles.get(id))).toEqual(['t1', 't2', 't3']);
    expect(await views.findDocuments(everything(), literal('kingfisher'))).toHaveLength(1);
    expect(await views.findDocuments(everything(), literal('ostrich'))).toEqual([]);
  });

  it('stops looking through documents, prompts and collections when the caller has gone', async () => {
    await putMany(200, `'a heron'`);
    await makePrompt();
    await makeCollection('Letters');
    const gone = literal('ostrich', [], 10, AbortSignal.abort());
    const outcomes = await Promise.allSettled([
      views.findDocuments(everything(), gone),
      views.findPrompts(tenant.id, gone),
      views.findCollections(tenant.id, gone),
    ]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'REQUEST.CANCELLED' } });
  });

  it('finds the newest prompts of very many, titles before all others', async () => {
    await postgres.query(
      `INSERT INTO prompts (id, tenant_id, title, description, tags, current_version, updated_at)
       SELECT gen_random_uuid(), $1, CASE WHEN n = 2900 THEN 'walrus' ELSE 't' || n END, '', '{}', 1, now() - n * interval '1 second'
       FROM generate_series(1, 3000) n`,
      [tenant.id],
    );
    await postgres.query(
      `INSERT INTO prompt_versions (id, tenant_id, prompt_id, version, title, description, content, parameters, variables)
       SELECT gen_random_uuid(), $1, id, 1, 't', '', 'a walrus', '{}', '[]' FROM prompts WHERE tenant_id = $1`,
      [tenant.id],
    );
    const found = await views.findPrompts(tenant.id, literal('walrus', [], 3));
    const heads = await views.heads(
      tenant.id,
      'prompt',
      found.map(({ id }) => id),
    );
    expect(found.map(({ id }) => heads.get(id)?.title)).toEqual(['walrus', 't1', 't2']);
  });

  it('says which items have all of the tags, with the index that there is for it', async () => {
    const both = await put('One.', { tags: ['a', 'b'] });
    await put('Two.', { tags: ['a'] });
    const gone = await put('Three.', { tags: ['a', 'b'] });
    await tenant.tombstone(gone.id);
    const retrieval = new RetrievalViews(postgres.database);
    expect(await retrieval.taggedItems(tenant.id, ['b', 'a'])).toEqual([both.id]);
    expect(await retrieval.taggedItems(tenant.id, ['b', 'c'])).toEqual([]);
    expect(await retrieval.taggedItems(randomUuid(), ['a'])).toEqual([]);
    await postgres.query(
      `INSERT INTO source_items (id, tenant_id, provider, external_id, source_kind, title, access_mode)
       SELECT gen_random_uuid(), $1, 'slack', 'many-' || n, 'message', 't', 'unknown' FROM generate_series(1, 5000) n`,
      [tenant.id],
    );
    await postgres.query('ANALYZE source_items');
    const statement = `SELECT i.id FROM source_items i WHERE i.tenant_id = '${tenant.id}' AND i.tags @> '{b}' AND i.tags <> '{}'`;
    const plan = await postgres.query(`EXPLAIN ${statement}`);
    expect(JSON.stringify(plan)).toContain('source_items_by_tags');
  });

  it('says which collections items are in', async () => {
    const { id: collectionId } = await makeCollection('All');
    const prompt = await makePrompt();
    await postgres.database.transaction((transaction) =>
      addCollectionItems(transaction, tenant.id, collectionId, [prompt.id], 'prompt'),
    );
    expect(await views.memberships(tenant.id, 'prompt', [prompt.id, randomUuid()])).toEqual([
      { collectionId, itemId: prompt.id, itemType: 'prompt' },
    ]);
    expect(await views.memberships(tenant.id, 'document', [prompt.id])).toEqual([]);
    expect(await views.memberships(randomUuid(), 'prompt', [prompt.id])).toEqual([]);
  });
});
