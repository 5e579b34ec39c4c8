import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { contextRoute, ingestionRoute, passageSessionRoute, reasonRoute } from '@candor/contracts';
import { buildDocument } from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { ingest, push, waitUntilDone } from '../../harness/ingest.js';
import { createKey, createTenant, type Tenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

/** What one caller's choices must not do to another: key ids, request ids, hidden items, shared connections. */
export function describeBoundaries(world: WorldOf): void {
  describe('boundaries', () => {
    let ours: Tenant;
    let theirs: Tenant;

    beforeAll(async () => {
      ours = await createTenant(world(), 'Boundaries A');
      theirs = await createTenant(world(), 'Boundaries B');
    });

    it('lets no other admin key act for the installation key or take it away', async () => {
      const { admin } = world();
      const me = (await admin.get('/v1/user/me')).body as { data: { id: string } };
      const other = await createKey(admin, { actorType: 'admin', allowedActions: ['admin'] });
      const path = `/v1/api-keys/${me.data.id}`;
      for (const response of [
        await other.client.post(`${path}/rotate`, {}),
        await other.client.send('PATCH', path, { body: { name: 'mine now' } }),
        await other.client.delete(path),
      ])
        expectError(response, { status: 403, type: 'AUTH.ACTION_NOT_ALLOWED' });
      expect((await admin.get('/v1/user/me')).status).toBe(200);
    });

    it('audits authenticated requests that never reach a handler, and answers strangers before it reads a body', async () => {
      const { client } = await createKey(ours.admin);
      const refused = [
        await client.send('POST', '/v1/search', { rawBody: '{"query":' }),
        await client.send('POST', '/v1/search', { rawBody: 'query', headers: { 'content-type': 'text/plain' } }),
        await client.get('/v1/nothing-here'),
      ];
      expect(refused.map((response) => response.status)).toEqual([400, 415, 404]);
      for (const { requestId } of refused)
        expect(await readEvents(ours.admin, requestId)).toMatchObject([{ action: 'access.denied', outcome: 'denied' }]);
      const stranger = await world().anonymous.send('POST', '/v1/search', { rawBody: '{"query":' });
      expectError(stranger, { status: 401, type: 'AUTH.MISSING_KEY' });
    });

    it('keeps apart two tenants that chose the same request id', async () => {
      const requestId = randomUUID();
      const headers = { 'x-request-id': requestId };
      for (const { admin } of [ours, theirs]) {
        const document = buildDocument({ externalId: 'same-id', body: 'The ferry to Aurland sails at nine.' });
        expect((await admin.post('/v1/ingest', { documents: [document] }, headers)).status).toBe(202);
        await waitUntilDone(admin, requestId);
      }
      const body = { query: 'When does the ferry to Aurland sail?' };
      const answers = await Promise.all(
        [ours, theirs].map(({ admin }) => admin.call(reasonRoute, { body, headers: { 'x-request-id': randomUUID() } })),
      );
      for (const { data } of answers) expect(data.citations).toHaveLength(1);
    });

    it('does not let a hidden item hide a visible one, or show by its effects', async () => {
      const acl = (user: string) => ({ provider: 'slack' as const, mode: 'acl' as const, principals: [user] });
      await ingest(ours.admin, [
        {
          externalId: 'tariff-1',
          title: 'Tariff',
          body: 'The tariff of the lighthouse is 12 crowns.',
          accessPolicy: acl('user:a@x.example'),
        },
        {
          externalId: 'tariff-2',
          title: 'Tariff, new',
          body: 'The tariff of the lighthouse is 15 crowns.',
          accessPolicy: acl('user:b@x.example'),
          supersedes: ['tariff-1'],
        },
      ]);
      const { client } = await createKey(ours.admin, { principals: ['user:a@x.example'] });
      const body = { query: 'What is the tariff of the lighthouse?', contractVersion: '1.1' as const };
      const contract = await client.call(contextRoute, { body });
      expect(contract.hits.map((hit) => hit.title)).toEqual(['Tariff']);
      expect(contract.exclusions.map((exclusion) => exclusion.type)).not.toContain('superseded');
      const everything = await ours.admin.call(contextRoute, { body });
      expect(everything.hits.map((hit) => hit.title)).toEqual(['Tariff, new']);
    });

    it('shows the progress of an ingest request to the key that made it and to nobody who may not see its items', async () => {
      const { client } = await createKey(ours.admin, { allowedActions: ['ingest'], allowedProviders: ['slack'] });
      const { client: other } = await createKey(ours.admin, {
        allowedActions: ['ingest'],
        allowedProviders: ['notion'],
      });
      const { requestId } = await push(client, [{ externalId: 'progress' }]);
      expect((await waitUntilDone(client, requestId)).items).toHaveLength(1);
      expectError(await other.get(`/v1/ingestions/${requestId}`), { status: 404, type: 'RESOURCE.NOT_FOUND' });
      expect((await ours.admin.call(ingestionRoute, { params: { requestId } })).items).toHaveLength(1);
    });

    it('serves many searches of one session at once, and shows no chunk twice', async () => {
      await ingest(
        ours.admin,
        Array.from({ length: 12 }, (_, index) => ({
          externalId: `pier-${index}`,
          body: `Pier ${index} of Aurland has ${index + 3} bollards.`,
        })),
      );
      const { sessionId } = (await ours.admin.call(passageSessionRoute)).data;
      const body = { query: 'How many bollards do the piers of Aurland have?', sessionId, limit: 2 };
      const responses = await Promise.all(Array.from({ length: 24 }, () => ours.admin.post('/v1/pd/search', body)));
      expect(responses.map((response) => response.status)).toEqual(responses.map(() => 200));
      const shown = responses.flatMap(({ body: answer }) =>
        (answer as { data: { results: { chunkId: string }[] } }).data.results.map((passage) => passage.chunkId),
      );
      expect(new Set(shown).size).toBe(shown.length);
    });
  });
}
