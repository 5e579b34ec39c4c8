import { beforeEach, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import type { IngestDocument } from '@candor/contracts';
import { ReasoningViews } from './reasoning-views.js';
import { saveProposals } from './repositories/proposal.repository.js';
import { saveExtractions } from './repositories/item-stages.repository.js';
import { RetrievalViews } from './retrieval-views.js';
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
    const { documents, relations, cut, dismissedProposalIds, approvedProposalIds } = await views.readRelationGraph(
      fields.who ?? viewer,
      seeds,
      {
        maxDocuments: fields.most ?? 50,
        knownAsOf: fields.asOf ?? null,
      },
    );
    const titles = new Map(documents.map(({ itemId, title }) => [itemId, title]));
    const edges = relations.map(
      ({ kind, fromItemId, toItemId }) => `${kind} ${titles.get(fromItemId)} ${titles.get(toItemId)}`,
    );
    return { titles: [...titles.values()].sort(), edges, documents, cut, dismissedProposalIds, approvedProposalIds };
  };

  it('project what items declare of each other, both ways and onwards', async () => {
    const old = await put('old', { url: 'https://x.example/old#top', metadata: { status: 'Archived' } });
    await put('new', { supersedes: ['old'], validFrom: '2026-01-01T00:00:00Z', metadata: { threadId: 't' } });
    await put('answer', { metadata: { replyTo: 'new', threadId: 't' } });
    await putReferring('page', ['https://x.example/old', 'https://y.example/nowhere']);
    await put('apart');
    const graph = await graphOf([old]);
    expect(graph.titles).toEqual(['answer', 'new', 'old', 'page']);
    expect(graph.edges.map((edge) => edge.split(' ').slice(0, 1)[0])).toEqual([
      'supersedes',
      'references',
      'reply_of',
      'same_thread',
    ]);
    expect(graph.edges).toEqual(
      expect.arrayContaining(['references page old', 'reply_of answer new', 'supersedes new old']),
    );
    expect(graph.documents.find(({ title }) => title === 'old')).toMatchObject({ status: 'archived' });
    expect(graph.documents.find(({ title }) => title === 'new')).toMatchObject({
      validFrom: new Date('2026-01-01T00:00:00Z'),
    });
    expect(graph.cut).toBeNull();
    // What replaced a document is read before all else.
    expect(await graphOf([old], { most: 2 })).toMatchObject({ edges: ['supersedes new old'], cut: 'surroundings' });
    expect(await graphOf([old], { most: 1 })).toMatchObject({ titles: ['old'], edges: [], cut: 'standing' });
  });

  it('follow what replaced a document to its end, farther than its surroundings', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `v${index}`);
    const first = await put('v0');
    for (const [index, name] of names.entries()) if (index > 0) await put(name, { supersedes: [`v${index - 1}`] });
    const graph = await graphOf([first]);
    expect(graph.titles).toEqual(names);
    expect(graph.cut).toBeNull();
    expect(await graphOf([first], { most: 4 })).toMatchObject({ titles: names.slice(0, 4), cut: 'standing' });
  });

  it('find the mail that a mail answers by its Message-ID', async () => {
    const asked = await put('t1', { metadata: { internetMessageIds: ['<one@x.org>', '<two@x.org>'] } });
    const answer = await put('t2', { metadata: { internetMessageIds: ['<three@x.org>'], inReplyTo: '<two@x.org>' } });
    expect((await graphOf([asked])).edges).toEqual(['reply_of t2 t1']);
    expect((await graphOf([answer])).edges).toEqual(['reply_of t2 t1']);
  });

  it('show what held then where only metadata changed since: relations, status, dates', async () => {
    const said = { externalId: 'new', metadata: { status: 'draft', threadId: 't' }, supersedes: ['old'] };
    const access = { accessPolicy: { provider: 'slack', mode: 'provider_scope' } } as const;
    const document = buildDocument({ title: 'new', ...access, ...said, sourceUpdatedAt: '2026-01-01T00:00:00Z' });
    const old = await put('old', { metadata: { threadId: 't' } });
    const { itemId } = await tenant.add(document);
    const before = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await tenant.acceptOne({
      ...document,
      supersedes: [],
      metadata: { status: 'approved' },
      sourceUpdatedAt: '2026-02-01T00:00:00Z',
    });
    const statusOf = ({ documents }: Awaited<ReturnType<typeof graphOf>>) =>
      documents.find((each) => each.itemId === itemId)?.status;
    const dateOf = ({ documents }: Awaited<ReturnType<typeof graphOf>>) =>
      documents.find((each) => each.itemId === itemId)?.sourceDate;
    const then = await graphOf([old, itemId], { asOf: before });
    expect(then.edges).toEqual(['supersedes new old', expect.stringContaining('same_thread')]);
    expect([statusOf(then), dateOf(then)]).toEqual(['draft', new Date('2026-01-01T00:00:00Z')]);
    const now = await graphOf([old, itemId]);
    expect(now.edges).toEqual([]);
    expect([statusOf(now), dateOf(now)]).toEqual(['approved', new Date('2026-02-01T00:00:00Z')]);
    const dates = async (knownAsOf: string | null) =>
      (await views.readStandings(viewer, [itemId], knownAsOf)).get(itemId)?.sourceDate;
    expect([await dates(before), await dates(null)]).toEqual([dateOf(then), dateOf(now)]);
    await tenant.tombstone(itemId);
    expect(await postgres.query('SELECT 1 FROM item_past_dates WHERE item_id = $1', [itemId])).toEqual([]);
  });

  it.each([
    ['a draft', { metadata: { status: 'Work-in-progress' } }],
    ['rejected', { metadata: { status: 'rejected' } }],
    ['not valid yet', { validFrom: '2100-01-01T00:00:00Z' }],
    ['no longer valid', { validUntil: '2001-01-01T00:00:00Z' }],
  ])('name no successor that is %s', async (_what, fields) => {
    const old = await put('old');
    const key = await tenant.addKey();
    const retrieval = new RetrievalViews(postgres.database);
    const isHidden = async (knownAsOf: string | null) =>
      [...(await retrieval.recheck(key.id, [{ itemId: old, version: 1 }], knownAsOf)).heads.values()][0]?.superseded;
    const soon = () => new Date(Date.now() + 1_000).toISOString();
    await put('new', { supersedes: ['old'], ...fields });
    expect(await successorsOf(old)).toEqual([]);
    expect(await successorsOf(old, viewer, soon())).toEqual([]);
    expect([await isHidden(null), await isHidden(soon())]).toEqual([false, false]);
    const inForce = await put('newer', { supersedes: ['old'], metadata: { status: 'final' } });
    expect(await successorsOf(old)).toEqual([inForce]);
    expect(await successorsOf(old, viewer, soon())).toEqual([inForce]);
    expect([await isHidden(null), await isHidden(soon())]).toEqual([true, true]);
  });

  it('know which findings a person rejected or approved, and since when', async () => {
    const [left, right, apart] = [await put('left'), await put('right'), await put('apart')];
    const id = randomUuid();
    const side = (itemId: string) => ({ chunkId: randomUuid(), itemId, version: 1, quotation: 'words' });
    await postgres.database.transaction(async (transaction) => {
      const finding = { id, kind: 'conflicting_value', subject: 's', explanation: '', confidence: 1 };
      const claims = [side(left), side(right)] as const;
      await saveProposals(transaction, tenant.id, [{ ...finding, generationId: tenant.generationId, claims }]);
    });
    expect((await graphOf([left, right])).dismissedProposalIds).toEqual([]);
    const before = new Date(Date.now() - 60_000).toISOString();
    await postgres.query(`UPDATE relation_proposals SET state = 'rejected', reviewed_at = now() WHERE id = $1`, [id]);
    expect((await graphOf([left, right])).dismissedProposalIds).toEqual([id]);
    expect((await graphOf([left, right], { asOf: before })).dismissedProposalIds).toEqual([]);
    expect((await graphOf([left, apart])).dismissedProposalIds).toEqual([]);
    expect((await graphOf([left, right])).approvedProposalIds).toEqual([]);
    await postgres.query(`UPDATE relation_proposals SET state = 'approved' WHERE id = $1`, [id]);
    const approved = await graphOf([left, right]);
    expect([approved.approvedProposalIds, approved.dismissedProposalIds]).toEqual([[id], []]);
    expect((await graphOf([left, right], { asOf: before })).approvedProposalIds).toEqual([]);
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
