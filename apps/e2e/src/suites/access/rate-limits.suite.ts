import { beforeAll, describe, expect, it } from '@jest/globals';
import { updateApiKeyRoute } from '@candor/contracts';
import type { ApiClient, ApiResponse } from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { push } from '../../harness/ingest.js';
import { createKey, createTenant, type IssuedKey, type KeyFields } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

/** So many requests a minute, for each key and action. */
export function describeRateLimits(world: WorldOf): void {
  describe('rate limits', () => {
    let admin: ApiClient;
    beforeAll(async () => {
      admin = (await createTenant(world(), 'Limits')).admin;
    });

    const limited = (fields: KeyFields = {}): Promise<IssuedKey> =>
      createKey(admin, { rateLimitPerMinute: 3, ...fields });
    const search = (client: ApiClient): Promise<ApiResponse> => client.post('/v1/search', { query: 'tide tables' });
    async function exhaust(client: ApiClient): Promise<ApiResponse> {
      // A window may end in between, so the refusal can come up to three requests late.
      for (let tries = 0; tries < 8; tries += 1) {
        const response = await search(client);
        if (response.status === 429) return response;
      }
      throw new Error('the limit was never reached');
    }

    it('count down in the headers and end in a 429 that says when to come back', async () => {
      const { client, id } = await limited();
      const first = await search(client);
      expect(first.status).toBe(200);
      expect(first.headers.get('x-ratelimit-limit')).toBe('3');
      expect(first.headers.get('x-ratelimit-remaining')).toBe('2');
      const refused = await exhaust(client);
      expectError(refused, {
        status: 429,
        type: 'RATE_LIMIT.EXCEEDED',
        message: 'This key may make 3 "search" requests a minute.',
      });
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
      const reset = Number(refused.headers.get('x-ratelimit-reset'));
      expect(reset).toBeGreaterThan(0);
      expect(reset).toBeLessThanOrEqual(60);
      expect(refused.headers.get('retry-after')).toBe(String(reset));
      const [event] = await readEvents(admin, refused.requestId);
      expect(event).toMatchObject({ action: 'access.denied', outcome: 'denied', actorApiKeyId: id });
    });

    it('are counted for each key and action on its own', async () => {
      const { client } = await limited();
      await exhaust(client);
      expect((await client.post('/v1/context', { query: 'tide tables' })).status).toBe(200);
      expect((await search((await limited()).client)).status).toBe(200);
    });

    it('hold for all of many requests at once', async () => {
      const { client } = await limited({ rateLimitPerMinute: 5 });
      const responses = await Promise.all(Array.from({ length: 20 }, () => search(client)));
      const passed = responses.filter((response) => response.status === 200).length;
      // Twice the limit only if a window ends just then.
      expect([5, 10]).toContain(passed);
    });

    it('do not touch the status of an ingestion, nor health', async () => {
      const { client } = await limited({ allowedActions: ['ingest'], rateLimitPerMinute: 1 });
      const { requestId } = await push(client, [{}]);
      for (let tries = 0; tries < 5; tries += 1) {
        const response = await client.get(`/v1/ingestions/${requestId}`);
        expect(response.status).toBe(200);
        expect(response.headers.has('x-ratelimit-limit')).toBe(false);
        expect((await client.get('/healthz')).status).toBe(200);
      }
    });

    it("do not touch the installation's first key", async () => {
      const responses = await Promise.all(Array.from({ length: 80 }, () => world().admin.get('/v1/user/me')));
      expect(responses.map((response) => response.status)).toEqual(Array(80).fill(200));
      expect(responses[0]?.headers.has('x-ratelimit-limit')).toBe(false);
    });

    it('can be lifted, from the next request on', async () => {
      const { client, id } = await limited();
      await exhaust(client);
      await admin.call(updateApiKeyRoute, { params: { id }, body: { rateLimitPerMinute: null } });
      expect((await search(client)).status).toBe(200);
    });
  });
}
