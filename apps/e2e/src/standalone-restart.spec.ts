import { rm } from 'node:fs/promises';
import {
  createGenerationRoute,
  deleteSourceItemRoute,
  generationRoute,
  listGenerationsRoute,
  promoteGenerationRoute,
  searchRoute,
} from '@candor/contracts';
import { ApiClient, RunningProfile, waitFor } from '@candor/testkit';
import { expectIndexedOnce } from './harness/indexed-once.js';
import { buildDocuments, ingestOne, push } from './harness/ingest.js';
import { createTenant } from './harness/tenants.js';
import { openWorld, type World } from './harness/world.js';
import { waitForSome } from './suites/faults/worker-loss.suite.js';

const QUERY = 'When is the sauna of Kaldvik heated?';
const POLICY = { provider: 'slack', mode: 'provider_scope' } as const;

/** The same folder again and again: what `npm start` keeps over a stop, a crash and a deletion. */
describe('standalone, started again', () => {
  let dataDir: string;
  let running: RunningProfile | undefined;

  async function start(env: Record<string, string> = {}): Promise<World> {
    running = await RunningProfile.start('standalone', { dataDir, env: { CANDOR_DEMO: 'off', ...env } });
    return openWorld(running);
  }
  const find = async (client: ApiClient): Promise<string[]> =>
    (await client.call(searchRoute, { body: { query: QUERY } })).hits.map((hit) => hit.content);

  beforeAll(async () => {
    dataDir = await RunningProfile.makeDataDir('standalone');
  });
  afterAll(async () => {
    await running?.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }, 90_000);

  it('keeps its key, its items and its deletions over a clean stop', async () => {
    const first = await start();
    const kept = {
      title: 'Sauna of Kaldvik',
      body: 'The sauna of Kaldvik is heated on Fridays.',
      accessPolicy: POLICY,
    };
    const gone = { ...kept, title: 'Sauna of Kaldvik, before', body: 'The sauna of Kaldvik is heated on Sundays.' };
    await ingestOne(first.admin, kept);
    const id = await ingestOne(first.admin, gone);
    await first.admin.call(deleteSourceItemRoute, { params: { id } });
    const stopped = await first.running.stop();
    expect(stopped).toMatchObject({ exitCode: 0, leftovers: [] });

    const second = await start();
    expect(second.admin.key).toBe(first.admin.key);
    expect(await find(second.admin)).toEqual([kept.body]);
  }, 240_000);

  it('recovers after kill -9 in the middle of its work: everything accepted is indexed, once', async () => {
    const world = running ? await openWorld(running) : await start();
    const { admin } = await createTenant(world, 'Crash');
    const documents = buildDocuments(100, 'Crash');
    const accepted = await push(admin, documents);
    await waitForSome(admin, accepted.requestId, 10);
    await world.running.kill9();

    const again = await start();
    const client = new ApiClient(again.url, admin.key);
    await expectIndexedOnce(client, accepted, documents, 180_000);
    expect(await find(again.admin)).toHaveLength(1);
  }, 300_000);

  it('goes on with the model of its index when another one is configured, and says how to change over', async () => {
    const before = running ? await openWorld(running) : await start();
    const scores = async ({ admin }: World): Promise<number[]> =>
      (await admin.call(searchRoute, { body: { query: QUERY } })).hits.map((hit) => hit.score);
    const known = await scores(before);
    await before.running.stop();

    const after = await start({ EMBEDDINGS_MODEL: 'hashing' });
    expect(await scores(after)).toEqual(known);
    const { data } = await after.admin.call(listGenerationsRoute);
    expect(data).toMatchObject([{ state: 'live', drift: ['embedding'] }]);
    expect(data[0]?.configuredFingerprint).not.toBe(data[0]?.pipelineFingerprint);
    await ingestOne(after.admin, {
      title: 'Later',
      body: 'The sauna of Kaldvik has a new stove.',
      accessPolicy: POLICY,
    });

    const { id } = (await after.admin.call(createGenerationRoute, { body: {} })).data;
    const readState = async () => (await after.admin.call(generationRoute, { params: { id } })).data.state;
    await waitFor(async () => (await readState()) === 'ready', { what: 'the new generation' });
    const promoted = (await after.admin.call(promoteGenerationRoute, { params: { id } })).data;
    expect(promoted).toMatchObject({ state: 'live', drift: [], embedding: { model: 'hashing' } });
    expect(await scores(after)).not.toEqual(known);
  }, 240_000);

  it('survives a second SIGTERM while it ends', async () => {
    const world = running ? await openWorld(running) : await start();
    const stopping = world.running.stop();
    process.kill(world.running.pid, 'SIGTERM');
    expect(await stopping).toEqual({ exitCode: 0, leftovers: [] });
  }, 120_000);
});
