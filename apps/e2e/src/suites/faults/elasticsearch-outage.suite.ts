import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ingestionRoute, searchRoute } from '@candor/contracts';
import { waitFor, type ApiClient, type ApiResponse } from '@candor/testkit';
import { readEvents, waitForEvent } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { expectServed } from '../../harness/fault-ledger.js';
import { expectIndexedOnce } from '../../harness/indexed-once.js';
import { buildDocuments, ingestOne, push } from '../../harness/ingest.js';
import type { MortalWorld } from '../../harness/start-behind-proxies.js';
import { createTenant } from '../../harness/tenants.js';

const QUERY = 'Who keeps the ferry timetable of Rossund?';
/** Of the circuit before the index, and milliseconds until one search tries again. */
const FAILURES_UNTIL_OPEN = 5;
const RESET_MS = 2_000;
/** Far from the deadline of 10 s, at which unanswered searches end. */
const REFUSED_WITHIN_MS = 2_000;

/** Elasticsearch away: a clear 503 and never "nothing found"; what was accepted waits and goes on by itself. */
export function describeElasticsearchOutage(world: () => MortalWorld): void {
  describe('Elasticsearch', () => {
    let client: ApiClient;
    let itemId: string;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Elasticsearch outage')).admin;
      itemId = await ingestOne(client, {
        title: 'Ferry timetable of Rossund',
        body: 'The harbor master keeps the ferry timetable of Rossund.',
        accessPolicy: { provider: 'slack', mode: 'provider_scope' },
      });
    });
    // Also after a test that failed on its way: the suites that follow need the server.
    afterEach(async () => {
      await world().servers.startDead();
      await world().elasticsearch.restore();
    }, 120_000);

    it.each(['/v1/search', '/v1/context', '/v1/pd/search', '/v1/reason'])(
      'gone: 503 from %s, never empty',
      async (path) => {
        await world().elasticsearch.cut();
        const response = await client.post(path, { query: QUERY });
        expectError(response, {
          status: 503,
          type: 'DEPENDENCY.INDEX_UNAVAILABLE',
          message: 'The search index cannot be reached.',
        });
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        const events = await readEvents(client, response.requestId);
        expect(events.at(-1)).toMatchObject({ outcome: 'failed' });
        // What the truth alone can answer is answered.
        const reads = [client.get(`/v1/source-items/${itemId}`)];
        await expectServed('Elasticsearch down', 'reads without the index', reads);
      },
    );

    it('silent: an error within the deadline, never empty', async () => {
      world().elasticsearch.freeze();
      const response = await client.post('/v1/search', { query: QUERY });
      expect([503, 504]).toContain(response.status);
    }, 30_000);

    it('silent, and known to be: searches are refused at once, but for the one that tries', async () => {
      world().elasticsearch.freeze();
      const timed = async (): Promise<{ response: ApiResponse; isSlow: boolean }> => {
        const startedAt = performance.now();
        const response = await client.post('/v1/search', { query: QUERY });
        return { response, isSlow: performance.now() - startedAt >= REFUSED_WITHIN_MS };
      };
      const together = (count: number) => Promise.all(Array.from({ length: count }, timed));
      const isKnown = async (): Promise<boolean> =>
        (await together(2 * FAILURES_UNTIL_OPEN)).some(({ isSlow }) => !isSlow);
      await waitFor(isKnown, { what: 'a search that is refused at once', timeoutMs: 90_000 });
      await delay(RESET_MS);
      const outcomes = await together(10);
      const slow = outcomes.filter(({ isSlow }) => isSlow);
      expect(slow.length).toBeLessThanOrEqual(1);
      for (const { response } of slow) expect([503, 504]).toContain(response.status);
      for (const { response } of outcomes.filter(({ isSlow }) => !isSlow)) {
        expectError(response, { status: 503, type: 'DEPENDENCY.INDEX_UNAVAILABLE' });
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      }
    }, 150_000);

    it('back: found again by itself', async () => {
      const found = async (): Promise<boolean> => (await client.post('/v1/search', { query: QUERY })).status === 200;
      await waitFor(found, { what: 'a search that is answered' });
    });

    it('silent: a caller that goes away ends its search, and the trail says so', async () => {
      world().elasticsearch.freeze();
      const requestId = randomUUID();
      const headers = { 'x-request-id': requestId };
      const signal = AbortSignal.timeout(1_000);
      await expect(client.send('POST', '/v1/search', { body: { query: QUERY }, headers, signal })).rejects.toThrow();
      const event = await waitForEvent(client, { requestId, action: 'search.query' });
      expect(event).toMatchObject({ outcome: 'refused', metadata: { errorType: 'REQUEST.CANCELLED' } });
    }, 60_000);

    it('killed while items are indexed: they wait, unfailed, and go on by themselves', async () => {
      await world().servers.kill('elasticsearch');
      const documents = buildDocuments(30, 'Parked');
      const accepted = await push(client, documents);
      await waitFor(
        async () => {
          const { counts } = await client.call(ingestionRoute, { params: { requestId: accepted.requestId } });
          return (counts.indexing ?? 0) > 0;
        },
        { what: 'items that want to be indexed' },
      );
      const during = await waitFor(
        async () => {
          const status = await client.call(ingestionRoute, { params: { requestId: accepted.requestId } });
          return status.items.some(({ waiting }) => waiting !== undefined) && status;
        },
        { what: 'an attempt that failed' },
      );
      expect(during.done).toBe(false);
      expect(during.counts.failed ?? 0).toBe(0);
      await world().servers.start('elasticsearch');
      await expectIndexedOnce(client, accepted, documents, 180_000);
      const { hits } = await client.call(searchRoute, { body: { query: QUERY } });
      expect(hits).not.toEqual([]);
    }, 240_000);

    it('gone while an item is deleted: hidden at once, certified only when its chunks are gone', async () => {
      const doomed = await ingestOne(client, { title: 'Doomed', body: 'The doomed buoy of Rossund is red.' });
      await world().elasticsearch.cut();
      const deleted = await client.delete(`/v1/source-items/${doomed}`);
      expect([deleted.status, deleted.body]).toEqual([202, { sourceItemId: doomed, status: 'deleting' }]);
      expect((await client.get(`/v1/source-items/${doomed}`)).status).toBe(404);
      await delay(2_000);
      expect((await readEvents(client, deleted.requestId)).map((event) => event.action)).toEqual(['item.delete']);
      await world().elasticsearch.restore();
      await waitFor(
        async () => (await readEvents(client, deleted.requestId)).some((event) => event.action === 'item.deleted'),
        { what: 'the certificate', timeoutMs: 120_000 },
      );
    }, 180_000);
  });
}
