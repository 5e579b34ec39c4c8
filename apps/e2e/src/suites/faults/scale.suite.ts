import { beforeAll, describe, expect, it } from '@jest/globals';
import { contextRoute, deadLettersRoute, ingestionsRoute, type IngestDocument } from '@candor/contracts';
import { waitFor, type ApiClient } from '@candor/testkit';
import { buildDocuments, push, waitUntilDone } from '../../harness/ingest.js';
import { MemoryWatch } from '../../harness/memory-watch.js';
import { createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

/** How many times larger the big tenant's backlog is. */
const TIMES = 50;
const DOCUMENTS_A_REQUEST = 500;
const WAIT_MS = 1_800_000;
/** A worker that leaks would grow with the number of items; its caches and V8's heap only fill up. */
const MAX_GROWTH_BYTES = 128 * 1024 * 1024;

export interface ScaleOptions {
  /** Of both tenants together. */
  items: number;
  /** Whether this machine has nothing else to do: the times and sizes are compared. */
  isMeasured: boolean;
  /** Ends the connections to Redis and empties it. */
  loseRedis: () => Promise<void>;
}

/** Two tenants, one fifty times larger, and then the loss of Redis with its data and of the worker. */
export function describeScale(world: WorldOf, { items, isMeasured, loseRedis }: ScaleOptions): void {
  describe(`${items} items of two tenants`, () => {
    const small = Math.max(4, Math.round(items / (TIMES + 1)));
    let clients: { alone: ApiClient; small: ApiClient; big: ApiClient };
    beforeAll(async () => {
      const of = async (name: string): Promise<ApiClient> => (await createTenant(world(), name)).admin;
      clients = { alone: await of('Alone'), small: await of('Small'), big: await of('Big') };
      // The first item of a tenant pays for its index.
      for (const client of Object.values(clients)) await pushAll(client, buildDocuments(1, 'Warm'));
      for (const client of Object.values(clients)) await waitUntilQuiet(client);
    }, 300_000);

    it(
      'serves the small one beside the big one, keeps its memory, and loses nothing when Redis and the worker die',
      async () => {
        const secondsAlone = await timeOf(clients.alone, buildDocuments(small, 'Alone'));

        const documents = buildDocuments(items - small, 'Big');
        const requests = await pushAll(clients.big, documents);
        const memory = await MemoryWatch.start(world().running, 'ingestion-worker');
        const secondsBeside = await timeOf(clients.small, buildDocuments(small, 'Small'));
        const backlog = await countUnfinished(clients.big);
        const times = `${secondsAlone.toFixed(1)} s alone, ${secondsBeside.toFixed(1)} s beside ${backlog} waiting`;
        const ratio = (secondsBeside / secondsAlone).toFixed(2);
        report(`${small} items of the small tenant: ${times} = ${ratio} × (at most 2)`);
        if (isMeasured) {
          expect(backlog).toBeGreaterThan(0);
          expect(secondsBeside).toBeLessThanOrEqual(2 * secondsAlone);
        }

        await waitUntilLeft(clients.big, Math.round(backlog / 2));
        const growth = await memory.stop();
        const sizes = `${toMegabytes(growth.first)} MB at first, ${toMegabytes(growth.last)} MB when half was done`;
        report(`the worker's memory: ${sizes} (at most ${toMegabytes(MAX_GROWTH_BYTES)} MB more)`);
        if (isMeasured) expect(growth.last - growth.first).toBeLessThan(MAX_GROWTH_BYTES);

        const atLoss = [await countUnfinished(clients.big)];
        await loseRedis();
        await waitUntilLeft(clients.big, Math.round(backlog / 4));
        atLoss.push(await countUnfinished(clients.big));
        await loseWorker();
        report(`Redis emptied with ${atLoss[0]} unfinished, the worker killed with ${atLoss[1]}`);
        if (isMeasured) expect(Math.min(...atLoss)).toBeGreaterThan(0);
        await waitUntilQuiet(clients.big);
        await expectAllIndexed(clients.big, requests, documents);
      },
      2 * WAIT_MS,
    );

    async function loseWorker(): Promise<void> {
      const [worker] = await world().running.findService('ingestion-worker');
      if (worker === undefined) throw new Error('there is no worker');
      process.kill(worker, 'SIGKILL');
    }
  });
}

interface Pushed {
  requestId: string;
  count: number;
}

async function pushAll(client: ApiClient, documents: readonly IngestDocument[]): Promise<Pushed[]> {
  const pushed: Pushed[] = [];
  for (let start = 0; start < documents.length; start += DOCUMENTS_A_REQUEST) {
    const batch = documents.slice(start, start + DOCUMENTS_A_REQUEST);
    const { requestId } = await push(client, batch);
    pushed.push({ requestId, count: batch.length });
  }
  return pushed;
}

/** Seconds from the first call until everything is searchable. */
async function timeOf(client: ApiClient, documents: readonly IngestDocument[]): Promise<number> {
  const started = performance.now();
  for (const { requestId } of await pushAll(client, documents)) await waitUntilDone(client, requestId, WAIT_MS);
  return (performance.now() - started) / 1_000;
}

async function countUnfinished(client: ApiClient): Promise<number> {
  const { meta } = await client.call(ingestionsRoute, { query: { limit: 1 } });
  return Object.values(meta.counts).reduce((sum, count) => sum + count, 0);
}

async function waitUntilLeft(client: ApiClient, most: number): Promise<void> {
  const isReached = async (): Promise<true | undefined> => ((await countUnfinished(client)) <= most ? true : undefined);
  await waitFor(isReached, { what: `at most ${most} unfinished items`, timeoutMs: WAIT_MS, everyMs: 250 });
}

const waitUntilQuiet = (client: ApiClient): Promise<void> => waitUntilLeft(client, 0);

async function expectAllIndexed(
  client: ApiClient,
  requests: readonly Pushed[],
  documents: readonly IngestDocument[],
): Promise<void> {
  const statuses = [];
  for (const { requestId } of requests) statuses.push(await waitUntilDone(client, requestId));
  const indexed = statuses.reduce((sum, { counts }) => sum + (counts.indexed ?? 0), 0);
  const deadLetters = (await client.call(deadLettersRoute)).data;
  const letters = `${deadLetters.length} dead letters`;
  report(`${documents.length} accepted, ${indexed} indexed, ${documents.length - indexed} lost, ${letters}`);
  let next = 0;
  for (const [index, { counts, items }] of statuses.entries()) {
    const count = requests[index]?.count ?? 0;
    expect(counts).toEqual({ indexed: count });
    const document = documents[next];
    next += count;
    const query = `What does ${document?.title} hold?`;
    const { hits } = await client.call(contextRoute, { body: { query, sourceItemId: items[0]?.sourceItemId ?? '' } });
    expect(hits.map((hit) => hit.content)).toEqual([document?.body]);
  }
  expect(deadLetters).toEqual([]);
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

function report(line: string): void {
  process.stderr.write(`scale: ${line}\n`);
}
