import { beforeAll, describe, expect, it } from '@jest/globals';
import { quotasRoute, setQuotasRoute, type Quota, type QuotaLimits, type QuotaState } from '@candor/contracts';
import { buildDocument, type ApiResponse } from '@candor/testkit';
import { expectError } from '../../harness/expect-error.js';
import { ingestAndWait, push, waitUntilDone } from '../../harness/ingest.js';
import { createKey, createTenant, type Tenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

/** What a tenant may have and do; what was accepted is never lost by it. */
export function describeQuotas(world: WorldOf): void {
  describe('quotas', () => {
    let tenant: Tenant;
    let other: Tenant;
    beforeAll(async () => {
      tenant = await createTenant(world(), 'Quotas');
      other = await createTenant(world(), 'No quotas');
    });

    const setLimits = (limits: QuotaLimits, tenantId = tenant.id) =>
      world().admin.call(setQuotasRoute, { body: { tenantId, limits } });
    const stateOf = async (quota: Quota): Promise<QuotaState | undefined> =>
      (await tenant.admin.call(quotasRoute)).data.quotas.find((state) => state.quota === quota);
    const ingestBodies = (...bodies: string[]): Promise<ApiResponse> =>
      tenant.admin.post('/v1/ingest', { documents: bodies.map((body) => buildDocument({ body })) });

    it('are set by the installation’s key and shown to whoever sees the whole tenant', async () => {
      const set = await setLimits({ items: 1000, answersPerDay: null });
      expect(set.data.tenantId).toBe(tenant.id);
      const { data } = await tenant.admin.call(quotasRoute);
      expect(data.quotas).toEqual([
        { quota: 'items', limit: 1000, isOwn: true, used: 0, resetAt: null },
        { quota: 'storageBytes', limit: null, isOwn: false, used: 0, resetAt: null },
        { quota: 'queuedIngestions', limit: null, isOwn: false, used: 0, resetAt: null },
        { quota: 'requestsPerMinute', limit: null, isOwn: false, used: 0, resetAt: null },
        { quota: 'answersPerDay', limit: null, isOwn: true, used: 0, resetAt: null },
      ]);
      expectError(await tenant.admin.send('PUT', '/v1/quotas', { body: { tenantId: tenant.id, limits: {} } }), {
        status: 403,
        type: 'AUTH.ACTION_NOT_ALLOWED',
        message: "Only the installation's first key can set quotas.",
      });
      const part = await createKey(tenant.admin, {
        actorType: 'admin',
        allowedActions: ['admin'],
        principals: ['user:a'],
      });
      expect((await part.client.get('/v1/quotas')).status).toBe(403);
      const nobody = { tenantId: '9a1b2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d', limits: {} };
      expectError(await world().admin.send('PUT', '/v1/quotas', { body: nobody }), {
        status: 404,
        type: 'RESOURCE.NOT_FOUND',
      });
    });

    it('refuse what would exceed them, whole, and take in what fits', async () => {
      await setLimits({ items: 2 });
      await ingestAndWait(tenant.admin, [buildDocument({ externalId: 'kept', body: 'The first of two.' })]);
      const refused = await ingestBodies('One.', 'Two.');
      expectError(refused, { status: 403, type: 'QUOTA.EXCEEDED' });
      expect((refused.body as { error: { details: unknown } }).error.details).toEqual({
        quota: 'items',
        limit: 2,
        used: 1,
        resetAt: null,
      });
      expect((await tenant.admin.get(`/v1/ingestions/${refused.requestId}`)).status).toBe(404);
      expect((await ingestBodies('The second of two.')).status).toBe(202);
      expect(await stateOf('items')).toMatchObject({ limit: 2, used: 2 });
      // A new version is no new item.
      await ingestAndWait(tenant.admin, [buildDocument({ externalId: 'kept', body: 'The first of two, edited.' })]);
      const upload = await tenant.admin.post('/v1/documents', { title: 'More', content: 'A third.' });
      expectError(upload, { status: 403, type: 'QUOTA.EXCEEDED' });
      expect((await push(other.admin, [buildDocument({})])).items).toHaveLength(1);
      await setLimits({ storageBytes: 10 });
      expectError(await ingestBodies('Many more bytes than ten.'), { status: 403, type: 'QUOTA.EXCEEDED' });
    });

    it('finish what was accepted before they were lowered', async () => {
      await setLimits({});
      const accepted = await push(tenant.admin, [buildDocument({ externalId: 'before', body: 'Accepted before.' })]);
      await setLimits({ items: 0, storageBytes: 0, queuedIngestions: 0 });
      expect((await ingestBodies('After.')).status).toBeGreaterThanOrEqual(400);
      await ingestAndWait(other.admin, [buildDocument({ body: 'Beside.' })]);
      expect(await waitUntilDone(tenant.admin, accepted.requestId)).toMatchObject({
        done: true,
        counts: { indexed: 1 },
      });
    });

    it('bound how much waits: 429, and when to come back', async () => {
      await setLimits({ queuedIngestions: 0 });
      const refused = await ingestBodies('Waits.');
      expectError(refused, { status: 429, type: 'QUOTA.QUEUE_FULL' });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    });

    it('bound the requests of all keys of a tenant together', async () => {
      await setLimits({ requestsPerMinute: 4 });
      const keys = [await createKey(tenant.admin), await createKey(tenant.admin)];
      const responses: ApiResponse[] = [];
      // A window may end in between, so the refusal can come up to four requests late.
      for (let index = 0; index < 10 && responses.at(-1)?.status !== 429; index += 1)
        responses.push(await keys[index % 2]!.client.get('/v1/user/me'));
      const refused = responses.at(-1);
      if (!refused) throw new Error('nothing was sent');
      expectError(refused, { status: 429, type: 'QUOTA.RATE_EXCEEDED' });
      expect((refused.body as { error: { details: object } }).error.details).toMatchObject({
        quota: 'requestsPerMinute',
        limit: 4,
        used: 4,
        resetAt: expect.any(String),
      });
      expect(await stateOf('requestsPerMinute')).toMatchObject({ limit: 4, used: 4, resetAt: expect.any(String) });
      expect((await other.admin.get('/v1/user/me')).status).toBe(200);
      await setLimits({});
      expect((await keys[0]!.client.get('/v1/user/me')).status).toBe(200);
    });

    it('bound the answers of a day', async () => {
      await setLimits({ answersPerDay: 1 });
      const ask = () => tenant.admin.post('/v1/reason', { query: 'What is the first of two?' });
      expect((await ask()).status).toBe(200);
      expectError(await ask(), { status: 429, type: 'QUOTA.RATE_EXCEEDED' });
      expect((await tenant.admin.post('/v1/search', { query: 'first' })).status).toBe(200);
      await setLimits({});
      expect((await ask()).status).toBe(200);
    });
  });
}
