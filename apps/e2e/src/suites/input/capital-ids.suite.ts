import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  createCollectionRoute,
  createErasureRoute,
  createSourceRoute,
  deadLettersRoute,
  ingestRoute,
  listCollectionItemsRoute,
  listGenerationsRoute,
  passageSearchRoute,
  passageSessionRoute,
  sourceItemRoute,
} from '@candor/contracts';
import { buildDocument, type ApiClient } from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { ingestAndWait } from '../../harness/ingest.js';
import { callTool, connectMcp, requestIdOf, textOf } from '../../harness/mcp-client.js';
import { createKey, createTenant, type Tenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';
import { foreignCases, type ForeignIds } from '../access/foreign-ids.js';
import { parityCases } from '../mcp/parity-cases.js';
import { buildSampleRequests, isOfInstallation, type SampleRequest } from '../operation/sample-requests.js';
import { capitalIdsIn, idsNamedBy, inCapitals, namesIds } from './capital-ids.js';

const QUERY = 'How many lemons does the recipe need?';
const READING = new Set(['search', 'context', 'reason']);

/** Clients of some platforms write UUIDs in capitals. Driven by the route table, as what is asked for another tenant's things. */
export function describeCapitalIds(world: WorldOf): void {
  describe('ids in capitals', () => {
    let tenant: Tenant;
    let client: ApiClient;
    let ids: ForeignIds;
    let samples: SampleRequest[];
    let mcp: Client;

    beforeAll(async () => {
      tenant = await createTenant(world(), 'Capitals');
      const key = await createKey(tenant.admin, { actorType: 'admin', allowedActions: ['admin'] });
      client = key.client;
      const { accepted } = await ingestAndWait(client, [
        buildDocument({ externalId: 'lemons', title: 'Lemons', body: 'The recipe needs three lemons.' }),
        buildDocument({ externalId: 'empty', body: '<script>x</script>', mimeType: 'text/html' }),
      ]);
      const item = accepted.items[0]?.sourceItemId ?? '';
      samples = await buildSampleRequests(client, {
        itemId: item,
        ingestionId: accepted.requestId,
        deadLetterId: (await client.call(deadLettersRoute)).data[0]?.id ?? '',
      });
      const source = {
        provider: 'slack' as const,
        name: 'Capitals',
        settings: { baseUrl: 'http://127.0.0.1:9/api/' },
        credentials: { botToken: 'xoxb' },
        schedule: null,
        reconcile: null,
      };
      const collection = (await client.call(createCollectionRoute, { body: { name: 'Capitals' } })).data.id;
      await client.post(`/v1/collections/${collection}/items`, { itemIds: [item] });
      ids = {
        item,
        chunk: (await client.call(sourceItemRoute, { params: { id: item } })).chunkIds[0] ?? '',
        collection,
        session: (await client.call(passageSessionRoute)).data.sessionId,
        request: accepted.requestId,
        source: (await client.call(createSourceRoute, { body: source })).data.id,
        key: key.id,
        prompt: '',
        generation: (await client.call(listGenerationsRoute)).data[0]?.id ?? '',
      };
      mcp = await connectMcp(client);
    }, 240_000);

    afterAll(() => mcp.close());

    const send = (
      sender: ApiClient,
      route: SampleRequest['route'],
      { path, body }: Pick<SampleRequest, 'path' | 'body'>,
    ) => sender.send(route.method, path, body === undefined ? {} : { body });

    it('give what they give in lower case, in every field of a request that reads', async () => {
      const [expected, given]: [unknown[], unknown[]] = [[], []];
      for (const sample of samples) {
        if (sample.route.method !== 'GET' && !READING.has(sample.route.action)) continue;
        // A session gives nothing twice, and a rating is no question.
        if (sample.route.path === '/v1/pd/session' || sample.route.path === '/v1/feedback') continue;
        for (const { name, foreign } of foreignCases([withoutSession(sample)], ids)) {
          if (!namesIds(foreign) || name.endsWith('sessionId')) continue;
          const lower = await send(client, sample.route, foreign);
          const capitals = await send(client, sample.route, inCapitals(foreign));
          expected.push([name, sample.route.status, idsNamedBy(lower)]);
          given.push([name, capitals.status, idsNamedBy(capitals)]);
        }
      }
      expect(given).toEqual(expected);
      expect(given.length).toBeGreaterThan(20);
    }, 240_000);

    it('give what they give in lower case, in every tool', async () => {
      const cases = parityCases({ itemId: ids.item, chunkId: ids.chunk, quotation: 'three lemons' });
      const scoped = { query: QUERY, collectionId: ids.collection, documentId: ids.item };
      const asked = [
        ...cases.map(({ tool, args }) => ({ tool, args })),
        { tool: 'search', args: { query: QUERY, collectionId: ids.collection, sourceItemId: ids.item } },
        { tool: 'reason', args: scoped },
        { tool: 'deep_search', args: scoped },
        {
          tool: 'reasoning',
          args: { query: QUERY, tenant_id: tenant.id, generation: { generation_id: ids.generation } },
        },
      ].filter(({ args }) => JSON.stringify(args) !== JSON.stringify(inCapitals(args)));
      expect(asked.length).toBeGreaterThan(10);
      for (const { tool, args } of asked) {
        const [lower, capitals] = [await callTool(mcp, tool, args), await callTool(mcp, tool, inCapitals(args))];
        const named = [lower, capitals].map((answer) =>
          idsNamedBy({
            text: JSON.stringify([textOf(answer), answer.structuredContent]),
            requestId: requestIdOf(answer),
          }),
        );
        const name = `${tool} ${JSON.stringify(args)}`;
        expect([name, capitals.isError, named[1]]).toEqual([name, lower.isError, named[0]]);
      }
    }, 120_000);

    it('name the same session', async () => {
      const { sessionId } = (await client.call(passageSessionRoute)).data;
      const search = async (session: string) =>
        (await client.call(passageSearchRoute, { body: { query: QUERY, sessionId: session } })).data.results.length;
      expect(await search(sessionId)).toBeGreaterThan(0);
      expect(await search(sessionId.toUpperCase())).toBe(0);
    });

    it('pass by no rule: what is refused in lower case is refused', async () => {
      const own = await createKey(client, { actorType: 'admin', allowedActions: ['admin'] });
      const ownKey = own.id.toUpperCase();
      const selfRevoke = { status: 409, type: 'API_KEY.SELF_REVOKE' } as const;
      expectError(await own.client.delete(`/v1/api-keys/${ownKey}`), selfRevoke);
      expectError(await own.client.post('/v1/erasures', { kind: 'person', apiKeyIds: [ownKey] }), selfRevoke);
      const document = buildDocument({ externalId: 'of-a-source' });
      const push = (...connectorIds: string[]) =>
        client.post('/v1/ingest', { documents: connectorIds.map((connectorId) => ({ ...document, connectorId })) });
      expectError(await push(ids.source.toUpperCase()), {
        status: 400,
        type: 'REQUEST.INVALID',
        field: 'documents[0].connectorId',
      });
      expectError(await push(ids.collection, ids.collection.toUpperCase()), {
        status: 400,
        type: 'REQUEST.INVALID',
        field: 'documents[1].externalId',
      });
    });

    it('reach what they name from the bodies that write', async () => {
      const salt = buildDocument({ externalId: 'salt', body: 'The recipe needs salt.' });
      const collectionIds = [ids.collection, ids.collection.toUpperCase()];
      const push = async (connectorId: string) => {
        const documents = [{ ...salt, connectorId, collectionIds }];
        return (await client.call(ingestRoute, { body: { documents } })).items[0]?.sourceItemId ?? '';
      };
      const first = await push(ids.collection);
      expect(await push(ids.collection.toUpperCase())).toBe(first);
      const members = await client.call(listCollectionItemsRoute, { params: { id: ids.collection } });
      expect(members.data.map(({ itemId }) => itemId)).toContain(first);
      const whole = { kind: 'tenant' as const, confirm: 'Capitals', dryRun: true };
      const { data } = await client.call(createErasureRoute, { body: { ...whole, tenantId: tenant.id.toUpperCase() } });
      expect(data).toMatchObject({ erasure: null, found: { collections: expect.any(Number) } });
    });

    // The last one: its deletes end what the others ask for.
    it('are taken on every route, and kept and told in lower case', async () => {
      const [expected, given]: [unknown[], unknown[]] = [[], []];
      for (const { route, ...sample } of samples.filter(namesIds)) {
        const name = `${route.method} ${route.path}`;
        const sender = isOfInstallation(route) ? world().admin : client;
        const response = await send(sender, route, inCapitals(sample));
        const events = await readEvents(sender, response.requestId);
        // Verdicts name a citation as the caller did.
        const told = route.path === '/v1/citations/verify' ? [] : capitalIdsIn(response.text);
        expected.push([name, route.status, [], route.audit, []]);
        given.push([
          name,
          response.status,
          told,
          events.find(({ action }) => action === route.audit)?.action,
          capitalIdsIn(JSON.stringify(events)),
        ]);
      }
      expect(given).toEqual(expected);
      expect(given.length).toBeGreaterThan(40);
    }, 240_000);
  });
}

function withoutSession<Sample extends SampleRequest>(sample: Sample): Sample {
  const { sessionId: _session, ...body } = Object(sample.body) as { sessionId?: string };
  return sample.body === undefined ? sample : { ...sample, body };
}
