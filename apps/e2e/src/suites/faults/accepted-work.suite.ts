import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, it } from '@jest/globals';
import { runRedisCommand, waitFor, type ApiClient, type ServiceProcessName } from '@candor/testkit';
import { expectIndexedOnce } from '../../harness/indexed-once.js';
import { buildDocuments, push } from '../../harness/ingest.js';
import type { FaultyWorld } from '../../harness/start-behind-proxies.js';
import { createTenant } from '../../harness/tenants.js';

const BATCHES = 4;
const BATCH = 500;

/** A 202 is never lost: two thousand items, and one thing after another fails while they are on their way. */
export function describeAcceptedWork(world: () => FaultyWorld): void {
  describe('accepted work', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Accepted work')).admin;
    });

    async function kill(service: ServiceProcessName): Promise<void> {
      const [pid] = await waitFor(
        async () => {
          const pids = await world().running.findService(service);
          return pids.length > 0 ? pids : undefined;
        },
        { what: service },
      );
      process.kill(pid ?? -1, 'SIGKILL');
    }

    it(`survives everything: ${BATCHES * BATCH} items are indexed, each once`, async () => {
      const { redis, elasticsearch, postgres, redisUrl } = world();
      const batches = Array.from({ length: BATCHES }, (_, number) => buildDocuments(BATCH, `Storm${number}x`));
      const accepted = [];
      for (const documents of batches) accepted.push(await push(client, documents));
      const failures: (() => Promise<unknown>)[] = [
        () => kill('ingestion-worker'),
        () => runRedisCommand(redisUrl, 'FLUSHDB'),
        () => elasticsearch.cut(),
        () => kill('gateway'),
        () => redis.cut(),
        () => kill('ingestion-worker'),
        () => postgres.cut(),
        () => runRedisCommand(redisUrl, 'FLUSHDB'),
      ];
      for (const fail of failures) {
        await delay(3_000);
        await fail();
        await delay(3_000);
        await Promise.all([redis.restore(), elasticsearch.restore(), postgres.restore()]);
      }
      await waitFor(async () => (await world().anonymous.get('/readyz')).status === 200, { what: 'readiness' });
      for (const [number, documents] of batches.entries()) {
        const batch = accepted[number];
        if (!batch) throw new Error('a batch was not accepted');
        await expectIndexedOnce(client, batch, documents, 600_000);
      }
    }, 900_000);
  });
}
