import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { passageSearchRoute, reasonRoute, type ReasonData } from '@candor/contracts';
import { fillPath, type ApiClient } from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { expectNothingFromInside } from '../../harness/expect-error.js';
import { callTool, connectMcp, connectStdio, contentOf, requestIdOf, textOf } from '../../harness/mcp-client.js';
import { createKey, type IssuedKey } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';
import { parityCases, type KnownIds, type ParityCase } from './parity-cases.js';

const QUESTION = 'What did we decide about the brand color?';
const PLACEHOLDERS: KnownIds = { itemId: 'item', chunkId: 'chunk', quotation: 'words' };

/** Ids and times of one request; everything else has to be the same. */
function withoutTimes(body: unknown): unknown {
  const volatile = new Set([
    ...['requestId', 'sessionId', 'issuedAt', 'latencyMs', 'tookMs', 'ageHours'],
    ...['latency_ms', 'wall_time_ms', 'ms'],
  ]);
  const text = JSON.stringify(body, (name, value: unknown) => (volatile.has(name) ? typeof value : value));
  return JSON.parse(text) as unknown;
}

/** MCP beside REST, over the demo workspace. */
export function describeMcp(world: WorldOf): void {
  describe('MCP', () => {
    let agent: IssuedKey;
    let mcp: Client;
    /** May read the audit trail, and use no tool. */
    let poor: IssuedKey;
    let poorMcp: Client;
    let known: KnownIds;
    beforeAll(async () => {
      agent = await createKey(world().admin);
      mcp = await connectMcp(agent.client);
      poor = await createKey(world().admin, { allowedActions: ['audit:read'] });
      poorMcp = await connectMcp(poor.client);
      const { data } = await agent.client.call(passageSearchRoute, { body: { query: QUESTION, limit: 1 } });
      const [passage] = data.results;
      known = {
        itemId: passage?.documentId ?? '',
        chunkId: passage?.chunkId ?? '',
        quotation: passage?.content.split('. ')[0] ?? '',
      };
    });

    const askRest = (client: ApiClient, { route, params, query, args }: ParityCase) => {
      const search = query ? `?${new URLSearchParams(query).toString()}` : '';
      return client.send(
        route.method,
        `${fillPath(route.path, params)}${search}`,
        route.method === 'GET' ? {} : { body: args },
      );
    };

    describe('gives the body of the REST API', () => {
      it.each(parityCases(PLACEHOLDERS).map(({ tool, what }, index) => [tool, what, index] as const))(
        'for %s: %s',
        async (_tool, _what, index) => {
          const parity = parityCases(known)[index] as ParityCase;
          const rest = await askRest(agent.client, parity);
          const result = await callTool(mcp, parity.tool, parity.args);
          expect(result.isError ?? false).toBe(rest.status !== parity.route.status);
          const body = result.isError ? (JSON.parse(textOf(result)) as unknown) : result.structuredContent;
          expect(withoutTimes(body)).toEqual(withoutTimes(rest.body));
          if (result.isError) expectNothingFromInside(JSON.stringify(body));
        },
      );

      it.each(parityCases(PLACEHOLDERS).map(({ tool, what }, index) => [tool, what, index] as const))(
        'also for a key without actions, for %s: %s',
        async (_tool, _what, index) => {
          const parity = parityCases(known)[index] as ParityCase;
          const rest = await askRest(poor.client, parity);
          const result = await callTool(poorMcp, parity.tool, parity.args);
          expect(rest.status).toBe(403);
          expect(withoutTimes(JSON.parse(textOf(result)))).toEqual(withoutTimes(rest.body));
        },
      );
    });

    it('leaves the same audit event as REST', async () => {
      const rest = await agent.client.exchange(reasonRoute, { body: { query: QUESTION } });
      const result = await callTool(mcp, 'reason', { query: QUESTION });
      const [viaRest, viaMcp] = await Promise.all(
        [rest.requestId, requestIdOf(result)].map((requestId) => readEvents(world().admin, requestId)),
      );
      expect(viaMcp?.map(({ action, outcome }) => [action, outcome])).toEqual([
        ['reason.requested', 'accepted'],
        ['reason.answer', 'succeeded'],
      ]);
      expect(viaMcp?.map(({ action, outcome }) => [action, outcome])).toEqual(
        viaRest?.map(({ action, outcome }) => [action, outcome]),
      );
      const answered = viaMcp?.at(-1)?.metadata ?? {};
      expect(answered).toMatchObject({ via: 'mcp' });
      expect(Object.keys({ ...answered, via: undefined }).sort()).toEqual(
        [...Object.keys(viaRest?.at(-1)?.metadata ?? {}), 'via'].sort(),
      );
    });

    it('shows the cited answer of reason as text', async () => {
      const result = await callTool(mcp, 'reason', { query: QUESTION });
      const { data } = contentOf(result) as { data: ReasonData };
      const text = textOf(result);
      expect(text.match(/^\*\*\w+\*\*$/gm)?.slice(0, 3)).toEqual(['**Answer**', '**Meta**', '**Sources**']);
      expect(text).toContain(data.answer);
      for (const { chunkId, documentId } of data.citations) {
        expect(text).toContain(chunkId);
        expect(text).toContain(documentId);
      }
      expect(text).toContain(`chunksGathered: ${data.meta.chunksGathered}`);
      expect(text).not.toContain('**Quotations**');
    });

    it('says which provider answered, as the header of the REST API does', async () => {
      const rest = await agent.client.post('/v1/reason', { query: QUESTION });
      const provider = rest.headers.get('x-answer-provider');
      expect(provider).toBe('extractive');
      const result = await callTool(mcp, 'reason', { query: QUESTION });
      expect(result._meta).toMatchObject({ 'candor/answerProvider': provider });
      expect(textOf(result)).toContain(` · answerProvider: ${provider}`);
    });

    it('shows the quotations of an answer, when they are asked for', async () => {
      const result = await callTool(mcp, 'reason', { query: QUESTION, includeQuotations: true });
      const { data } = contentOf(result) as { data: ReasonData };
      const text = textOf(result);
      expect(text).toContain('**Quotations**');
      for (const { quotation } of data.statements?.flatMap(({ quotations }) => quotations) ?? [])
        expect(text).toContain(`> ${quotation?.split('\n')[0]}`);
      expect(data.statements?.length).toBeGreaterThan(0);
    });

    it('reads a source item as a resource', async () => {
      const uri = `candor://source-items/${known.itemId}`;
      const { contents } = await mcp.readResource({ uri });
      const [content] = contents;
      const rest = await agent.client.get(`/v1/source-items/${known.itemId}`);
      expect(withoutTimes(JSON.parse(content && 'text' in content ? content.text : '{}'))).toEqual(
        withoutTimes(rest.body),
      );
    });

    it('shows no item that the key may not see', async () => {
      const { client } = await createKey(world().admin, { allowedProviders: ['gmail'] });
      const result = await callTool(await connectMcp(client), 'get_source_item', { id: known.itemId });
      expect(JSON.parse(textOf(result))).toMatchObject({ error: { code: 404, type: 'RESOURCE.NOT_FOUND' } });
    });

    describe('through candor mcp', () => {
      let stdio: Client;
      beforeAll(async () => {
        stdio = await connectStdio(agent.client);
      });
      afterAll(() => stdio.close());

      it('is the same server', async () => {
        expect(await stdio.listTools()).toEqual(await mcp.listTools());
        expect(stdio.getServerVersion()).toEqual(mcp.getServerVersion());
        const [direct, relayed] = await Promise.all(
          [mcp, stdio].map((client) => callTool(client, 'context', { query: QUESTION, limit: 2 })),
        );
        expect(withoutTimes(relayed?.structuredContent)).toEqual(withoutTimes(direct?.structuredContent));
      });

      it('hands progress on', async () => {
        const told: (string | undefined)[] = [];
        await stdio.callTool({ name: 'reason', arguments: { query: QUESTION } }, undefined, {
          onprogress: ({ message }) => told.push(message),
        });
        expect(told[0]).toBe('Answer with citations: 0 s');
      });

      it('says what is wrong with a key', async () => {
        const stranger = agent.client.withKey('gm_aaaaaaaa_bbbbbbbbbbbbbbbb');
        await expect(connectStdio(stranger)).rejects.toThrow('The API key is unknown, expired or revoked.');
      });
    });

    it('challenges who has no key with the address of its metadata', async () => {
      const refused = await world().anonymous.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' });
      expect(refused.status).toBe(401);
      const address = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? '';
      const metadata = (await (await fetch(address)).json()) as { resource: string };
      expect(metadata.resource).toBe(`${world().url}/mcp`);
    });

    it('refuses pages of other origins', async () => {
      const headers = { origin: 'https://evil.example' };
      const { status } = await agent.client.send('POST', '/mcp', { headers, body: {} });
      expect(status).toBe(403);
    });
  });
}
