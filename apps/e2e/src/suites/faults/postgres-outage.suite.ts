import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor, type ApiClient } from '@candor/testkit';
import { expectError } from '../../harness/expect-error.js';
import { expectIndexedOnce } from '../../harness/indexed-once.js';
import { buildDocuments, push } from '../../harness/ingest.js';
import type { MortalWorld } from '../../harness/start-behind-proxies.js';
import { createTenant } from '../../harness/tenants.js';
import { waitForSome } from './worker-loss.suite.js';

const REQUESTS: [string, string, unknown?][] = [
  ['POST', '/v1/search', { query: 'anything' }],
  ['POST', '/v1/context', { query: 'anything' }],
  ['POST', '/v1/reason', { query: 'anything' }],
  ['POST', '/v1/pd/search', { query: 'anything' }],
  ['GET', '/v1/user/me'],
  ['GET', '/v1/collections'],
  ['POST', '/v1/collections', { name: 'Never made' }],
];

/** Postgres away: no response without its audit row, so none at all but 503; everything comes back by itself. */
export function describePostgresOutage(world: () => MortalWorld): void {
  describe('Postgres', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Postgres outage')).admin;
    });
    // Also after a test that failed on its way: the suites that follow need the server.
    afterEach(async () => {
      await world().servers.startDead();
      await world().postgres.restore();
    }, 120_000);

    const recover = async (): Promise<void> => {
      await world().postgres.restore();
      await waitFor(async () => (await world().anonymous.get('/readyz')).status === 200, { what: 'readiness' });
      await waitFor(async () => (await client.post('/v1/search', { query: 'anything' })).status === 200, {
        what: 'search',
      });
    };

    it('gone: every request is a 503, the gateway lives and is not ready', async () => {
      await world().postgres.cut();
      for (const [method, path, body] of REQUESTS) {
        const response = await client.send(method, path, body === undefined ? {} : { body });
        expectError(response, {
          status: 503,
          type: 'DEPENDENCY.DATABASE_UNAVAILABLE',
          message: 'The database cannot be reached.',
        });
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect((await world().anonymous.get('/healthz')).status).toBe(200);
      await waitFor(async () => (await world().anonymous.get('/readyz')).status === 503, { what: 'unreadiness' });
      await recover();
      const made = await client.get('/v1/collections?search=Never');
      expect(made.body).toMatchObject({ data: [] });
    }, 120_000);

    it('silent: an error in time, and recovery', async () => {
      world().postgres.freeze();
      const response = await client.post('/v1/search', { query: 'anything' });
      expect([503, 504]).toContain(response.status);
      await recover();
    }, 120_000);

    it('killed in the middle of 200 items: all are indexed, each once', async () => {
      const documents = buildDocuments(200, 'Blink');
      const accepted = await push(client, documents);
      await waitForSome(client, accepted.requestId, 20);
      await world().servers.kill('postgres');
      await waitFor(async () => (await client.post('/v1/search', { query: 'anything' })).status === 503, {
        what: '503',
      });
      await world().servers.start('postgres');
      await recover();
      await expectIndexedOnce(client, accepted, documents, 240_000);
    }, 300_000);
  });
}
