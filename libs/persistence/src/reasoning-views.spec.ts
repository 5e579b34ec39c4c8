import { beforeEach, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import type { IngestDocument } from '@candor/contracts';
import { ReasoningViews } from './reasoning-views.js';
import { saveExtractions } from './repositories/item-stages.repository.js';
import { describeOnPostgres } from './testing/describe-on-postgres.js';
import { buildChunk, buildDocument, TestTenant } from './testing.js';
import { serviceViewer, type Visibility } from './visibility.js';

describeOnPostgres('reasoning views', (postgres) => {
  let tenant: TestTenant;
  let views: ReasoningViews;
  let viewer: Visibility;
  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
    views = new ReasoningViews(postgres.database);
    viewer = serviceViewer(tenant.id);
  });

  const put = async (externalId: string, fields: Partial<IngestDocument> = {}) => {
    const access = { accessPolicy: { provider: 'slack', mode: 'provider_scope' } } as const;
    return (await tenant.add(buildDocument({ externalId, title: externalId, ...access, ...fields }))).itemId;
  };
  /** With what its text refers to, as the worker stores it. */
  const putReferring = async (externalId: string, links: string[]): Promise<string> => {
    const item = await tenant.acceptOne(buildDocument({ externalId, title: externalId }));
    await tenant.start(item, 'extracting');
    await postgres.database.transaction((transaction) =>
      saveExtractions(transaction, [{ job: tenant.job(item), text: 'text', blocks: [], links }]),
    );
    await tenant.start(item, 'indexing');
    await tenant.complete(item, [buildChunk('text')]);
    return item.itemId;
  };
  const successorsOf = async (itemId: string, who = viewer, knownAsOf: string | null = null) =>
    (await views.readStandings(who, [itemId], knownAsOf)).get(itemId)?.successors;

  it('name who replaces an item in the end, and nobody that the viewer may not see', async () => {
    const first = await put('a', { sourceCreatedAt: '2026-01-01T00:00:00Z' });
    const before = new Date().toISOString();
    const second = await put('b', { supersedes: ['a'] });
    const third = await put('c', {
      supersedes: ['b'],
      accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:a@x.org'] },
    });
    expect(await views.readStandings(viewer, [first, third, randomUuid()], null)).toEqual(
      new Map([
        [first, { sourceDate: new Date('2026-01-01T00:00:00Z'), successors: [third] }],
        [third, { sourceDate: null, successors: [] }],
      ]),
    );
    expect(await successorsOf(first, { ...viewer, principals: ['user:b@x.org'] })).toEqual([second]);
    expect(await successorsOf(first, viewer, before)).toEqual([]);
    expect(await successorsOf(first, viewer, new Date(Date.now() + 1_000).toISOString())).toEqual([third]);
    await tenant.tombstone(third);
    expect(await successorsOf(first)).toEqual([second]);
  });

  it('name both who replace an item, and follow no circle for ever', async () => {
    const old = await put('a');
    const left = await put('b', { supersedes: ['a'] });
    const right = await put('c', { supersedes: ['a'] });
    expect(await successorsOf(old)).toEqual([left, right].sort());
    const one = await put('one', { supersedes: ['other'] });
    const other = await put('other', { supersedes: ['one'] });
    expect(await successorsOf(one)).toEqual([other]);
  });

  it('hold passages against the stored text', async () => {
    const text = 'One. Two.';
    const item = await tenant.add(buildDocument({ body: text }));
    const find = (fields: { content?: string; chunkId?: string }, tenantId = tenant.id) =>
      views.findVerified(tenantId, [{ ...item, chunkId: item.chunkId, content: text, ...fields }]);
    expect(await find({})).toEqual(new Set([item.chunkId]));
    expect(await find({ content: 'One. Three.' })).toEqual(new Set());
    expect(await find({ chunkId: randomUuid() })).toEqual(new Set());
    expect(await find({}, randomUuid())).toEqual(new Set());
  });

  it('count the items of a generation, and know its newest calibration', async () => {
    await put('a');
    expect(await views.countItems(tenant.id, tenant.generationId)).toBe(1);
    expect(await views.findCalibration(tenant.id, tenant.generationId)).toBeNull();
    for (const [id, at] of [
      ['new', '2026-02-01'],
      ['old', '2026-01-01'],
    ])
      await postgres.query(
        'INSERT INTO calibrations (id, tenant_id, generation_id, document, created_at) VALUES ($1, $2, $3, $4, $5)',
        [id, tenant.id, tenant.generationId, JSON.stringify({ id }), at],
      );
    expect(await views.findCalibration(tenant.id, tenant.generationId)).toEqual({ id: 'new' });
    expect(await views.findCalibration(randomUuid(), tenant.generationId)).toBeNull();
  });

  const graphOf = async (seeds: string[], fields: { who?: Visibility; most?: number; asOf?: string } = {}) => {
    const { documents, relations, isCut } = await views.readRelationGraph(fields.who ?? viewer, seeds, {
      maxDocuments: fields.most ?? 50,
      knownAsOf: fields.asOf ?? null,
    });
    const titles = new Map(documents.map(({ itemId, title }) => [itemId, title]));
    const edges = relations.map(
      ({ kind, fromItemId, toItemId }) => `${kind} ${titles.get(fromItemId)} ${titles.get(toItemId)}`,
    );
    return { titles: [...titles.values()].sort(), edges: edges.sort(), documents, isCut };
  };

  it('project what items declare of each other, both ways and onwards', async () => {
    const old = await put('old', { url: 'https://x.example/old#top', metadata: { status: 'Archived' } });
    await put('new', { supersedes: ['old'], validFrom: '2026-01-01T00:00:00Z', metadata: { threadId: 't' } });
    await put('answer', { metadata: { replyTo: 'new', threadId: 't' } });
    await putReferring('page', ['https://x.example/old', 'https://y.example/nowhere']);
    await put('apart');
    const graph = await graphOf([old]);
    expect(graph.titles).toEqual(['answer', 'new', 'old', 'page']);
    expect(graph.edges.map((edge) => edge.split(' ').slice(0, 1)[0]).sort()).toEqual([
      'references',
      'reply_of',
      'same_thread',
      'supersedes',
    ]);
    expect(graph.edges).toEqual(
      expect.arrayContaining(['references page old', 'reply_of answer new', 'supersedes new old']),
    );
    expect(graph.documents.find(({ title }) => title === 'old')).toMatchObject({ status: 'archived' });
    expect(graph.documents.find(({ title }) => title === 'new')).toMatchObject({
      validFrom: new Date('2026-01-01T00:00:00Z'),
    });
    expect(graph.isCut).toBe(false);
    const small = await graphOf([old], { most: 2 });
    expect([small.titles.length, small.edges.length, small.isCut]).toEqual([2, 1, true]);
  });

  it('show nothing of what the viewer may not see, of what was deleted, and of what was not said yet', async () => {
    const document = buildDocument({
      externalId: 'old',
      title: 'old',
      accessPolicy: { provider: 'slack', mode: 'provider_scope' },
    });
    const { itemId } = await tenant.add(document);
    const before = new Date().toISOString();
    const hidden = await put('hidden', {
      supersedes: ['old'],
      accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:a@x.org'] },
    });
    expect((await graphOf([itemId])).edges).toEqual(['supersedes hidden old']);
    const outsider = { ...viewer, principals: ['user:b@x.org'] };
    expect(await graphOf([itemId], { who: outsider })).toMatchObject({ titles: ['old'], edges: [] });
    expect(await graphOf([hidden], { who: outsider })).toMatchObject({ titles: [], edges: [] });
    expect(await graphOf([itemId], { asOf: before })).toMatchObject({ titles: ['old'], edges: [] });
    const stranger = serviceViewer((await TestTenant.create(postgres.database)).id);
    expect(await graphOf([itemId], { who: stranger })).toMatchObject({ titles: [], edges: [] });
    await tenant.tombstone(hidden);
    expect((await graphOf([itemId])).edges).toEqual([]);
  });

  it('show reviewed relations beside declared ones', async () => {
    const left = await put('left');
    const right = await put('right');
    await postgres.query(
      `INSERT INTO reviewed_relations (id, tenant_id, kind, from_item_id, to_item_id, proposal_id, reviewer_api_key_id)
       VALUES ($1, $2, 'conflicts_with', $3, $4, $5, $6)`,
      [randomUuid(), tenant.id, left, right, randomUuid(), randomUuid()],
    );
    const { edges } = await graphOf([right]);
    expect(edges).toEqual(['conflicts_with left right']);
  });
});
