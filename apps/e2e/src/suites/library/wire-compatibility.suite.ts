import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor, type ApiClient, type ApiResponse } from '@candor/testkit';
import { createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

type Data = Record<string, unknown> & { id: string };

/**
 * The requests of seed 000's own public client, as it sends them, and the fields that it reads. They are written out
 * here, and not taken from our contracts: the client knows nothing of those.
 */
export function describeWireCompatibility(world: WorldOf): void {
  describe('library: the clients of seed 000', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Clients of seed 000')).admin;
    });

    /** It sends this content type also without a body, and takes any 2xx for success. */
    const send = async (method: string, path: string, body?: unknown): Promise<ApiResponse> => {
      const headers = { 'content-type': 'application/json' };
      const response = await client.send(method, path, { headers, ...(body === undefined ? {} : { body }) });
      if (response.status >= 300) throw new Error(`${method} ${path} answered ${response.status}: ${response.text}`);
      return response;
    };
    const dataOf = async <Shape = Data>(method: string, path: string, body?: unknown): Promise<Shape> =>
      ((await send(method, path, body)).body as { data: Shape }).data;

    it('learn who they are and what there is', async () => {
      expect(await dataOf('GET', '/v1/user/me')).toEqual({
        id: expect.any(String),
        name: expect.any(String),
        email: null,
        externalId: null,
        authMethod: 'api_key',
        permissions: ['admin'],
      });
      const capabilities = await dataOf<{ tools: { name: string; allowed: boolean }[]; limits: object }>(
        'GET',
        '/v1/mcp/capabilities',
      );
      expect(capabilities.tools.length).toBeGreaterThan(5);
      expect(capabilities.tools.every(({ name, allowed }) => /^[a-z_]+$/.test(name) && allowed)).toBe(true);
      expect(capabilities.limits).toMatchObject({ queryCharacters: 2000, requestsPerMinute: null });
    });

    it('keep prompts', async () => {
      const made = await dataOf('POST', '/v1/prompts', {
        title: 'Code review',
        description: 'Reviews a change',
        content: 'Review ${diff} for ${goal}.',
        engine: 'claude-3',
        parameters: {},
        variables: [],
        tags: ['code', 'review'],
      });
      const path = `/v1/prompts/${made.id}`;
      expect(await dataOf<Data[]>('GET', '/v1/prompts?limit=100')).toContainEqual({
        id: made.id,
        title: 'Code review',
        description: 'Reviews a change',
        isPublic: false,
        currentVersion: 1,
        tags: ['code', 'review'],
      });
      const listed = await send('GET', '/v1/prompts?q=review&limit=5&tags=code%2Creview');
      expect(listed.body).toMatchObject({ data: [{ id: made.id }], pagination: { cursor: null, hasMore: false } });
      expect(await dataOf('GET', path)).toMatchObject({
        title: 'Code review',
        content: 'Review ${diff} for ${goal}.',
        variables: [{ name: 'diff' }, { name: 'goal' }],
        tags: ['code', 'review'],
      });
      const changed = await dataOf('PATCH', path, { content: 'Review ${diff}.', changeLog: 'One goal', tags: [] });
      expect(changed).toMatchObject({ title: 'Code review', currentVersion: 2, tags: [] });
      const versions = await dataOf<(Data & { version: number })[]>('GET', `${path}/versions`);
      expect(versions).toEqual([
        {
          id: expect.any(String),
          version: 2,
          title: 'Code review',
          userName: expect.any(String),
          changeLog: 'One goal',
          content: 'Review ${diff}.',
          createdAt: expect.any(String),
        },
        expect.objectContaining({ version: 1, changeLog: null, content: 'Review ${diff} for ${goal}.' }),
      ]);
      expect(await dataOf('POST', `${path}/restore`, { versionId: versions[1]?.id })).toEqual({
        id: made.id,
        title: 'Code review',
        currentVersion: 3,
      });
      expect((await send('DELETE', path)).status).toBe(204);
      // It takes this for "already deleted".
      expect((await client.delete(path)).status).toBe(404);
    });

    it('keep documents', async () => {
      const made = await dataOf('POST', '/v1/documents', {
        title: 'Crane manual',
        content: '# Crane\n\nThe crane of Odda lifts nine tons.',
        tags: ['cranes'],
      });
      expect(made).toMatchObject({ title: 'Crane manual', status: 'pending', tags: ['cranes'] });
      const path = `/v1/documents/${made.id}`;
      const isReady = async () => (await dataOf('GET', path))['status'] === 'ready';
      await waitFor(isReady, { what: 'the document to be ready' });
      const row = { id: made.id, title: 'Crane manual', status: 'ready', sourceType: 'upload' };
      expect(await dataOf<Data[]>('GET', '/v1/documents?search=crane&limit=5&tags=cranes')).toMatchObject([row]);
      expect(await dataOf('GET', path)).toMatchObject({
        ...row,
        content: expect.stringContaining('lifts nine tons'),
        tags: ['cranes'],
        createdAt: expect.any(String),
      });
      const changed = await dataOf('PATCH', path, {
        content: 'It lifts ten tons.',
        changeLog: 'Stronger',
        tags: ['c'],
      });
      expect(changed).toMatchObject({ title: 'Crane manual', currentVersion: 2, tags: ['c'] });
      await waitFor(isReady, { what: 'the change to be ready' });
      const versions = await dataOf<(Data & { version: number })[]>('GET', `${path}/versions`);
      expect(versions).toEqual([
        {
          id: expect.any(String),
          version: 2,
          title: 'Crane manual',
          userName: expect.any(String),
          changeLog: 'Stronger',
          content: 'It lifts ten tons.',
          createdAt: expect.any(String),
        },
        expect.objectContaining({ version: 1, changeLog: null }),
      ]);
      expect(await dataOf('POST', `${path}/restore`, { versionId: versions[1]?.id })).toEqual({
        id: made.id,
        title: 'Crane manual',
        currentVersion: 3,
      });
      expect((await send('DELETE', path)).status).toBe(204);
      expect((await client.delete(path)).status).toBe(404);
    });

    it('keep collections of both', async () => {
      const made = await dataOf('POST', '/v1/collections', {
        name: 'Harbor',
        description: 'All about it',
        color: '#f97316',
        icon: '⚓',
        tags: ['port'],
      });
      const path = `/v1/collections/${made.id}`;
      const whole = { ...made, name: 'Harbor', color: '#f97316', icon: '⚓', itemCount: 0, tags: ['port'] };
      expect(await dataOf<Data[]>('GET', '/v1/collections?search=harb&limit=5&tags=port')).toEqual([whole]);
      const document = await dataOf('POST', '/v1/documents', {
        title: 'Pilot',
        content: 'The pilot boards at dawn.',
        tags: [],
      });
      const prompt = await dataOf('POST', '/v1/prompts', { title: 'Hail', content: 'Hail ${ship}.' });
      const tell = (method: string, itemType: string, itemIds: string[]) =>
        dataOf<object>(method, `${path}/items`, { itemIds, itemType });
      expect(await tell('POST', 'document', [document.id])).toEqual({ added: 1, alreadyInCollection: 0 });
      expect(await tell('POST', 'prompt', [prompt.id])).toEqual({ added: 1, alreadyInCollection: 0 });
      expect(await tell('POST', 'prompt', [prompt.id])).toEqual({ added: 0, alreadyInCollection: 1 });
      expect(await dataOf('GET', `${path}/items?limit=50`)).toEqual([
        { itemId: document.id, itemType: 'document', title: 'Pilot' },
        { itemId: prompt.id, itemType: 'prompt', title: 'Hail' },
      ]);
      expect(await dataOf('GET', path)).toMatchObject({ itemCount: 2 });
      expect(await dataOf('GET', `/v1/documents?collectionId=${made.id}`)).toMatchObject([{ id: document.id }]);
      expect(await tell('PUT', 'prompt', [prompt.id])).toEqual({ removed: 1 });
      expect(await dataOf('PATCH', path, { name: 'Port', tags: [] })).toMatchObject({ name: 'Port', tags: [] });
      expect((await send('DELETE', path)).status).toBe(204);
      expect((await client.delete(path)).status).toBe(404);
      expect(await dataOf('GET', `/v1/prompts/${prompt.id}`)).toMatchObject({ title: 'Hail' });
    });

    it('find items', async () => {
      const document = await dataOf('POST', '/v1/documents', {
        title: 'Kelp farming',
        content: 'Kelp is farmed on long ropes in the fjord and harvested in May.',
        tags: ['sea'],
      });
      const prompt = await dataOf('POST', '/v1/prompts', {
        title: 'Kelp recipe',
        description: 'Cooks kelp',
        content: 'Cook kelp with ${spice}.',
        tags: ['sea'],
      });
      const collection = await dataOf('POST', '/v1/collections', { name: 'Kelp', tags: ['sea'] });
      interface Found {
        data: { prompts: Data[]; documents: Data[]; collections: Data[] };
        meta: object;
      }
      const find = async (query: string): Promise<Found> => (await send('GET', `/v1/search?${query}`)).body as Found;
      const semantic = await waitFor(
        async () => {
          const found = await find('q=farming+of+kelp&type=all&tags=sea');
          const { prompts, documents, collections } = found.data;
          return prompts.length > 0 && documents.length > 0 && collections.length > 0 ? found : undefined;
        },
        { what: 'all three to be found' },
      );
      expect(semantic.meta).toEqual({ semantic: true, query: 'farming of kelp' });
      const score = expect.any(Number);
      expect(semantic.data.documents[0]).toEqual({
        documentId: document.id,
        title: 'Kelp farming',
        score,
        chunkId: expect.any(String),
      });
      expect(semantic.data.prompts[0]).toEqual({
        promptId: prompt.id,
        title: 'Kelp recipe',
        description: 'Cooks kelp',
        score,
      });
      expect(semantic.data.collections[0]).toMatchObject({
        collectionId: collection.id,
        name: 'Kelp',
        matchedItems: 0,
        score,
      });
      const literal = await find('q=long+ropes&type=documents&semantic=false');
      expect(literal.meta).toEqual({ semantic: false, query: 'long ropes' });
      expect(literal.data).toEqual({
        prompts: [],
        documents: [
          {
            documentId: document.id,
            title: 'Kelp farming',
            score,
            highlight: expect.stringContaining('long ropes'),
            chunkId: expect.any(String),
          },
        ],
        collections: [],
      });
    });

    it('read why something failed', async () => {
      const response = await client.send('POST', '/v1/prompts', { body: { title: 'No content' } });
      expect(response.status).toBe(400);
      expect(response.body).toMatchObject({ error: { code: 400, message: 'content is required' } });
    });
  });
}
