import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Resource } from '@modelcontextprotocol/sdk/types.js';
import { testServerUrl } from '@candor/persistence/testing';
import { GatewayReplicas } from './testing/gateway-replicas.js';

const databaseUrl = testServerUrl(process.env);
const redisUrl = process.env['REDIS_URL'];
const withServers = databaseUrl !== null && redisUrl ? describe : describe.skip;

jest.setTimeout(60_000);

const MANY = 60;
const ABSENT = 'candor://source-items/5d0b7c1e-7a52-4a85-9b6e-0f6c6c1d2e3f';

withServers('documents over MCP', () => {
  let gateways: GatewayReplicas;
  let agent: { id: string; key: string };
  let client: Client;

  beforeAll(async () => {
    gateways = await GatewayReplicas.start(
      { databaseUrl: databaseUrl ?? '', redisUrl: redisUrl ?? '' },
      { publicUrl: null, origins: [] },
    );
    agent = await gateways.createKey();
    client = await gateways.connect(agent.key);
  });
  afterAll(() => gateways.stop());

  const ingest = async (documents: object[]): Promise<string[]> => {
    const { status, body } = await gateways.send('POST', '/v1/ingest', {
      body: { documents: documents.map((each) => ({ sourceKind: 'page', externalId: randomUUID(), ...each })) },
    });
    if (status !== 202) throw new Error(JSON.stringify(body));
    return (body as { items: { sourceItemId: string }[] }).items.map(({ sourceItemId }) => sourceItemId);
  };
  const uriOf = (id: string): string => `candor://source-items/${id}`;
  const connectAs = async (fields: Record<string, unknown>): Promise<Client> =>
    gateways.connect((await gateways.createKey(fields)).key);

  describe('source items as resources', () => {
    let many: string[];
    let closed: string;

    const listAll = async (from: Client): Promise<{ pages: number; resources: Resource[] }> => {
      const resources: Resource[] = [];
      let pages = 0;
      for (let cursor: string | undefined; ;) {
        const page = await from.listResources(cursor === undefined ? {} : { cursor });
        resources.push(...page.resources);
        pages += 1;
        cursor = page.nextCursor;
        if (cursor === undefined) return { pages, resources };
      }
    };

    beforeAll(async () => {
      const page = (number: number) => ({
        provider: 'notion',
        sourceKind: 'document',
        title: `Page ${number}`,
        body: `Text ${number}.`,
      });
      many = await ingest(Array.from({ length: MANY }, (_, number) => page(number)));
      const policy = { provider: 'slack', mode: 'acl', principals: ['user:ann@x.example'] };
      const message = {
        provider: 'slack',
        sourceKind: 'message',
        title: 'Secret',
        body: 'For Ann.',
        accessPolicy: policy,
      };
      [closed = ''] = await ingest([message]);
    });

    it('are listed in pages, all that the key may read', async () => {
      const { pages, resources } = await listAll(client);
      expect(pages).toBe(2);
      expect(resources.map(({ uri }) => uri).sort()).toEqual([...many, closed].map(uriOf).sort());
      expect(resources.find(({ uri }) => uri === uriOf(many[7] ?? ''))).toMatchObject({
        name: many[7],
        title: 'Page 7',
        description: 'notion, pending',
        annotations: { lastModified: expect.stringMatching(/^\d{4}-/) },
      });
    });

    it('are no more to a key than over REST', async () => {
      const narrow = await listAll(await connectAs({ allowedProviders: ['slack'] }));
      expect(narrow.resources.map(({ uri }) => uri)).toEqual([uriOf(closed)]);
      const bob = await connectAs({ allowedProviders: ['slack'], principals: ['user:bob@x.example'] });
      expect((await listAll(bob)).resources).toEqual([]);
      const refusal = { code: -32002, data: { code: 404, type: 'RESOURCE.NOT_FOUND' } };
      for (const uri of [uriOf(closed), `${uriOf(closed)}/text`, ABSENT, `${ABSENT}/text`])
        await expect(bob.readResource({ uri })).rejects.toMatchObject(refusal);
      const ann = await connectAs({ allowedProviders: ['slack'], principals: ['user:ann@x.example'] });
      expect((await ann.readResource({ uri: `${uriOf(closed)}/text` })).contents).toMatchObject([{ text: 'For Ann.' }]);
    });

    it('are read with their metadata and their text', async () => {
      const [id = ''] = many;
      const { contents } = await client.readResource({ uri: uriOf(id) });
      const rest = await gateways.send('GET', `/v1/source-items/${id}`, { key: agent.key });
      expect(contents).toMatchObject([
        { uri: uriOf(id), mimeType: 'application/json' },
        { uri: `${uriOf(id)}/text`, mimeType: 'text/plain', text: 'Text 0.' },
      ]);
      const [metadata] = contents;
      const told = JSON.parse(metadata && 'text' in metadata ? metadata.text : '{}') as { freshness: unknown };
      expect({ ...told, freshness: null }).toEqual({ ...(rest.body as object), freshness: null });
      expect((await client.readResource({ uri: `${uriOf(id)}/text` })).contents).toEqual(contents.slice(1));
    });

    it('have templates, and URIs of nothing else', async () => {
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
        'candor://source-items/{id}',
        'candor://source-items/{id}/text',
      ]);
      for (const uri of ['file:///etc/passwd', 'candor://source-items/nope'])
        await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
      await expect(client.listResources({ cursor: 'nope' })).rejects.toMatchObject({ code: -32602 });
    });

    it('are gone when they are deleted', async () => {
      const [id = ''] = await ingest([{ provider: 'gmail', sourceKind: 'message', title: 'Mail', body: 'Old.' }]);
      expect((await gateways.send('DELETE', `/v1/source-items/${id}`)).status).toBe(202);
      await expect(client.readResource({ uri: uriOf(id) })).rejects.toMatchObject({ code: -32002 });
      expect((await listAll(client)).resources.map(({ uri }) => uri)).not.toContain(uriOf(id));
    });

    it('are not announced to keys that may not read documents', async () => {
      const poor = await connectAs({ allowedActions: ['search'] });
      expect(poor.getServerCapabilities()?.resources).toBeUndefined();
      expect(client.getServerCapabilities()?.resources).toBeDefined();
    });
  });

  describe('a session of passages', () => {
    const chunkIds = Array.from({ length: 5 }, () => randomUUID());
    const startSession = async (from = client): Promise<string> => {
      const { structuredContent, content } = await from.callTool({ name: 'deep_session', arguments: {} });
      const { sessionId } = (structuredContent as { data: { sessionId: string } }).data;
      expect(JSON.stringify(content)).toContain(sessionId);
      return sessionId;
    };
    const search = async (sessionId: string, from = client): Promise<string[] | { isError: unknown }> => {
      const { structuredContent, isError } = await from.callTool({
        name: 'deep_search',
        arguments: { query: 'brand', limit: 2, sessionId },
      });
      if (isError === true) return { isError };
      return (structuredContent as { data: { results: { chunkId: string }[] } }).data.results.map(
        ({ chunkId }) => chunkId,
      );
    };

    beforeAll(() => {
      gateways.retrieval.script = async (_method, request) => {
        const { limit, excludeChunkIds = [] } = request as { limit: number; excludeChunkIds?: string[] };
        const left = chunkIds.filter((id) => !excludeChunkIds.includes(id)).slice(0, limit);
        const passages = left.map((chunkId) => ({
          chunkId,
          score: 0.9,
          level: 'paragraph',
          documentTitle: 'Brand',
          documentId: ABSENT.slice(-36),
          content: 'We keep lime-green.',
          parentId: null,
          siblingIds: { prev: null, next: null },
        }));
        return { passages, bestScore: 0.9, relevant: true };
      };
    });

    it('is started by a tool, and never returns a passage twice', async () => {
      const sessionId = await startSession();
      expect(await search(sessionId)).toEqual(chunkIds.slice(0, 2));
      expect(await search(sessionId)).toEqual(chunkIds.slice(2, 4));
      expect(await search(sessionId)).toEqual(chunkIds.slice(4));
      expect(await search(sessionId)).toEqual([]);
      expect(await search(await startSession())).toEqual(chunkIds.slice(0, 2));
    });

    it('is the key’s own', async () => {
      const other = await connectAs({});
      expect(await search(await startSession(), other)).toEqual({ isError: true });
      const poor = await connectAs({ allowedActions: ['documents:read'] });
      expect(await poor.callTool({ name: 'deep_session', arguments: {} })).toMatchObject({ isError: true });
    });
  });
});
