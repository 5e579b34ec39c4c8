import { beforeAll, describe, expect, it } from '@jest/globals';
import { auditEventsRoute, deadLettersRoute, ROUTES, searchRoute, type AuditEventView } from '@candor/contracts';
import { buildDocument, type ApiClient } from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { ingestAndWait } from '../../harness/ingest.js';
import { createKey, createTenant, type Tenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';
import { buildSampleRequests, isOfInstallation, type SampleRequest } from './sample-requests.js';

/** In what was pushed and nowhere else; no event may repeat it. */
const PLANTED = 'zephyrine-quokka-marmalade';

/** Every authenticated request leaves its trace, and the trace holds no content, secret or answer. */
export function describeAuditEvents(world: WorldOf): void {
  describe('audit events', () => {
    let tenant: Tenant;
    let client: ApiClient;
    let samples: SampleRequest[];
    const keys: string[] = [];

    beforeAll(async () => {
      tenant = await createTenant(world(), 'Audit');
      client = tenant.admin;
      keys.push(client.key ?? '');
      const { accepted } = await ingestAndWait(client, [
        buildDocument({
          externalId: 'planted',
          title: `Recipe of ${PLANTED}`,
          body: `The recipe of the ${PLANTED} needs three lemons.`,
          accessPolicy: { provider: 'slack', mode: 'provider_scope' },
        }),
        buildDocument({ externalId: 'empty', body: '<script>x</script>', mimeType: 'text/html' }),
      ]);
      const letters = await client.call(deadLettersRoute);
      samples = await buildSampleRequests(client, {
        itemId: accepted.items[0]?.sourceItemId ?? '',
        ingestionId: accepted.requestId,
        deadLetterId: letters.data[0]?.id ?? '',
      });
    });

    it('know every route of the API', () => {
      // Signed ones have no caller; what they do is in the trail of their source's tenant.
      const keyed = ROUTES.filter(({ action }) => action !== 'signed');
      const routes = keyed.map(({ method, path }) => `${method} ${path}`).sort();
      expect(samples.map(({ route }) => `${route.method} ${route.path}`).sort()).toEqual(routes);
    });

    it('are written for every kind of request, before its response', async () => {
      for (const { route, path, body } of samples) {
        // Tenants are made and limited by the installation's key, in whose tenant the event belongs.
        const sender = isOfInstallation(route) ? world().admin : client;
        const response = await sender.send(route.method, path, body === undefined ? {} : { body });
        expect([route.path, response.status]).toEqual([route.path, route.status]);
        const events = await readEvents(sender, response.requestId);
        const own = events.find((event) => event.action === route.audit);
        expect([route.path, own?.outcome]).toEqual([route.path, 'succeeded']);
        expect(own).toMatchObject({
          requestId: response.requestId,
          actorType: 'admin',
          actorApiKeyId: expect.any(String),
        });
        if (route.path.startsWith('/v1/api-keys') && response.text !== '')
          keys.push(...[...response.text.matchAll(/gm_\w+/g)].map(([key]) => key));
      }
    });

    it('are written for refused requests too', async () => {
      const weak = await createKey(client, { allowedActions: ['search'] });
      const refusals: [AuditEventView['outcome'], AuditEventView['action'], Awaited<ReturnType<ApiClient['send']>>][] =
        [
          ['denied', 'access.denied', await weak.client.post('/v1/context', { query: 'x' })],
          ['refused', 'search.query', await weak.client.post('/v1/search', {})],
          ['refused', 'item.read', await client.get('/v1/source-items/5d0b7c1e-7a52-4a85-9b6e-0f6c6c1d2e3f')],
          ['refused', 'item.read', await client.get('/v1/source-items/nonsense')],
          ['refused', 'ingest.request', await client.post('/v1/ingest', { documents: [] })],
        ];
      for (const [outcome, action, response] of refusals) {
        expect(response.status).toBeGreaterThanOrEqual(400);
        const events = await readEvents(client, response.requestId);
        expect(events.map((event) => [event.action, event.outcome])).toEqual([[action, outcome]]);
        expect(events[0]?.metadata).toHaveProperty('errorType');
      }
    });

    it('are not written for requests without a valid key, which are counted instead', async () => {
      const response = await world().anonymous.post('/v1/search', { query: 'x' });
      expectError(response, { status: 401, type: 'AUTH.MISSING_KEY' });
      expect(await readEvents(client, response.requestId)).toEqual([]);
      expect(await readEvents(world().admin, response.requestId)).toEqual([]);
      const { text } = await world().anonymous.get('/metrics');
      expect(text).toMatch(/^candor_\w*auth\w*.*[1-9]/im);
    });

    it('hold no content, no answer and no secret', async () => {
      const { data } = await client.call(auditEventsRoute, { query: { limit: 100 } });
      const text = JSON.stringify(data);
      expect(text).not.toContain(`recipe of the ${PLANTED}`);
      expect(text).not.toContain('three lemons');
      for (const key of keys) expect(text).not.toContain(key.split('_')[2] || 'no secret');
    });

    it('are kept under the id that the caller gave, if it is a UUID', async () => {
      const given = '0AF3C1B2-5D6E-4F70-8A9B-1C2D3E4F5061';
      const response = await client.send('POST', '/v1/search', {
        body: { query: 'lemons' },
        headers: { 'x-request-id': given },
      });
      expect(response.requestId).toBe(given.toLowerCase());
      expect(await readEvents(client, given.toLowerCase())).toHaveLength(1);
      for (const odd of ['not-a-uuid', '0AF3C1B25D6E4F708A9B1C2D3E4F5061', ' ']) {
        const replaced = await client.send('GET', '/v1/user/me', { headers: { 'x-request-id': odd } });
        expect(replaced.requestId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      }
    });

    it('keep the query, and which items it found', async () => {
      const response = await client.exchange(searchRoute, { body: { query: 'How many lemons?', limit: 3 } });
      const [event] = await readEvents(client, response.requestId);
      expect(event?.metadata).toMatchObject({
        query: 'How many lemons?',
        itemIds: response.body.hits.map((hit) => hit.sourceItemId),
        hits: response.body.hits.length,
        request: expect.objectContaining({ limit: 3 }),
      });
    });

    it('are found by action and time', async () => {
      const from = new Date().toISOString();
      await client.call(searchRoute, { body: { query: 'first' } });
      await client.get('/v1/user/me');
      const found = await client.call(auditEventsRoute, { query: { action: 'search.query', from } });
      expect(found.data.map((event) => event.action)).toEqual(['search.query']);
      const [event] = found.data;
      const upTo = await client.call(auditEventsRoute, { query: { from, to: event?.createdAt ?? '', limit: 100 } });
      expect(upTo.data.map((entry) => entry.id)).not.toContain(event?.id);
      const none = await client.call(auditEventsRoute, { query: { to: '2020-01-01T00:00:00Z' } });
      expect(none.data).toEqual([]);
    });

    it('come newest first, in pages that neither overlap nor skip', async () => {
      for (let index = 0; index < 7; index += 1) await client.call(searchRoute, { body: { query: `page ${index}` } });
      const events: AuditEventView[] = [];
      let cursor: string | null = null;
      do {
        const page: { data: AuditEventView[]; pagination: { cursor: string | null; hasMore: boolean } } =
          await client.call(auditEventsRoute, {
            query: { action: 'search.query', limit: 3, ...(cursor === null ? {} : { cursor }) },
          });
        expect(page.data.length).toBeLessThanOrEqual(3);
        expect(page.pagination.hasMore).toBe(page.pagination.cursor !== null);
        events.push(...page.data);
        cursor = page.pagination.cursor;
      } while (cursor !== null);
      expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
      const queries = events.flatMap(({ metadata: { query } }) => (typeof query === 'string' ? [query] : []));
      const expected = Array.from({ length: 7 }, (_, index) => `page ${6 - index}`);
      expect(queries.filter((query) => query.startsWith('page '))).toEqual(expected);
    });
  });
}
