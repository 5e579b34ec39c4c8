import { beforeAll, expect, it } from '@jest/globals';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { buildDocument, TestTenant } from '../testing.js';
import { saveExtractions } from './item-stages.repository.js';

describeOnPostgres('declared relations', (postgres) => {
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await TestTenant.create(postgres.database);
  });
  const relationsOf = async (itemId: string): Promise<string[]> =>
    (
      await postgres.query<{ version: number; kind: string; target: string }>(
        'SELECT version, kind, target FROM item_relations WHERE tenant_id = $1 AND item_id = $2 ORDER BY 1, 2, 3',
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

  it('are gone with the item', async () => {
    const item = await tenant.add(buildDocument({ supersedes: ['gone'] }));
    const other = await tenant.add(buildDocument({ supersedes: ['kept'] }));
    await tenant.tombstone(item.itemId);
    await tenant.purge(item);
    expect(await relationsOf(item.itemId)).toEqual([]);
    expect(await relationsOf(other.itemId)).toEqual(['1 supersedes kept']);
  });
});
