import { beforeAll, describe, expect, it } from '@jest/globals';
import { ingestionRoute } from '@candor/contracts';
import { waitFor, type ApiClient } from '@candor/testkit';
import { expectIndexedOnce } from '../../harness/indexed-once.js';
import { buildDocuments, push } from '../../harness/ingest.js';
import { createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

/** The worker dies in the middle of its work; the launcher starts another one. */
export function describeWorkerLoss(world: WorldOf, count: number): void {
  describe('loss of the worker', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Worker loss')).admin;
    });

    it(`indexes ${count} items, each once, although it is killed in the middle of them`, async () => {
      const documents = buildDocuments(count, 'Kill');
      const accepted = await push(client, documents);
      await waitForSome(client, accepted.requestId, Math.ceil(count / 10));
      const [worker, ...others] = await world().running.findService('ingestion-worker');
      expect(others).toEqual([]);
      if (worker === undefined) throw new Error('there is no worker');
      process.kill(worker, 'SIGKILL');
      const before = await client.call(ingestionRoute, { params: { requestId: accepted.requestId } });
      expect(before.done).toBe(false);
      await expectIndexedOnce(client, accepted, documents, 240_000);
      const [successor] = await world().running.findService('ingestion-worker');
      expect(successor).not.toBe(worker);
    }, 300_000);
  });
}

/** Until work is under way: so many items of the request have been begun. Many become searchable at once, so that is no measure. */
export function waitForSome(client: ApiClient, requestId: string, wanted: number, timeoutMs = 60_000): Promise<true> {
  return waitFor<true>(
    async () => {
      const { counts } = await client.call(ingestionRoute, { params: { requestId } });
      const begun = Object.entries(counts).filter(([state]) => state !== 'accepted');
      return begun.reduce((sum, [, count]) => sum + count, 0) >= wanted ? true : undefined;
    },
    { what: `${wanted} items under way`, timeoutMs, everyMs: 25 },
  );
}
