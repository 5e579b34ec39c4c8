import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  addCollectionItemsRoute,
  createCollectionRoute,
  createPromptRoute,
  deleteCollectionRoute,
  getCollectionRoute,
  listCollectionItemsRoute,
  listCollectionsRoute,
  removeCollectionItemsRoute,
  searchRoute,
  updateCollectionRoute,
  type Collection,
} from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';
import { expectError } from '../../harness/expect-error.js';
import { ingest } from '../../harness/ingest.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const QUERY = 'Which bell rings in the chapel of Uvdal?';
const NOT_FOUND = { status: 404, type: 'RESOURCE.NOT_FOUND', message: 'There is no such collection.' } as const;

/** Named sets of items, and searches inside of them. */
export function describeCollections(world: WorldOf): void {
  describe('collections', () => {
    let client: ApiClient;
    let ids: string[];
    beforeAll(async () => {
      client = (await createTenant(world(), 'Collections')).admin;
      ids = await ingest(
        client,
        ['small', 'large', 'cracked'].map((bell) => ({
          externalId: bell,
          title: `Bell: ${bell}`,
          body: `The ${bell} bell rings in the chapel of Uvdal.`,
          accessPolicy:
            bell === 'cracked'
              ? { provider: 'slack', mode: 'acl', principals: ['user:sexton@uvdal.example'] }
              : { provider: 'slack', mode: 'provider_scope' },
        })),
      );
    });

    const create = async (fields: { name: string; tags?: string[] }): Promise<Collection> =>
      (await client.call(createCollectionRoute, { body: fields })).data;
    const find = async (collectionId: string): Promise<string[]> => {
      const { hits } = await client.call(searchRoute, { body: { query: QUERY, collectionId } });
      return hits.map((hit) => hit.sourceItemId).sort();
    };

    it('are created, read, changed and deleted', async () => {
      const { data } = await client.call(createCollectionRoute, {
        body: { name: ' Bells ', description: 'All of them', color: '#aabbcc', icon: '🔔', tags: ['a', 'b'] },
      });
      expect(data).toEqual({
        id: expect.any(String),
        name: 'Bells',
        description: 'All of them',
        color: '#aabbcc',
        icon: '🔔',
        itemCount: 0,
        tags: ['a', 'b'],
      });
      const params = { id: data.id };
      expect((await client.call(getCollectionRoute, { params })).data).toEqual(data);
      const changed = await client.call(updateCollectionRoute, { params, body: { description: null, tags: [] } });
      expect(changed.data).toEqual({ ...data, description: null, tags: [] });
      expect((await client.exchange(deleteCollectionRoute, { params })).text).toBe('');
      for (const method of ['GET', 'DELETE'])
        expectError(await client.send(method, `/v1/collections/${data.id}`), NOT_FOUND);
      expectError(await client.send('PATCH', `/v1/collections/${data.id}`, { body: { name: 'x' } }), NOT_FOUND);
      expectError(await client.get(`/v1/collections/${data.id}/items`), NOT_FOUND);
    });

    it('take items once and give them back', async () => {
      const { id } = await create({ name: 'Members' });
      const members = async () => (await client.call(listCollectionItemsRoute, { params: { id } })).data;
      const add = (itemIds: string[]) =>
        client.call(addCollectionItemsRoute, { params: { id }, body: { itemIds, itemType: 'document' } });
      expect((await add(ids.slice(0, 2))).data).toEqual({ added: 2, alreadyInCollection: 0 });
      expect((await add([...ids, ids[0] ?? ''])).data).toEqual({ added: 1, alreadyInCollection: 2 });
      expect((await members()).map((item) => [item.itemId, item.itemType]).sort()).toEqual(
        ids.map((itemId) => [itemId, 'document']).sort(),
      );
      expect((await client.call(getCollectionRoute, { params: { id } })).data.itemCount).toBe(3);
      const removed = await client.call(removeCollectionItemsRoute, {
        params: { id },
        body: { itemIds: [ids[0] ?? '', '6c7cfa0e-3f63-4bb5-8a0d-6e1b4a9c2d11'] },
      });
      expect(removed.data).toEqual({ removed: 1 });
      expect((await members()).map((item) => item.itemId).sort()).toEqual(ids.slice(1).sort());
    });

    it('scope a search to their members, from the moment of membership on', async () => {
      const { id } = await create({ name: 'Scope' });
      expect(await find(id)).toEqual([]);
      const body = { itemIds: [ids[1] ?? ''] };
      await client.call(addCollectionItemsRoute, { params: { id }, body });
      expect(await find(id)).toEqual([ids[1]]);
      await client.call(removeCollectionItemsRoute, { params: { id }, body });
      expect(await find(id)).toEqual([]);
    });

    it('take all items of a call or none', async () => {
      const { id } = await create({ name: 'Whole' });
      const unknown = '6c7cfa0e-3f63-4bb5-8a0d-6e1b4a9c2d11';
      expectError(await client.post(`/v1/collections/${id}/items`, { itemIds: [ids[0], unknown] }), {
        status: 404,
        type: 'RESOURCE.NOT_FOUND',
        message: 'itemIds[1] is no document that this key can see.',
        field: 'itemIds[1]',
      });
      expect((await client.call(getCollectionRoute, { params: { id } })).data.itemCount).toBe(0);
    });

    it('show and count for each caller what that caller may see', async () => {
      const { id } = await create({ name: 'Mixed' });
      await client.call(addCollectionItemsRoute, { params: { id }, body: { itemIds: ids } });
      const { client: guest } = await createKey(client, {
        allowedActions: ['collections:*'],
        principals: ['user:guest@uvdal.example'],
      });
      expect((await guest.call(getCollectionRoute, { params: { id } })).data.itemCount).toBe(2);
      const { data } = await guest.call(listCollectionItemsRoute, { params: { id } });
      expect(data.map((item) => item.itemId).sort()).toEqual(ids.slice(0, 2).sort());
      expectError(await guest.post(`/v1/collections/${id}/items`, { itemIds: [ids[2]] }), {
        status: 404,
        type: 'RESOURCE.NOT_FOUND',
      });
      const removed = await guest.call(removeCollectionItemsRoute, {
        params: { id },
        body: { itemIds: [ids[2] ?? ''] },
      });
      expect(removed.data).toEqual({ removed: 0 });
    });

    it('are listed in pages and found by name, metacharacters taken literally', async () => {
      for (const name of ['100% wool', '100 wool', 'under_score', 'underXscore', 'back\\slash']) await create({ name });
      const search = async (text: string): Promise<string[]> =>
        (await client.call(listCollectionsRoute, { query: { search: text } })).data.map(({ name }) => name);
      expect(await search('100%')).toEqual(['100% wool']);
      expect(await search('under_')).toEqual(['under_score']);
      expect(await search('K\\S')).toEqual(['back\\slash']);
      expect(await search("'; DROP TABLE collections; --")).toEqual([]);
      const names: string[] = [];
      let cursor: string | null = null;
      do {
        const page: { data: Collection[]; pagination: { cursor: string | null } } = await client.call(
          listCollectionsRoute,
          { query: { limit: 2, ...(cursor === null ? {} : { cursor }) } },
        );
        names.push(...page.data.map(({ name }) => name));
        cursor = page.pagination.cursor;
      } while (cursor !== null);
      const all = await client.call(listCollectionsRoute, { query: { limit: 100 } });
      expect(names).toEqual(all.data.map(({ name }) => name));
    });

    it('hold prompts too, for keys that may use prompts', async () => {
      const { id } = await create({ name: 'Prompts', tags: ['mixed'] });
      const promptId = (await client.call(createPromptRoute, { body: { title: 'Ring', content: 'Ring ${bell}.' } }))
        .data.id;
      const path = `/v1/collections/${id}/items`;
      const params = { id };
      const body = { itemIds: [promptId], itemType: 'prompt' as const };
      await client.call(addCollectionItemsRoute, { params, body: { itemIds: [ids[0] ?? ''] } });
      expect((await client.call(addCollectionItemsRoute, { params, body })).data).toEqual({
        added: 1,
        alreadyInCollection: 0,
      });
      // What it holds of prompts is no scope: nothing of them is searched.
      expect(await find(id)).toEqual([ids[0]]);
      expectError(await client.post(path, { itemIds: [ids[1]], itemType: 'prompt' }), {
        status: 404,
        type: 'RESOURCE.NOT_FOUND',
        message: 'itemIds[0] is no prompt that this key can see.',
        field: 'itemIds[0]',
      });
      const { client: other } = await createKey(client, { allowedActions: ['collections:*'] });
      expect((await other.call(listCollectionItemsRoute, { params })).data.map((item) => item.itemId)).toEqual([
        ids[0],
      ]);
      expect((await other.call(getCollectionRoute, { params })).data.itemCount).toBe(1);
      for (const method of ['POST', 'PUT'])
        expectError(await other.send(method, path, { body }), {
          status: 403,
          type: 'AUTH.ACTION_NOT_ALLOWED',
          field: 'itemType',
        });
      expect((await client.call(removeCollectionItemsRoute, { params, body })).data).toEqual({ removed: 1 });
      expect((await client.call(listCollectionsRoute, { query: { tags: 'mixed' } })).data).toMatchObject([
        { id, itemCount: 1 },
      ]);
    });
  });
}
