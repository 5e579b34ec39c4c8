import { beforeEach, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import type { IngestDocument } from '@candor/contracts';
import { buildDocument, TestTenant } from '../testing.js';
import {
  addCollectionItems,
  filterVisibleItems,
  listCollectionItems,
  removeCollectionItems,
  type LibraryViewer,
} from './collection-item.repository.js';
import {
  deleteCollection,
  escapeLike,
  findCollection,
  findMissingCollections,
  insertCollection,
  listCollections,
  updateCollection,
  type CollectionRow,
} from './collection.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { insertPrompt } from './prompt.repository.js';

describeOnPostgres('collections', (postgres) => {
  let tenant: TestTenant;
  let everything: LibraryViewer;

  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
    everything = { tenantId: tenant.id, providers: null, principals: null, prompts: true };
  });

  const make = (name: string, description?: string): Promise<CollectionRow> =>
    postgres.database.transaction((transaction) =>
      insertCollection(transaction, tenant.id, { name, ...(description === undefined ? {} : { description }) }),
    );
  const add = (collectionId: string, itemIds: string[]): Promise<number> =>
    postgres.database.transaction((transaction) => addCollectionItems(transaction, tenant.id, collectionId, itemIds));
  const find = (viewer: LibraryViewer, id: string): Promise<CollectionRow | null> =>
    postgres.database.read((manager) => findCollection(manager, viewer, id));
  const put = async (fields: Partial<IngestDocument>): Promise<string> =>
    (await tenant.acceptOne(buildDocument(fields))).itemId;

  it('are made, read, changed and deleted within their tenant', async () => {
    const stranger = await TestTenant.create(postgres.database);
    const { id } = await make('Plans', 'What is planned');
    expect(await find(everything, id)).toMatchObject({
      name: 'Plans',
      description: 'What is planned',
      color: null,
      icon: null,
      tags: [],
      itemCount: 0,
    });
    expect(await find({ ...everything, tenantId: stranger.id }, id)).toBeNull();
    const change = (tenantId: string): Promise<boolean> =>
      postgres.database.transaction((transaction) =>
        updateCollection(transaction, tenantId, id, { description: null, tags: ['a'] }),
      );
    expect(await change(stranger.id)).toBe(false);
    expect(await change(tenant.id)).toBe(true);
    expect(await find(everything, id)).toMatchObject({ name: 'Plans', description: null, tags: ['a'] });
    expect(await postgres.database.read((manager) => findMissingCollections(manager, stranger.id, [id]))).toEqual(
      new Set([id]),
    );
    expect(await postgres.database.read((manager) => findMissingCollections(manager, tenant.id, [id]))).toEqual(
      new Set(),
    );

    const remove = (tenantId: string): Promise<boolean> =>
      postgres.database.transaction((transaction) => deleteCollection(transaction, tenantId, id));
    expect(await remove(stranger.id)).toBe(false);
    await add(id, [await put({})]);
    expect(await remove(tenant.id)).toBe(true);
    expect(await remove(tenant.id)).toBe(false);
  });

  it('count and show only what the viewer may see', async () => {
    const { id } = await make('Mixed');
    const items = {
      open: await put({ accessPolicy: { provider: 'slack', mode: 'provider_scope' } }),
      mine: await put({ accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:a@x.org'] } }),
      theirs: await put({ accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:b@x.org'] } }),
      anyone: await put({ accessPolicy: { provider: 'slack', mode: 'acl', principals: ['anyone'] } }),
      nobody: await put({ accessPolicy: { provider: 'slack', mode: 'acl' } }),
      unknown: await put({}),
      notion: await put({ provider: 'notion', accessPolicy: { provider: 'notion', mode: 'provider_scope' } }),
      deleted: await put({ accessPolicy: { provider: 'slack', mode: 'provider_scope' } }),
    };
    await add(id, Object.values(items));
    await tenant.tombstone(items.deleted);

    const viewers: [LibraryViewer, (keyof typeof items)[]][] = [
      [everything, ['open', 'mine', 'theirs', 'anyone', 'nobody', 'unknown', 'notion']],
      [{ ...everything, providers: ['slack'] }, ['open', 'mine', 'theirs', 'anyone', 'nobody', 'unknown']],
      [{ ...everything, providers: [] }, []],
      [{ ...everything, principals: ['user:a@x.org'] }, ['open', 'mine', 'anyone', 'notion']],
      [{ ...everything, principals: [] }, ['open', 'anyone', 'notion']],
      [{ ...everything, principals: ['user:a@x.org'], providers: ['slack'] }, ['open', 'mine', 'anyone']],
    ];
    for (const [viewer, names] of viewers) {
      const expected = names.map((name) => items[name]).sort();
      expect((await find(viewer, id))?.itemCount).toBe(expected.length);
      const page = await postgres.database.read((manager) => listCollectionItems(manager, viewer, id, { limit: 50 }));
      expect(page.rows.map((row) => row.itemId).sort()).toEqual(expected);
      const visible = await postgres.database.read((manager) =>
        filterVisibleItems(manager, viewer, Object.values(items)),
      );
      expect([...visible].sort()).toEqual(expected);
    }
  });

  it('hold prompts beside documents, for who may use prompts', async () => {
    const { id } = await make('Mixed');
    const documentId = await put({ title: 'Plan' });
    const prompt = await postgres.database.transaction((transaction) =>
      insertPrompt(transaction, tenant.id, { apiKeyId: randomUuid(), name: 'K' }, { title: 'Ask', content: 'Ask.' }),
    );
    await add(id, [documentId]);
    const tell = (change: typeof addCollectionItems, ids: string[]): Promise<number> =>
      postgres.database.transaction((transaction) => change(transaction, tenant.id, id, ids, 'prompt'));
    expect(await tell(addCollectionItems, [prompt.id])).toBe(1);
    expect(await tell(addCollectionItems, [prompt.id])).toBe(0);
    const show = async (viewer: LibraryViewer) => {
      const page = await postgres.database.read((manager) => listCollectionItems(manager, viewer, id, { limit: 50 }));
      return page.rows.map(({ itemType, title }) => `${itemType} ${title}`).sort();
    };
    expect(await show(everything)).toEqual(['document Plan', 'prompt Ask']);
    expect((await find(everything, id))?.itemCount).toBe(2);
    const withoutPrompts = { ...everything, prompts: false };
    expect(await show(withoutPrompts)).toEqual(['document Plan']);
    expect((await find(withoutPrompts, id))?.itemCount).toBe(1);
    // The type is part of what is taken out.
    expect(await tell(removeCollectionItems, [documentId])).toBe(0);
    expect(await tell(removeCollectionItems, [prompt.id])).toBe(1);
    expect(await show(everything)).toEqual(['document Plan']);
  });

  it('are filtered by tags: all of them', async () => {
    const { id } = await make('Tagged');
    await make('Other');
    await postgres.database.transaction((transaction) =>
      updateCollection(transaction, tenant.id, id, { tags: ['a', 'b'] }),
    );
    const tagged = async (tags: string[]): Promise<string[]> =>
      (await postgres.database.read((manager) => listCollections(manager, everything, { tags, limit: 20 }))).rows.map(
        (row) => row.name,
      );
    expect(await tagged(['b', 'a'])).toEqual(['Tagged']);
    expect(await tagged(['a', 'c'])).toEqual([]);
    expect(await tagged([])).toEqual(['Tagged', 'Other']);
  });

  it('take many items from several callers at once, in whatever order: each once, no deadlock', async () => {
    const { id } = await make('Members');
    const ids = Array.from({ length: 2_000 }, () => randomUuid());
    const added = await Promise.all([ids, [...ids].reverse(), ids, [...ids].reverse()].map((order) => add(id, order)));
    expect(added.reduce((sum, count) => sum + count, 0)).toBe(2_000);
  });

  it('take items in once, and out again', async () => {
    const { id } = await make('Members');
    const ids = await Promise.all([1, 2, 3, 4, 5, 6].map(() => put({})));
    expect(await add(id, ids)).toBe(6);
    expect(await add(id, ids)).toBe(0);
    expect((await find(everything, id))?.itemCount).toBe(6);
    const remove = (tenantId: string, itemIds: string[]): Promise<number> =>
      postgres.database.transaction((transaction) => removeCollectionItems(transaction, tenantId, id, itemIds));
    expect(await remove(randomUuid(), ids)).toBe(0);
    expect(await remove(tenant.id, [...ids.slice(0, 2), randomUuid()])).toBe(2);
    expect(await remove(tenant.id, ids.slice(0, 2))).toBe(0);
    expect((await find(everything, id))?.itemCount).toBe(4);
  });

  it('are searched for literally', async () => {
    for (const name of ['100% done', '100 done', 'a_b', 'aXb', 'back\\slash', 'Größe'])
      await make(name, `about ${name}`);
    const search = async (text: string): Promise<string[]> =>
      (
        await postgres.database.read((manager) => listCollections(manager, everything, { search: text, limit: 20 }))
      ).rows.map((row) => row.name);
    expect(await search('100%')).toEqual(['100% done']);
    expect(await search('A_B')).toEqual(['a_b']);
    expect(await search('\\')).toEqual(['back\\slash']);
    expect(await search('about a')).toEqual(['a_b', 'aXb']);
    expect(await search(`'; DROP TABLE collections; --`)).toEqual([]);
    expect(escapeLike('50%_\\')).toBe('50\\%\\_\\\\');
  });

  it('are paged without a gap or a repetition when many have the same time', async () => {
    const collections = await postgres.database.transaction(async (transaction) => {
      const made: CollectionRow[] = [];
      for (let count = 0; count < 7; count += 1)
        made.push(await insertCollection(transaction, tenant.id, { name: `c${count}` }));
      return made;
    });
    expect(new Set(collections.map((collection) => collection.createdAt.getTime())).size).toBe(1);
    const ids = await Promise.all([1, 2, 3, 4, 5, 6, 7].map(() => put({})));
    const { id } = await make('Members');
    await add(id, ids);

    const listed = await pages((cursor) =>
      postgres.database.read((manager) => listCollections(manager, everything, { limit: 3, cursor })),
    );
    expect(listed.map((row) => row.id)).toEqual([...collections.map((collection) => collection.id).sort(), id]);
    const members = await pages((cursor) =>
      postgres.database.read((manager) => listCollectionItems(manager, everything, id, { limit: 2, cursor })),
    );
    expect(members.map((row) => row.itemId)).toEqual([...ids].sort());
  });

  async function pages<Row>(
    read: (cursor: string | undefined) => Promise<{ rows: Row[]; cursor: string | null; hasMore: boolean }>,
  ): Promise<Row[]> {
    const rows: Row[] = [];
    let cursor: string | undefined;
    for (let hasMore = true; hasMore;) {
      const page = await read(cursor);
      rows.push(...page.rows);
      hasMore = page.hasMore;
      cursor = page.cursor ?? undefined;
    }
    return rows;
  }
});
