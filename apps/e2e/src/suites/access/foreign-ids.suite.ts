import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  createCollectionRoute,
  createPromptRoute,
  createSourceRoute,
  deadLettersRoute,
  listGenerationsRoute,
  passageSessionRoute,
  ROUTES,
  sourceItemRoute,
} from '@candor/contracts';
import { buildDocument, type ApiClient, type ApiResponse } from '@candor/testkit';
import { ingestAndWait } from '../../harness/ingest.js';
import { callTool, connectMcp, textOf } from '../../harness/mcp-client.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';
import { parityCases } from '../mcp/parity-cases.js';
import { buildSampleRequests, isOfInstallation, type SampleRequest } from '../operation/sample-requests.js';
import {
  comparable,
  fieldsOfSchema,
  foreignCases,
  kindOfField,
  type ForeignCase,
  type ForeignIds,
} from './foreign-ids.js';

/** What is down for a moment says nothing about anybody's things. */
async function sendWhenUp(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (let tries = 1; ; tries += 1) {
    const response = await send();
    if (response.status !== 503 || tries === 5) return response;
    await delay(1_000);
  }
}

/** Stands in what they have and nowhere else. */
const THEIR_WORD = 'vardefjellet';

/**
 * Every route and every tool, asked for another tenant's things in every field that could name one: the answer is word
 * for word the one of things that nobody has, and shows no trace of theirs. Driven by the route table and the tools' own schemas.
 */
export function describeForeignIds(world: WorldOf): void {
  describe('things of another tenant', () => {
    let ours: ApiClient;
    let theirs: ApiClient;
    let ids: ForeignIds;
    let samples: SampleRequest[];
    let cases: ForeignCase[];
    let mcp: Client;

    beforeAll(async () => {
      ours = (await createTenant(world(), 'Ours')).admin;
      theirs = (await createTenant(world(), 'Theirs')).admin;
      const document = (body: string) =>
        buildDocument({
          externalId: 'lemons',
          title: 'Lemons',
          body,
          accessPolicy: { provider: 'slack', mode: 'provider_scope' },
        });
      await ingestAndWait(ours, [document('The recipe needs three lemons.')]);
      const { accepted } = await ingestAndWait(theirs, [
        document(`The recipe of ${THEIR_WORD} needs nine lemons.`),
        buildDocument({ externalId: 'empty', body: '<script>x</script>', mimeType: 'text/html' }),
      ]);
      const item = accepted.items[0]?.sourceItemId ?? '';
      const { chunkIds } = await theirs.call(sourceItemRoute, { params: { id: item } });
      const letters = await theirs.call(deadLettersRoute);
      samples = await buildSampleRequests(theirs, {
        itemId: item,
        ingestionId: accepted.requestId,
        deadLetterId: letters.data[0]?.id ?? '',
      });
      const source = {
        provider: 'slack' as const,
        name: THEIR_WORD,
        settings: { baseUrl: 'http://127.0.0.1:9/api/' },
        credentials: { botToken: 'xoxb' },
        schedule: null,
        reconcile: null,
      };
      const collection = await theirs.call(createCollectionRoute, { body: { name: THEIR_WORD } });
      await theirs.post(`/v1/collections/${collection.data.id}/items`, { itemIds: [item] });
      ids = {
        item,
        chunk: chunkIds[0] ?? '',
        collection: collection.data.id,
        session: (await theirs.call(passageSessionRoute)).data.sessionId,
        request: accepted.requestId,
        source: (await theirs.call(createSourceRoute, { body: source })).data.id,
        key: (await createKey(theirs, { name: THEIR_WORD })).id,
        prompt: (await theirs.call(createPromptRoute, { body: { title: THEIR_WORD, content: 'c' } })).data.id,
        generation: (await theirs.call(listGenerationsRoute)).data[0]?.id ?? '',
      };
      cases = foreignCases(samples, ids);
      mcp = await connectMcp(ours);
    }, 240_000);

    afterAll(() => mcp.close());

    function expectNoTrace(name: string, text: string, sent: unknown): void {
      const asked = JSON.stringify(sent);
      for (const id of [...Object.values(ids), THEIR_WORD])
        if (!asked.includes(id)) expect([name, text.includes(id)]).toEqual([name, false]);
      expect([name, text.includes('nine lemons')]).toEqual([name, false]);
    }

    it('are asked for on every route', () => {
      const routes = ROUTES.filter(({ action }) => action !== 'signed').map(({ method, path }) => `${method} ${path}`);
      expect(samples.map(({ route }) => `${route.method} ${route.path}`).sort()).toEqual(routes.sort());
      // Fields beside the path: scopes of searches, filters of lists, members of collections.
      expect(cases.filter(({ name }) => name.split(' ').length > 2 || name.includes('?')).length).toBeGreaterThan(10);
    });

    it('are answered like things that nobody has, and leave no trace', async () => {
      let compared = 0;
      const asked: unknown[] = [];
      for (const { name, foreign, unknown } of cases) {
        asked.push(foreign);
        const [method = ''] = name.split(' ');
        const send = ({ path, body }: ForeignCase['foreign']) =>
          sendWhenUp(() => ours.send(method, path, body === undefined ? {} : { body }));
        const answer = await send(foreign);
        expect([name, answer.status, answer.status < 500]).toEqual([name, answer.status, true]);
        // One's own trail names what one has asked for.
        const sent = name.startsWith('GET /v1/audit-events') ? asked : foreign;
        expectNoTrace(name, answer.text.replaceAll(answer.requestId, ''), sent);
        if (!unknown) continue;
        const absent = await send(unknown);
        expect([name, answer.status, comparable(answer.text)]).toEqual([name, absent.status, comparable(absent.text)]);
        compared += 1;
      }
      expect(compared).toBeGreaterThan(40);
    }, 240_000);

    it('are answered so by every tool', async () => {
      const { tools } = await mcp.listTools();
      const known = parityCases({ itemId: ids.item, chunkId: ids.chunk, quotation: 'nine lemons' });
      expect([...new Set(known.map(({ tool }) => tool))].sort()).toEqual(tools.map(({ name }) => name).sort());
      const variants = tools.flatMap(({ name: tool, inputSchema }) => {
        const args = known.find((parity) => parity.tool === tool)?.args ?? {};
        return fieldsOfSchema(inputSchema).flatMap((field) => {
          const kind = kindOfField(field.name);
          if (kind === null) return [];
          return [{ tool, args: { ...args, [field.name]: field.isList ? [ids[kind]] : ids[kind] } }];
        });
      });
      expect(variants.length).toBeGreaterThan(5);
      for (const { tool, args } of [...known, ...variants]) {
        const text = JSON.stringify(args);
        const swapped = Object.values<string>({ ...ids }).reduce(
          (rest, id) => rest.replaceAll(id, '9a1b2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d'),
          text,
        );
        const answer = await callTool(mcp, tool, args);
        const name = `${tool} ${text}`;
        const content = JSON.stringify([textOf(answer), answer.structuredContent]);
        // What was quoted by the caller comes back in the verdict on it.
        expectNoTrace(name, content.replaceAll('nine lemons', ''), args);
        if (swapped === text) continue;
        const absent = await callTool(mcp, tool, JSON.parse(swapped) as object);
        const others = JSON.stringify([textOf(absent), absent.structuredContent]);
        expect([name, answer.isError, comparable(content)]).toEqual([name, absent.isError, comparable(others)]);
      }
    }, 240_000);

    it('are all still there, and theirs alone', async () => {
      for (const { route, path, body } of samples) {
        if (isOfInstallation(route)) continue;
        const response = await theirs.send(route.method, path, body === undefined ? {} : { body });
        expect([route.method, path, response.status]).toEqual([route.method, path, route.status]);
      }
    }, 240_000);
  });
}
