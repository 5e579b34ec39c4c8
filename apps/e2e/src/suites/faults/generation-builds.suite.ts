import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  createGenerationRoute,
  deleteSourceItemRoute,
  generationRoute,
  listGenerationsRoute,
  promoteGenerationRoute,
  reconcileGenerationRoute,
  type Generation,
} from '@candor/contracts';
import { runRedisCommand, waitFor, type ApiClient } from '@candor/testkit';
import { waitForEvent } from '../../harness/audit-trail.js';
import { buildDocuments, ingest, push, waitUntilDone } from '../../harness/ingest.js';
import type { FaultyWorld } from '../../harness/start-behind-proxies.js';
import { createTenant } from '../../harness/tenants.js';

const ITEMS = 600;

/** The worker and the queue's data are lost in the middle of a build, while documents change and go. */
export function describeGenerationBuildLoss(world: () => FaultyWorld): void {
  describe('a build of a generation', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Build loss')).admin;
    });
    const read = async (id: string): Promise<Generation> =>
      (await client.call(generationRoute, { params: { id } })).data;

    it(`of ${ITEMS} items ends with all of them, although worker and Redis lose everything on the way`, async () => {
      const documents = buildDocuments(ITEMS, 'Build');
      const ids: string[] = [];
      for (let from = 0; from < ITEMS; from += 300)
        ids.push(...(await ingest(client, documents.slice(from, from + 300))));
      const [live] = (await client.call(listGenerationsRoute)).data;
      const { id } = (await client.call(createGenerationRoute, { body: { model: 'hashing' } })).data;
      const begun = await waitFor(
        async () => {
          const { progress } = await read(id);
          return progress.itemsDone > 0 && progress;
        },
        { what: 'the build to begin', everyMs: 10 },
      );
      expect(begun.itemsDone).toBeLessThan(ITEMS);
      const [worker] = await world().running.findService('ingestion-worker');
      process.kill(worker ?? -1, 'SIGKILL');
      await runRedisCommand(world().redisUrl, 'FLUSHDB');

      const edits = documents.slice(0, 20).map((document) => ({ ...document, body: `${document.body} Ask for Ida.` }));
      const edited = await push(client, edits);
      const deletes = [];
      for (const itemId of ids.slice(-10)) {
        const { requestId } = await client.exchange(deleteSourceItemRoute, { params: { id: itemId } });
        deletes.push(requestId);
      }
      await waitUntilDone(client, edited.requestId);
      for (const requestId of deletes) await waitForEvent(client, { requestId, action: 'item.deleted' }, 180_000);
      const built = await waitFor(
        async () => {
          const generation = await read(id);
          expect(generation.error).toBeNull();
          return generation.state === 'ready' && generation;
        },
        { what: 'the build', timeoutMs: 240_000 },
      );
      expect(built.progress).toMatchObject({ itemsDone: ITEMS - 10, itemsTotal: ITEMS - 10 });
      expect(built.corpusFingerprint).toBe((await read(live?.id ?? '')).corpusFingerprint);
      expect((await client.call(promoteGenerationRoute, { params: { id } })).data.state).toBe('live');

      await client.call(reconcileGenerationRoute, { params: { id } });
      const before = built.reconciliation?.at;
      const compared = await waitFor(
        async () => {
          const { reconciliation } = await read(id);
          return reconciliation?.at !== before && reconciliation;
        },
        { what: 'the comparison' },
      );
      expect(compared).toMatchObject({ missing: 0, outdated: 0, dangling: 0 });
    }, 600_000);
  });
}
