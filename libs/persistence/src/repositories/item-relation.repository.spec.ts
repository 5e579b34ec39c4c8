import { beforeAll, expect, it } from '@jest/globals';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { buildDocument, TestTenant } from '../testing.js';
import type { Transaction } from '../database.js';
import { saveRelations } from './item-relation.repository.js';
import { saveExtractions } from './item-stages.repository.js';

describeOnPostgres('declared relations', (postgres) => {
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await TestTenant.create(postgres.database);
  });
  const relationsOf = async (itemId: string): Promise<string[]> =>
    (
      await postgres.query<{ version: number; kind: string; target: string }>(
        `SELECT version, kind, target FROM item_relations
         WHERE tenant_id = $1 AND item_id = $2 AND known_until IS NULL ORDER BY 1, 2, 3`,
        [tenant.id, itemId],
      )
    ).map(({ version, kind, target }) => `${version} ${kind} ${target}`);

  it('are kept by version from the moment an item is accepted', async () => {
    const document = buildDocument({ supersedes: ['old'], metadata: { status: 'Draft', threadId: 't1' } });
    const { itemId } = await tenant.acceptOne(document);
    const first = ['1 same_thread t1', '1 status draft', '1 supersedes old'];
    expect(await relationsOf(itemId)).toEqual(first);
    await tenant.acceptOne({ ...document, body: 'Another text.', supersedes: ['older'] });
    expect(await relationsOf(itemId)).toEqual([...first, '2 same_thread t1', '2 status draft', '2 supersedes older']);
  });

  it('follow the metadata of a version, and keep what its text refers to', async () => {
    const document = buildDocument({ metadata: { status: 'draft' } });
    const item = await tenant.acceptOne(document);
    await tenant.start(item, 'extracting');
    const save = (links: string[]) =>
      postgres.database.transaction((transaction) =>
        saveExtractions(transaction, [{ job: tenant.job(item), text: 'text', blocks: [], links }]),
      );
    expect(await save(['https://x.example/a'])).toEqual([true]);
    // The version has left its stage: nothing is stored twice, or late.
    expect(await save(['https://x.example/late'])).toEqual([false]);
    await tenant.acceptOne({ ...document, metadata: { status: 'approved' } });
    expect(await relationsOf(item.itemId)).toEqual(['1 references https://x.example/a', '1 status approved']);
    await tenant.acceptOne({ ...document, metadata: { status: 'approved' } });
    expect(await relationsOf(item.itemId)).toHaveLength(2);
  });

  it('keep until when a version said what it no longer says, and since when it says it again', async () => {
    const document = buildDocument({ supersedes: ['old'], metadata: { status: 'draft' } });
    const { itemId } = await tenant.acceptOne(document);
    await tenant.acceptOne({ ...document, supersedes: [] });
    await tenant.acceptOne(document);
    const times = await postgres.query<{ kind: string; known_from: Date; known_until: Date | null }>(
      `SELECT kind, known_from, known_until FROM item_relations WHERE item_id = $1 ORDER BY kind, known_from`,
      [itemId],
    );
    expect(times.map(({ kind, known_until: until }) => [kind, until !== null])).toEqual([
      ['status', false],
      ['supersedes', true],
      ['supersedes', false],
    ]);
    const [, first, second] = times;
    expect(first?.known_until?.getTime()).toBeGreaterThan(first?.known_from.getTime() ?? 0);
    expect(second?.known_from.getTime()).toBeGreaterThan(first?.known_until?.getTime() ?? 0);
  });

  it('have no times that overlap when a transaction that began earlier comes later', async () => {
    const document = buildDocument({ metadata: { status: 'draft' } });
    const { itemId } = await tenant.acceptOne(document);
    const version = { tenantId: tenant.id, itemId, version: 1, isNew: false };
    const say = (transaction: Transaction, target: string) =>
      saveRelations(transaction, [{ ...version, relations: [{ kind: 'status', target }] }]);
    await postgres.database.transaction(async (early) => {
      await early.query('SELECT now()');
      await postgres.database.transaction((late) => say(late, 'approved'));
      await say(early, 'active');
    });
    const rows = await postgres.query<{ target: string; known_until: Date | null }>(
      'SELECT target, known_until FROM item_relations WHERE item_id = $1 ORDER BY known_from',
      [itemId],
    );
    expect(rows.map(({ target, known_until: until }) => [target, until === null])).toEqual([
      ['draft', false],
      ['active', true],
    ]);
  });

  it('are gone with the item', async () => {
    const item = await tenant.add(buildDocument({ supersedes: ['gone'] }));
    const other = await tenant.add(buildDocument({ supersedes: ['kept'] }));
    await tenant.tombstone(item.itemId);
    await tenant.purge(item);
    expect(await relationsOf(item.itemId)).toEqual([]);
    expect(await relationsOf(other.itemId)).toEqual(['1 supersedes kept']);
  });
});
