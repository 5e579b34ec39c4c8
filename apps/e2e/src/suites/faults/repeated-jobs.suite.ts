import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  contextRoute,
  deleteItemJob,
  extractItemJob,
  indexItemJob,
  itemIdSchema,
  refreshItemMetadataJob,
  requestIdSchema,
  tenantIdSchema,
  type IngestDocument,
  type IngestResponse,
} from '@candor/contracts';
import { JobProducer } from '@candor/queue';
import { waitFor } from '@candor/testkit';
import { waitForEvent } from '../../harness/audit-trail.js';
import { countTried } from '../../harness/fault-ledger.js';
import { countChunks } from '../../harness/index-contents.js';
import { expectIndexedOnce } from '../../harness/indexed-once.js';
import { buildDocuments, push, waitUntilDone } from '../../harness/ingest.js';
import type { MortalWorld } from '../../harness/start-behind-proxies.js';
import { createTenant, type Tenant } from '../../harness/tenants.js';

const STAGES = [extractItemJob, indexItemJob, refreshItemMetadataJob, deleteItemJob];
const COUNT = 40;
const PROMISE = 'No duplicate effect';

/** A queue delivers at least once: every stage job again, twice and in any order, through the real queue. */
export function describeRepeatedJobs(world: () => MortalWorld): void {
  describe('stage jobs that run again', () => {
    let tenant: Tenant;
    let documents: IngestDocument[];
    let accepted: IngestResponse;

    beforeAll(async () => {
      tenant = await createTenant(world(), 'Repeated jobs');
      documents = buildDocuments(COUNT, 'Twice');
      accepted = await push(tenant.admin, documents);
      await waitUntilDone(tenant.admin, accepted.requestId);
    });

    it(`change nothing: ${COUNT} items, ${COUNT * STAGES.length * 2} jobs`, async () => {
      const [content, chunks] = [await fingerprint(), await chunksOf({ tenantId: tenant.id })];
      const jobs = await runAgain();
      const after = await chunksOf({ tenantId: tenant.id });
      countTried(PROMISE, 'jobs run again', jobs, Math.abs(after - chunks));
      await expectIndexedOnce(tenant.admin, accepted, documents, 60_000);
      expect([await fingerprint(), after]).toEqual([content, chunks]);
    }, 240_000);

    it('don’t bring back what was deleted', async () => {
      const itemId = accepted.items[0]?.sourceItemId ?? '';
      const [ofItem, ofTenant] = [await chunksOf({ itemId }), await chunksOf({ tenantId: tenant.id })];
      expect(ofItem).toBeGreaterThan(0);
      const { status, requestId } = await tenant.admin.delete(`/v1/source-items/${itemId}`);
      expect(status).toBe(202);
      await waitForEvent(tenant.admin, { requestId, action: 'item.deleted' });
      await runAgain();
      // Every search asks Postgres too, which would hide what came back.
      expect([await chunksOf({ itemId }), await chunksOf({ tenantId: tenant.id })]).toEqual([0, ofTenant - ofItem]);
    }, 240_000);

    const chunksOf = (wanted: { itemId: string } | { tenantId: string }): Promise<number> =>
      countChunks(world().servers.urls.ELASTICSEARCH_URL, wanted);

    /** Of the content that is searched. */
    async function fingerprint(): Promise<string> {
      const query = `What does ${documents[0]?.title ?? ''} hold?`;
      const contract = await tenant.admin.call(contextRoute, { body: { query, contractVersion: '1.1' } });
      if (!('retrieval' in contract)) throw new Error('not a contract 1.1');
      return `${contract.retrieval.corpusFingerprint} ${contract.retrieval.generationId}`;
    }

    /** How many jobs that was. */
    async function runAgain(): Promise<number> {
      const producer = new JobProducer({ kind: 'redis', url: world().redisUrl });
      try {
        const jobs = [1_001, 1_002].flatMap((epoch) =>
          accepted.items.flatMap(({ sourceItemId, version }) =>
            STAGES.map((job) => ({
              job,
              payload: {
                tenantId: tenantIdSchema.parse(tenant.id),
                requestId: requestIdSchema.parse(accepted.requestId),
                itemId: itemIdSchema.parse(sourceItemId),
                version,
                epoch: epoch + Date.now(),
              },
              place: Math.random(),
            })),
          ),
        );
        await producer.addMany(jobs.sort((one, other) => one.place - other.place));
        await waitFor(
          async () => {
            const counts = await Promise.all(STAGES.map(({ queue }) => producer.counts(queue)));
            return counts.every(({ waiting, active, delayed }) => waiting + active + delayed === 0);
          },
          { what: 'empty queues', timeoutMs: 120_000 },
        );
        return jobs.length;
      } finally {
        await producer.close();
      }
    }
  });
}
