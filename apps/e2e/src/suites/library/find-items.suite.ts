import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  addCollectionItemsRoute,
  createCollectionRoute,
  createPromptRoute,
  findItemsRoute,
  readChunkRoute,
  updatePromptRoute,
  type FindItemsResponse,
} from '@candor/contracts';
import { waitFor, type ApiClient } from '@candor/testkit';
import { expectError } from '../../harness/expect-error.js';
import { ingest } from '../../harness/ingest.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

/** As calibrated for the default model: docs/reference/relevance-floor.md. */
const FLOOR = 0.58;
const OPEN = { provider: 'slack' as const, mode: 'provider_scope' as const };

/** The catalogue: prompts, documents and collections by meaning, or as they are written. */
export function describeFindItems(world: WorldOf): void {
  describe('library: find_items', () => {
    let client: ApiClient;
    let leave: string;
    let secret: string;
    let promptId: string;
    let collectionId: string;

    beforeAll(async () => {
      client = (await createTenant(world(), 'Find items')).admin;
      const ids = await ingest(client, [
        {
          title: 'Vacation policy',
          body: 'Every employee may take thirty days of paid vacation in a year. Ask your manager two weeks before. Code name: Zanzibar-7.',
          accessPolicy: OPEN,
          tags: ['people', 'policy'],
        },
        {
          title: 'Database backups',
          body: 'The database is copied every night to a second data center, and restored once a month as a drill.',
          accessPolicy: OPEN,
          tags: ['policy'],
        },
        {
          title: 'Salaries and vacation of the board',
          body: 'The members of the board take forty days of vacation. Zanzibar-7.',
          accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:chair@board.example'] },
        },
      ]);
      [leave = '', , secret = ''] = ids;
      promptId = (
        await client.call(createPromptRoute, {
          body: {
            title: 'Explain a vacation rule',
            description: 'Tells an employee how many days off they have',
            content: 'Explain to ${employee} how much paid vacation there is. Say zanzibar-7 at the end.',
            tags: ['people'],
          },
        })
      ).data.id;
      await client.call(createPromptRoute, {
        body: { title: 'Translate a poem', content: 'Translate ${poem} into French.' },
      });
      collectionId = (
        await client.call(createCollectionRoute, {
          body: { name: 'Human resources', description: 'Rules for employees' },
        })
      ).data.id;
      await client.call(createCollectionRoute, { body: { name: 'Astronomy', description: 'Stars and planets' } });
      const add = (itemType: 'document' | 'prompt', itemIds: string[]) =>
        client.call(addCollectionItemsRoute, { params: { id: collectionId }, body: { itemType, itemIds } });
      await add('document', [leave, secret]);
      await add('prompt', [promptId]);
      await waitFor(async () => (await find('vacation rule for employees')).data.prompts.length > 0, {
        what: 'the prompt to be found by meaning',
      });
    }, 120_000);

    const find = (q: string, query: Record<string, string | number> = {}, by = client): Promise<FindItemsResponse> =>
      by.call(findItemsRoute, { query: { q, ...query } });
    const literally = (q: string, query: Record<string, string | number> = {}, by = client) =>
      find(q, { semantic: 'false', ...query }, by);

    it('find by meaning what uses other words, best first and never below the floor', async () => {
      const { data, meta } = await find('How many days off do workers get?');
      expect(meta).toEqual({ semantic: true, query: 'How many days off do workers get?' });
      expect(data.documents.map(({ title }) => title)).toContain('Vacation policy');
      expect(data.prompts[0]).toMatchObject({ promptId, title: 'Explain a vacation rule', score: expect.any(Number) });
      expect(data.collections[0]).toMatchObject({ collectionId, name: 'Human resources' });
      for (const found of [data.prompts, data.documents, data.collections]) {
        const scores = found.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((left, right) => right - left));
        for (const score of scores) expect(score).toBeGreaterThanOrEqual(FLOOR);
      }
      expect(JSON.stringify(data)).not.toContain('Translate a poem');
      expect(JSON.stringify(data)).not.toContain('Astronomy');
    });

    it('find nothing rather than what is not near', async () => {
      const { data } = await find('xylophone zeppelin quark');
      expect(data).toEqual({ prompts: [], documents: [], collections: [] });
    });

    it('give a chunk to read on from', async () => {
      const { data } = await find('paid vacation of employees', { type: 'documents' });
      const [first] = data.documents;
      const chunk = await client.call(readChunkRoute, { params: { chunkId: first?.chunkId ?? '' } });
      expect(chunk.data.hierarchy.documentId).toBe(first?.documentId);
    });

    it('find literally over title, description and body, in any case, with the words around', async () => {
      const { data, meta } = await literally('ZANZIBAR-7');
      expect(meta.semantic).toBe(false);
      expect(data.prompts).toEqual([
        {
          promptId,
          title: 'Explain a vacation rule',
          description: 'Tells an employee how many days off they have',
          score: 0.8,
          highlight: expect.stringContaining('Say zanzibar-7 at the end.'),
        },
      ]);
      expect(data.documents.map(({ documentId }) => documentId).sort()).toEqual([leave, secret].sort());
      for (const { highlight, chunkId, score } of data.documents) {
        expect(highlight).toContain('Zanzibar-7');
        expect(score).toBe(0.8);
        const chunk = await client.call(readChunkRoute, { params: { chunkId: chunkId ?? '' } });
        expect(chunk.data.content).toContain('Zanzibar-7');
      }
      expect(data.collections).toEqual([
        { collectionId, name: 'Human resources', description: 'Rules for employees', matchedItems: 3, score: 0.8 },
      ]);
      const titles = (await literally('vacation')).data.documents;
      expect(titles.every(({ score, highlight }) => score === 1 && highlight === undefined)).toBe(true);
      expect((await literally('rules for EMPLOYEES')).data.collections[0]).toMatchObject({ collectionId, score: 0.9 });
    });

    it('take metacharacters of every engine for what they are', async () => {
      for (const q of ['%', '_____', '.*', '"; DROP TABLE prompts; --', "' OR 1=1", '\\', '*:*'])
        expect((await literally(q)).data).toEqual({ prompts: [], documents: [], collections: [] });
    });

    it('narrow by type, by all of the tags and by a limit', async () => {
      const typed = await literally('vacation', { type: 'documents' });
      expect([typed.data.prompts, typed.data.collections]).toEqual([[], []]);
      expect(typed.data.documents.length).toBe(2);
      expect((await literally('vacation', { limit: 1 })).data.documents).toHaveLength(1);
      for (const semantic of ['true', 'false']) {
        const both = await find('vacation', { semantic, tags: 'people,policy' });
        expect(both.data.documents.map(({ documentId }) => documentId)).toEqual([leave]);
        expect(both.data.prompts).toEqual([]);
        const one = await find('vacation', { semantic, tags: 'people' });
        expect(one.data.prompts.map((prompt) => prompt.promptId)).toEqual([promptId]);
        expect((await find('vacation', { semantic, tags: 'people,unknown' })).data.documents).toEqual([]);
      }
    });

    it('count what matches in a collection also when only collections are asked for', async () => {
      const { data } = await find('paid vacation of employees', { type: 'collections' });
      expect([data.prompts, data.documents]).toEqual([[], []]);
      expect(data.collections[0]).toMatchObject({ collectionId, matchedItems: 3 });
    });

    it('show each caller what it may see, and count nothing else', async () => {
      const guest = await createKey(client, {
        allowedActions: ['search', 'prompts:*', 'collections:*'],
        principals: ['user:guest@board.example'],
      });
      for (const semantic of ['true', 'false']) {
        const { data } = await find('vacation', { semantic }, guest.client);
        expect(data.documents.map(({ documentId }) => documentId)).toEqual([leave]);
        expect(data.collections.find((found) => found.collectionId === collectionId)?.matchedItems).toBe(2);
      }
      const { admin: stranger } = await createTenant(world(), 'Find nothing');
      for (const semantic of ['true', 'false'])
        expect((await find('vacation', { semantic }, stranger)).data).toEqual({
          prompts: [],
          documents: [],
          collections: [],
        });
    });

    it('leave out the kinds that the key may not use, and say so', async () => {
      const { client: reader } = await createKey(client, { allowedActions: ['search'] });
      const { data, meta } = await find('vacation', {}, reader);
      expect([data.prompts, data.collections]).toEqual([[], []]);
      expect(data.documents.length).toBeGreaterThan(0);
      expect(meta.notAllowed).toEqual(['prompts', 'collections']);
      expectError(await reader.get('/v1/search?q=vacation&type=prompts'), {
        status: 403,
        type: 'AUTH.ACTION_NOT_ALLOWED',
        field: 'type',
      });
      const { client: writer } = await createKey(client, { allowedActions: ['prompts:*'] });
      expectError(await writer.get('/v1/search?q=vacation'), { status: 403, type: 'AUTH.ACTION_NOT_ALLOWED' });
    });

    it('find a changed prompt by its new words at once, and by its new meaning soon', async () => {
      const params = { id: promptId };
      await client.call(updatePromptRoute, {
        params,
        body: {
          title: 'Feed the penguins',
          description: 'Fish for penguins in the zoo',
          content: 'Give ${penguin} fish.',
        },
      });
      expect((await literally('penguins')).data.prompts[0]?.promptId).toBe(promptId);
      expect((await literally('zanzibar-7')).data.prompts).toEqual([]);
      await waitFor(
        async () =>
          (await find('food for animals in the zoo', { type: 'prompts' })).data.prompts[0]?.promptId === promptId,
        { what: 'the new meaning' },
      );
      expect((await find('paid vacation', { type: 'prompts' })).data.prompts).toEqual([]);
      await client.delete(`/v1/prompts/${promptId}`);
      expect((await literally('penguins')).data.prompts).toEqual([]);
      expect((await find('food for animals in the zoo')).data.prompts).toEqual([]);
    });
  });
}
