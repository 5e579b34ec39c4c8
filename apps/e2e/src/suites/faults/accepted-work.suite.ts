import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ingestRoute, type IngestDocument, type IngestResponse } from '@candor/contracts';
import { runRedisCommand, waitFor, type ApiClient, type ServiceProcessName } from '@candor/testkit';
import { countUnfinished } from '../../harness/count-unfinished.js';
import { drawStorm } from '../../harness/draw-storm.js';
import { countTried } from '../../harness/fault-ledger.js';
import { expectIndexedOnce } from '../../harness/indexed-once.js';
import { buildDocuments } from '../../harness/ingest.js';
import type { ServerName } from '../../harness/own-servers.js';
import type { MortalWorld } from '../../harness/start-behind-proxies.js';
import { createTenant } from '../../harness/tenants.js';
import { waitForSome } from './worker-loss.suite.js';

const ITEMS = 2_000;
const PROMISE = 'A 202 is never lost';
const RECOVERY_MS = 240_000;
/** What a caller may hear of an installation that is hit: come again. */
const COME_AGAIN = [409, 429, 503, 504];

interface Failure {
  name: string;
  strike: () => Promise<unknown>;
  /** What doesn't come back by itself. */
  mend?: () => Promise<unknown>;
}

/** A batch on its way: callers go on while something is down. */
interface Push {
  accepted: Promise<IngestResponse>;
  /** Whether anything has been heard of it, an answer or a broken connection. */
  isAnswered: () => boolean;
}

/** A 202 is never lost: two thousand items come in while one thing after another dies, in an order that the seed draws. */
export function describeAcceptedWork(world: () => MortalWorld, seed: number): void {
  describe('accepted work', () => {
    let client: ApiClient;
    let sent = 0;
    const unexpected: string[] = [];
    beforeAll(async () => {
      client = (await createTenant(world(), 'Accepted work')).admin;
    });

    const killService = (service: ServiceProcessName): Failure => ({
      name: `${service} killed`,
      strike: async () => {
        const [pid] = await waitFor(
          async () => {
            const pids = await world().running.findService(service);
            return pids.length > 0 && pids;
          },
          { what: service },
        );
        process.kill(pid ?? -1, 'SIGKILL');
      },
    });
    const killServer = (server: ServerName, isEmpty = false): Failure => ({
      name: `${server} killed${isEmpty ? ', its data gone' : ''}`,
      strike: () => world().servers.kill(server),
      mend: () => world().servers.start(server, { isEmpty }),
    });
    const failures: Failure[] = [
      killService('ingestion-worker'),
      killService('ingestion-worker'),
      killService('gateway'),
      killService('retrieval'),
      killServer('postgres'),
      killServer('elasticsearch'),
      killServer('redis'),
      killServer('redis', true),
      { name: 'redis emptied', strike: () => runRedisCommand(world().redisUrl, 'FLUSHDB') },
      { name: 'postgres cut off', strike: () => world().postgres.cut(), mend: () => world().postgres.restore() },
    ];
    const batchSize = ITEMS / failures.length;

    function push(documents: IngestDocument[]): Push {
      // So that a request whose answer got lost is not a second one.
      const key = randomUUID();
      let isAnswered = false;
      const attempt = async (): Promise<IngestResponse | undefined> => {
        sent += 1;
        try {
          const response = await client.post(ingestRoute.path, { documents }, { 'idempotency-key': key });
          if (response.status === 202) return response.body as IngestResponse;
          if (!COME_AGAIN.includes(response.status)) unexpected.push(`${response.status} ${response.text}`);
          return undefined;
        } finally {
          isAnswered = true;
        }
      };
      const accepted = waitFor(attempt, { what: 'a batch to be accepted', timeoutMs: RECOVERY_MS });
      // Awaited later; until then a failure is nobody's.
      accepted.catch(() => undefined);
      return { accepted, isAnswered: () => isAnswered };
    }

    it(`survives everything: ${ITEMS} items are indexed, each once`, async () => {
      const storm = drawStorm(failures, batchSize, seed);
      const batches = storm.map((_, number) => buildDocuments(batchSize, `Storm${number}x`));
      const accepted = [await push(batches[0] ?? []).accepted];
      let struck = 0;
      for (const [number, { failure, after }] of storm.entries()) {
        await waitForSome(client, accepted.at(-1)?.requestId ?? '', after, RECOVERY_MS);
        const unfinished = await countUnfinished(client, accepted, RECOVERY_MS);
        struck += unfinished;
        process.stderr.write(
          `faults: ${failure.name} after ${after} of ${batchSize} items, ${unfinished} in all under way\n`,
        );
        await failure.strike();
        const next = batches[number + 1];
        const pushed = next && push(next);
        if (pushed) await waitFor(pushed.isAnswered, { what: 'an answer meanwhile', everyMs: 20 });
        await failure.mend?.();
        if (pushed) accepted.push(await pushed.accepted);
      }
      await waitFor(async () => (await world().anonymous.get('/readyz')).status === 200, {
        what: 'readiness',
        timeoutMs: RECOVERY_MS,
      });
      countTried(PROMISE, 'failures in the storm', storm.length);
      countTried(PROMISE, 'unfinished items when a failure struck', struck);
      countTried(PROMISE, 'ingest requests in the storm', sent, unexpected.length);
      expect(unexpected).toEqual([]);
      // A storm over an idle installation shows nothing.
      expect(struck).toBeGreaterThan(0);
      for (const [number, documents] of batches.entries()) {
        const batch = accepted[number];
        if (!batch) throw new Error('a batch was not accepted');
        await expectIndexedOnce(client, batch, documents, RECOVERY_MS, 'all');
      }
    }, 1_200_000);
  });
}
