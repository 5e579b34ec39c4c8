import { beforeEach, expect, it } from '@jest/globals';
import type { ItemState } from '@candor/contracts';
import { buildChunk, buildDocument, TestTenant } from '../testing.js';
import type { AcceptedItem } from './ingest.repository.js';
import { completeIndexings } from './item-completion.repository.js';
import { loadVersion, saveExtractions, startStages } from './item-stages.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

describeOnPostgres('the stages of many items at once', (postgres) => {
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
  });

  const { query } = postgres;

  async function stateOf(item: Pick<AcceptedItem, 'itemId' | 'version'>): Promise<ItemState | undefined> {
    const [row] = await query<{ state: ItemState }>(
      'SELECT state FROM item_versions WHERE item_id = $1 AND version = $2',
      [item.itemId, item.version],
    );
    return row?.state;
  }

  it('bring their content along, unless it is large', async () => {
    const large = 'a large text '.repeat(20_000);
    const item = await tenant.acceptOne(buildDocument({ body: large }));
    expect(await tenant.start(item, 'extracting')).toMatchObject({ hasContent: false, version: { body: null } });
    await tenant.saveText(item, large);
    expect(await tenant.start(item, 'indexing')).toMatchObject({
      hasContent: false,
      version: { text: null, blocks: null },
    });
    const load = (of: TestTenant): Promise<unknown> =>
      postgres.database.read((manager) => loadVersion(manager, of.job(item)));
    expect(await load(tenant)).toMatchObject({ text: large, body: large });
    expect(await load(await TestTenant.create(postgres.database))).toBeNull();
    const small = await tenant.acceptOne(buildDocument());
    expect(await tenant.start(small, 'extracting')).toMatchObject({
      hasContent: true,
      version: { body: 'The release is on Monday.' },
    });
  });

  it('get each its own answer, in order, whatever the others are', async () => {
    const [fresh, known, gone, old] = await Promise.all([1, 2, 3, 4].map(() => tenant.acceptOne(buildDocument())));
    if (!fresh || !known || !gone || !old) throw new Error('no items');
    await tenant.index(known);
    await tenant.tombstone(gone.itemId);
    await query('UPDATE source_items SET latest_version = 2 WHERE id = $1', [old.itemId]);
    const stranger = await TestTenant.create(postgres.database);
    const jobs = [tenant.job(old), tenant.job(gone), stranger.job(fresh), tenant.job(known), tenant.job(fresh)];
    const starts = await postgres.database.transaction((transaction) => startStages(transaction, jobs, 'extracting'));
    expect(starts).toMatchObject([
      { kind: 'skip', reason: 'superseded' },
      { kind: 'skip', reason: 'deleted' },
      { kind: 'skip', reason: 'unknown_item' },
      { kind: 'skip', reason: 'already_done' },
      { kind: 'proceed', head: { id: fresh.itemId } },
    ]);
    expect(await Promise.all([old, known, fresh].map(stateOf))).toEqual(['superseded', 'indexed', 'extracting']);

    const extractions = [known, fresh, gone].map((item) => ({ job: tenant.job(item), text: 'new', blocks: [] }));
    expect(await postgres.database.transaction((transaction) => saveExtractions(transaction, extractions))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('complete two versions of one item and twins of one job as if one after the other', async () => {
    const document = buildDocument();
    const first = await tenant.acceptOne(document);
    await tenant.extract(first, 'first');
    const second = await tenant.acceptOne({ ...document, body: 'second' });
    await tenant.extract(second, 'second');
    const other = await tenant.acceptOne(buildDocument());
    await tenant.extract(other, 'other');
    const entryOf = (item: AcceptedItem): Parameters<typeof completeIndexings>[1][number] => ({
      job: tenant.job(item),
      chunks: [buildChunk('x')],
      metadataHash: '',
      generationIds: [tenant.generationId],
    });
    const completions = await postgres.database.transaction((transaction) =>
      completeIndexings(transaction, [first, other, second, other].map(entryOf)),
    );
    expect(completions).toMatchObject([
      { kind: 'indexed', previousVersion: null },
      { kind: 'indexed', previousVersion: null },
      { kind: 'indexed', previousVersion: 1 },
      { kind: 'already_done', live: { version: 1 } },
    ]);
    const [generation] = await query('SELECT item_count FROM generations WHERE id = $1', [tenant.generationId]);
    expect(generation).toEqual({ item_count: 2 });
    for (const item of [second, other]) {
      await tenant.tombstone(item.itemId);
      await tenant.purge(item);
    }
    const [empty] = await query('SELECT item_count, corpus_sum FROM generations WHERE id = $1', [tenant.generationId]);
    expect(empty).toEqual({ item_count: 0, corpus_sum: '0' });
  });
});
