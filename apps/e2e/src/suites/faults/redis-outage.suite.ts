import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  contextRoute,
  findItemsRoute,
  ingestRoute,
  passageSearchRoute,
  reasonRoute,
  searchRoute,
  sourceItemRoute,
  verifyCitationsRoute,
  type IngestResponse,
  type ResponseOf,
} from '@candor/contracts';
import { fillPath, runRedisCommand, waitFor, type ApiClient, type ApiResponse } from '@candor/testkit';
import { expectError } from '../../harness/expect-error.js';
import { expectServed } from '../../harness/fault-ledger.js';
import { expectIndexedOnce } from '../../harness/indexed-once.js';
import { buildDocuments, ingestOne, push } from '../../harness/ingest.js';
import type { MortalWorld } from '../../harness/start-behind-proxies.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import { waitForSome } from './worker-loss.suite.js';

const PROMISE = 'Redis down';
const QUERY = 'When does the weather station of Nesvik report?';
const SENTENCE = 'The weather station of Nesvik reports at every full hour.';

/** Redis dead, silent or emptied: what needs no queue goes on, what was accepted is not lost, nothing hangs. */
export function describeRedisOutage(world: () => MortalWorld): void {
  describe('Redis', () => {
    let client: ApiClient;
    let itemId: string;
    let chunkId: string;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Redis outage')).admin;
      itemId = await ingestOne(client, {
        title: 'Weather station of Nesvik',
        body: SENTENCE,
        accessPolicy: { provider: 'slack', mode: 'provider_scope' },
      });
      chunkId = (await client.call(sourceItemRoute, { params: { id: itemId } })).chunkIds[0] ?? '';
    });

    /** Each kind of read that needs no queue: by meaning, as it is written, in contracts, by id. All of them name the item or its chunk. */
    const read = (): Promise<ApiResponse>[] => [
      client.post(contextRoute.path, { query: QUERY, contractVersion: '1.1' }),
      client.post(passageSearchRoute.path, { query: QUERY }),
      client.get(`/v1/pd/read/${chunkId}`),
      client.get(fillPath(sourceItemRoute.path, { id: itemId })),
      client.get(`/v1/documents/${itemId}`),
      client.get(`${findItemsRoute.path}?q=weather+station&type=documents`),
      client.get(`${findItemsRoute.path}?q=every+full+hour&type=documents&semantic=false`),
      client.post(verifyCitationsRoute.path, { citations: [{ chunkId, quotation: SENTENCE }] }),
    ];
    // Also after a test that failed on its way: the suites that follow need the server.
    afterEach(async () => {
      await world().servers.startDead();
      await world().redis.restore();
    }, 120_000);

    const outages: [string, () => Promise<void>, () => Promise<void>][] = [
      ['killed', () => world().servers.kill('redis'), () => world().servers.start('redis')],
      ['silent', async () => world().redis.freeze(), () => world().redis.restore()],
    ];
    it.each(outages)(
      '%s: reads and ingest go on, reason says 503 within 2 s, and all of it recovers',
      async (name, fail, mend) => {
        await fail();
        const limited = await createKey(client, { rateLimitPerMinute: 2 });
        const documents = buildDocuments(20, `Without-${name}`);
        const [search, , pushed, ...readings] = await expectServed(PROMISE, 'requests without Redis', [
          client.post(searchRoute.path, { query: QUERY }),
          limited.client.post(searchRoute.path, { query: QUERY }),
          client.post(ingestRoute.path, { documents }),
          ...read(),
        ]);
        expect((search?.body as ResponseOf<typeof searchRoute>).hits).toHaveLength(1);
        for (const { text } of readings) expect(text).toMatch(new RegExp(`${itemId}|${chunkId}`));
        const accepted = pushed?.body as IngestResponse;

        const startedAt = performance.now();
        const refused = await client.post('/v1/reason', { query: QUERY });
        const tookMs = performance.now() - startedAt;
        expectError(refused, {
          status: 503,
          type: 'DEPENDENCY.QUEUE_UNAVAILABLE',
          message: 'The job queue cannot be reached.',
        });
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(tookMs).toBeLessThan(2_000);
        expect((await world().anonymous.get('/readyz')).status).toBe(200);

        await mend();
        await waitFor(async () => (await client.post('/v1/reason', { query: QUERY })).status === 200, {
          what: 'reason after the outage',
        });
        const { data } = await client.call(reasonRoute, { body: { query: QUERY } });
        expect(data.answer).toContain('at every full hour');
        await expectIndexedOnce(client, accepted, documents, 180_000);
      },
      240_000,
    );

    it('killed, and then the gateway: another one gets ready without it and answers searches', async () => {
      await world().servers.kill('redis');
      const [gateway] = await world().running.findService('gateway');
      if (gateway === undefined) throw new Error('there is no gateway');
      process.kill(gateway, 'SIGKILL');
      const report = await waitFor(
        async () => {
          const { status, body } = await world().anonymous.get('/readyz');
          return status === 200 && (body as { status: string; checks: Record<string, string> });
        },
        { what: 'a gateway that is ready', timeoutMs: 150_000 },
      );
      expect(report).toMatchObject({ status: 'degraded', checks: { database: 'ok', queue: 'failed' } });
      const searches = [client.post(searchRoute.path, { query: QUERY })];
      const [answer] = await expectServed(PROMISE, 'requests to a gateway that started without Redis', searches);
      expect((answer?.body as ResponseOf<typeof searchRoute>).hits).toHaveLength(1);
    }, 200_000);

    it('emptied in the middle of 500 items: all are indexed, each once', async () => {
      const tenant = await createTenant(world(), 'Redis emptied');
      const documents = buildDocuments(500, 'Flush');
      const accepted = await push(tenant.admin, documents);
      await waitForSome(tenant.admin, accepted.requestId, 50);
      expect(await runRedisCommand(world().redisUrl, 'FLUSHDB')).toBe('+OK');
      await expectIndexedOnce(tenant.admin, accepted, documents, 300_000);
    }, 360_000);
  });
}
