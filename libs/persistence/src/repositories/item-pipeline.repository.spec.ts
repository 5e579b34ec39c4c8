import { serviceViewer } from '../visibility.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { AppError, type ItemState } from '@candor/contracts';
import { buildChunk, buildDocument, TestTenant } from '../testing.js';
import { corpusFingerprintOf, findLiveGeneration } from './generation.repository.js';
import type { AcceptedItem } from './ingest.repository.js';
import { findIngestion } from './ingestion-status.repository.js';
import { completeRefresh, failVersion, tombstoneItem } from './item-pipeline.repository.js';
import type { StageStart } from './item-stages.repository.js';
import { findSourceItem, findTombstone } from './source-item.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

describeOnPostgres('the stages of an item', (postgres) => {
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
  });

  const { query } = postgres;

  const start = (item: AcceptedItem, stage: 'extracting' | 'indexing'): Promise<StageStart> =>
    tenant.start(item, stage);

  const fail = (item: AcceptedItem): Promise<boolean> =>
    postgres.database.transaction((transaction) =>
      failVersion(transaction, tenant.job(item), new AppError('INTERNAL.UNEXPECTED', { message: 'no text in it' })),
    );

  async function stateOf(item: Pick<AcceptedItem, 'itemId' | 'version'>): Promise<ItemState | undefined> {
    const [row] = await query<{ state: ItemState }>(
      'SELECT state FROM item_versions WHERE item_id = $1 AND version = $2',
      [item.itemId, item.version],
    );
    return row?.state;
  }

  async function fingerprint(): Promise<string> {
    const generation = await postgres.database.read((manager) => findLiveGeneration(manager, tenant.id));
    if (!generation) throw new Error('no generation');
    return corpusFingerprintOf(generation);
  }

  it('takes pushed text into the index stage at once, and stores what was read of it with the commit that makes it live', async () => {
    const item = await tenant.acceptOne(buildDocument({ body: 'As pushed' }));
    const start = await tenant.start(item, 'indexing');
    expect(start).toMatchObject({ kind: 'proceed', version: { body: 'As pushed', text: null, blocks: null } });
    // Again after a crash: what was read is gone, what was pushed is there.
    expect(await tenant.start(item, 'indexing')).toMatchObject({ kind: 'proceed', version: { body: 'As pushed' } });
    const blocks = [{ kind: 'paragraph', start: 0, end: 7 }];
    const extraction = { text: 'As read', blocks, links: ['https://example.com/a'] };
    await tenant.complete(item, [], '', extraction);
    expect(await query('SELECT state, text, blocks FROM item_versions WHERE item_id = $1', [item.itemId])).toEqual([
      { state: 'indexed', text: 'As read', blocks },
    ]);
    expect(await query('SELECT kind, target FROM item_relations WHERE item_id = $1', [item.itemId])).toEqual([
      { kind: 'references', target: 'https://example.com/a' },
    ]);
  });

  it('does not take a file into the index stage before it was read', async () => {
    const { body: _body, mimeType: _mimeType, ...described } = buildDocument();
    const item = await tenant.acceptOne({
      ...described,
      file: { name: 'a.pdf', mediaType: 'application/pdf', bytes: Buffer.from('%PDF') },
    });
    expect(await tenant.start(item, 'indexing')).toEqual({ kind: 'skip', reason: 'already_done' });
  });

  it('go from accepted to indexed, visible at each step', async () => {
    const requestId = randomUuid();
    const item = await tenant.acceptOne(buildDocument(), requestId);
    const seen = async (): Promise<unknown> =>
      (await postgres.database.read((manager) => findIngestion(manager, serviceViewer(tenant.id), requestId)))?.items[0]
        ?.state;

    expect(await seen()).toBe('accepted');
    expect(await start(item, 'extracting')).toMatchObject({
      kind: 'proceed',
      head: { id: item.itemId },
      version: { version: 1, body: 'The release is on Monday.' },
    });
    expect(await seen()).toBe('extracting');
    const blocks = [{ kind: 'heading', level: 1, start: 0, end: 3 }];
    expect(await tenant.saveText(item, 'The text', blocks)).toBe(true);
    expect(await seen()).toBe('indexing');
    expect(await start(item, 'indexing')).toMatchObject({ kind: 'proceed', version: { text: 'The text', blocks } });
    const first = buildChunk('The text', { sectionPath: ['A', 'B'], headingText: 'B', level: 'section' });
    const second = buildChunk('text', { ordinal: 1, parentId: first.id, start: 4, end: 8 });
    expect(await tenant.complete(item, [first, second], 'another')).toEqual({
      kind: 'indexed',
      metadataChanged: true,
      revision: 1,
      previousVersion: null,
    });
    expect(await seen()).toBe('indexed');
    const details = await postgres.database.read((manager) => findSourceItem(manager, tenant.id, item.itemId));
    expect(details).toMatchObject({ item: { liveVersion: 1 }, chunkIds: [first.id, second.id] });
  });

  it('end as skipped for jobs that come late, twice or for nobody', async () => {
    const item = await tenant.acceptOne(buildDocument());
    await tenant.extract(item, 'text');
    expect(await start(item, 'extracting')).toEqual({ kind: 'skip', reason: 'already_done' });
    expect(await start(item, 'indexing')).toMatchObject({ kind: 'proceed' });
    // A run after a crash in the middle of the stage.
    expect(await start(item, 'indexing')).toMatchObject({ kind: 'proceed' });
    await tenant.complete(item, [buildChunk('text')]);
    expect(await start(item, 'extracting')).toEqual({ kind: 'skip', reason: 'already_done' });
    expect(await start(item, 'indexing')).toEqual({ kind: 'skip', reason: 'already_done' });
    expect(await start({ ...item, itemId: randomUuid() }, 'extracting')).toEqual({
      kind: 'skip',
      reason: 'unknown_item',
    });
    expect(await start({ ...item, version: 7 }, 'extracting')).toEqual({ kind: 'skip', reason: 'unknown_item' });
    const stranger = await TestTenant.create(postgres.database);
    expect(await stranger.start(item, 'indexing')).toEqual({ kind: 'skip', reason: 'unknown_item' });
  });

  it('complete once: the second time changes neither chunks nor corpus', async () => {
    const item = await tenant.acceptOne(buildDocument());
    await tenant.index(item);
    const before = await fingerprint();
    expect(await tenant.complete(item, [buildChunk('other')])).toMatchObject({
      kind: 'already_done',
      live: { version: 1 },
    });
    expect(await fingerprint()).toBe(before);
    expect(await query('SELECT 1 FROM chunks WHERE item_id = $1', [item.itemId])).toHaveLength(1);
  });

  it('end as superseded when there is a newer version', async () => {
    const document = buildDocument();
    const old = await tenant.acceptOne(document);
    const requestId = randomUuid();
    const item = await tenant.acceptOne({ ...document, body: 'newer' }, requestId);
    expect(await start(old, 'extracting')).toEqual({ kind: 'skip', reason: 'superseded' });
    expect(await stateOf(old)).toBe('superseded');
    await tenant.index(item, 'newer');
    expect(await stateOf(item)).toBe('indexed');
    expect(await stateOf(old)).toBe('superseded');
  });

  it('never take a newer version back: the old one finishes last', async () => {
    const document = buildDocument();
    const old = await tenant.acceptOne(document);
    await tenant.extract(old, 'old');
    const newer = await tenant.acceptOne({ ...document, body: 'newer' });
    await tenant.index(newer, 'newer');
    const before = await fingerprint();
    expect(await tenant.complete(old, [buildChunk('old')])).toMatchObject({
      kind: 'already_done',
      live: { version: 2, recordedAt: expect.any(Date) },
    });
    expect(await stateOf(old)).toBe('superseded');
    expect(await fingerprint()).toBe(before);
    const [head] = await query('SELECT live_version FROM source_items WHERE id = $1', [old.itemId]);
    expect(head).toEqual({ live_version: 2 });
  });

  it('date the end of a version by the start of the next', async () => {
    const document = buildDocument();
    const old = await tenant.add(document);
    const newer = await tenant.add({ ...document, body: 'newer' });
    const versions = await query<{ recorded_at: Date; superseded_at: Date | null; state: string }>(
      'SELECT recorded_at, superseded_at, state FROM item_versions WHERE item_id = $1 ORDER BY version',
      [old.itemId],
    );
    expect(versions[0]?.superseded_at).toEqual(versions[1]?.recorded_at);
    expect(versions[1]?.superseded_at).toBeNull();
    expect(versions.map((version) => version.state)).toEqual(['indexed', 'indexed']);
    expect(newer.version).toBe(2);
  });

  it.each<[ItemState, (item: AcceptedItem) => Promise<unknown>]>([
    ['failed', (item) => fail(item)],
    ['indexed', (item) => tenant.complete(item, [buildChunk('text')])],
    ['superseded', (item) => tenant.tombstone(item.itemId)],
  ])('are never left once the state is %s', async (state, enter) => {
    const requestId = randomUuid();
    const item = await tenant.acceptOne(buildDocument(), requestId);
    await tenant.extract(item, 'text');
    await enter(item);
    expect(await stateOf(item)).toBe(state);

    await start(item, 'extracting');
    await start(item, 'indexing');
    expect(await tenant.saveText(item, 'late')).toBe(false);
    await tenant.complete(item, [buildChunk('late')]);
    expect(await fail(item)).toBe(false);

    expect(await stateOf(item)).toBe(state);
    const [version] = await query('SELECT text FROM item_versions WHERE item_id = $1', [item.itemId]);
    expect(version).toEqual({ text: 'text' });
    const ingestion = await postgres.database.read((manager) =>
      findIngestion(manager, serviceViewer(tenant.id), requestId),
    );
    expect(ingestion?.items[0]?.state).toBe(state);
  });

  it('keep the error of a failure where the request can see it', async () => {
    const requestId = randomUuid();
    const item = await tenant.acceptOne(buildDocument(), requestId);
    expect(await fail(item)).toBe(true);
    expect(await fail(item)).toBe(false);
    const ingestion = await postgres.database.read((manager) =>
      findIngestion(manager, serviceViewer(tenant.id), requestId),
    );
    expect(ingestion?.items[0]).toMatchObject({
      state: 'failed',
      error: { type: 'INTERNAL.UNEXPECTED', message: 'no text in it' },
    });
    const stranger = await TestTenant.create(postgres.database);
    expect(
      await postgres.database.read((manager) => findIngestion(manager, serviceViewer(stranger.id), requestId)),
    ).toBeNull();
  });

  it('notice a delete that came meanwhile, before, between and after the stages', async () => {
    const early = await tenant.acceptOne(buildDocument());
    await tenant.tombstone(early.itemId);
    expect(await start(early, 'extracting')).toEqual({ kind: 'skip', reason: 'deleted' });

    const extracting = await tenant.acceptOne(buildDocument());
    await start(extracting, 'extracting');
    await tenant.tombstone(extracting.itemId);
    await tenant.purge(extracting);
    // The extractor still ran: nothing of the content may come back.
    expect(await tenant.saveText(extracting, 'secret')).toBe(false);
    expect(await query('SELECT text, body FROM item_versions WHERE item_id = $1', [extracting.itemId])).toEqual([
      { text: null, body: null },
    ]);

    const indexing = await tenant.acceptOne(buildDocument());
    await tenant.extract(indexing, 'text');
    await tenant.tombstone(indexing.itemId);
    const before = await fingerprint();
    expect(await tenant.complete(indexing, [buildChunk('text')])).toEqual({ kind: 'deleted' });
    expect(await query('SELECT 1 FROM chunks WHERE item_id = $1', [indexing.itemId])).toEqual([]);
    expect(await fingerprint()).toBe(before);
  });

  it('flag metadata that changed while the version was being indexed', async () => {
    const document = buildDocument();
    const item = await tenant.acceptOne(document);
    const started = await start(item, 'extracting');
    if (started.kind !== 'proceed') throw new Error(started.reason);
    await tenant.saveText(item, 'text');
    await tenant.acceptOne({ ...document, tags: ['new'] });
    const completion = await tenant.complete(item, [buildChunk('text')], started.head.metadataHash);
    expect(completion).toMatchObject({ kind: 'indexed', metadataChanged: true, revision: 2 });

    const quiet = await tenant.acceptOne(buildDocument());
    await tenant.extract(quiet, 'text');
    const [head] = await query<{ metadata_hash: string }>('SELECT metadata_hash FROM source_items WHERE id = $1', [
      quiet.itemId,
    ]);
    expect(await tenant.complete(quiet, [buildChunk('text')], head?.metadata_hash)).toMatchObject({
      metadataChanged: false,
    });
  });

  it('end a refresh for the request that asked, and for no other', async () => {
    const document = buildDocument();
    await tenant.add(document);
    const [first, second] = [randomUuid(), randomUuid()];
    const item = await tenant.acceptOne({ ...document, tags: ['x'] }, first);
    await tenant.acceptOne({ ...document, tags: ['y'] }, second);
    await postgres.database.transaction((transaction) =>
      completeRefresh(transaction, { ...tenant.job(item), requestId: first as never }),
    );
    const states = await Promise.all(
      [first, second].map((id) =>
        postgres.database.read((manager) => findIngestion(manager, serviceViewer(tenant.id), id)),
      ),
    );
    expect(states.map((ingestion) => ingestion?.items[0]?.state)).toEqual(['indexed', 'accepted']);
  });

  describe('the corpus fingerprint', () => {
    it('does not depend on the order of changes, and is back at the start after deletes', async () => {
      const empty = await fingerprint();
      const items = await Promise.all(['a', 'b', 'c'].map((body) => tenant.acceptOne(buildDocument({ body }))));
      const seen = new Set([empty]);
      for (const item of items) {
        await tenant.index(item);
        seen.add(await fingerprint());
      }
      const full = await fingerprint();
      expect(seen.size).toBe(4);

      // The same corpus built in the other order, in a generation of another name.
      const terms = await query<{ corpus_sum: string }>('SELECT corpus_sum FROM generations WHERE id = $1', [
        tenant.generationId,
      ]);
      await query('UPDATE generations SET corpus_sum = 0, item_count = 0 WHERE id = $1', [tenant.generationId]);
      await query(`UPDATE item_versions SET state = 'indexing' WHERE tenant_id = $1`, [tenant.id]);
      await query('UPDATE source_items SET live_version = NULL WHERE tenant_id = $1', [tenant.id]);
      await Promise.all([...items].reverse().map((item) => tenant.complete(item, [])));
      expect(await fingerprint()).toBe(full);
      expect(terms[0]?.corpus_sum).toMatch(/^\d+$/);

      for (const item of items) {
        await tenant.tombstone(item.itemId);
        expect(await tenant.purge(item)).toBe(true);
      }
      expect(await fingerprint()).toBe(empty);
    });

    it('replaces a version by its successor', async () => {
      const document = buildDocument();
      await tenant.add(document);
      const first = await fingerprint();
      const second = await tenant.add({ ...document, body: 'newer' });
      expect(await fingerprint()).not.toBe(first);
      const [generation] = await query<{ item_count: number }>('SELECT item_count FROM generations WHERE id = $1', [
        tenant.generationId,
      ]);
      expect(generation?.item_count).toBe(1);
      await tenant.tombstone(second.itemId);
      await tenant.purge(second);
      const [after] = await query('SELECT item_count, corpus_sum FROM generations WHERE id = $1', [
        tenant.generationId,
      ]);
      expect(after).toEqual({ item_count: 0, corpus_sum: '0' });
    });
  });

  describe('deleting', () => {
    it('hides at once, keeps the tombstone, and removes all content in the end', async () => {
      const document = buildDocument({
        title: 'Planted title',
        body: 'Planted body',
        authorName: 'Planted author',
        url: 'https://planted.example/',
        tags: ['planted'],
        metadata: { planted: true },
        accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:planted@x.org'] },
      });
      const item = await tenant.add(document);
      await tenant.add({ ...document, body: 'Planted body 2' });
      const deleted = await postgres.database.transaction((transaction) =>
        tombstoneItem(transaction, tenant.id, item.itemId),
      );
      expect(deleted).toMatchObject({ deletedAt: expect.any(Date), purgedAt: null, revision: 3 });
      expect(await postgres.database.read((manager) => findSourceItem(manager, tenant.id, item.itemId))).toBeNull();
      expect(
        await postgres.database.transaction((transaction) => tombstoneItem(transaction, tenant.id, item.itemId)),
      ).toBeNull();

      expect(await tenant.purge(item)).toBe(true);
      expect(await tenant.purge(item)).toBe(false);
      const tombstone = await postgres.database.read((manager) => findTombstone(manager, tenant.id, item.itemId));
      expect(tombstone).toMatchObject({ purgedAt: expect.any(Date), liveVersion: null });
      const dump = await Promise.all([
        query('SELECT * FROM source_items WHERE id = $1', [item.itemId]),
        query('SELECT * FROM item_versions WHERE item_id = $1', [item.itemId]),
        query('SELECT * FROM chunks WHERE item_id = $1', [item.itemId]),
        query('SELECT * FROM collection_items WHERE item_id = $1', [item.itemId]),
      ]);
      expect(JSON.stringify(dump).toLowerCase()).not.toContain('planted');
      expect(dump[1]).toHaveLength(2);
      expect(dump[2]).toEqual([]);
    });

    it('is refused for a living item, another tenant and an unknown one', async () => {
      const item = await tenant.add(buildDocument());
      const stranger = await TestTenant.create(postgres.database);
      expect(await tenant.purge(item)).toBe(false);
      await stranger.tombstone(item.itemId);
      expect(await postgres.database.read((manager) => findSourceItem(manager, tenant.id, item.itemId))).not.toBeNull();
      await tenant.tombstone(item.itemId);
      expect(await stranger.purge(item)).toBe(false);
      expect(await tenant.purge({ itemId: randomUuid(), version: 1 })).toBe(false);
    });
  });
});
