import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  auditChainRoute,
  contextRoute,
  createGenerationRoute,
  deleteSourceItemRoute,
  generationRoute,
  listGenerationsRoute,
  promoteGenerationRoute,
  searchRoute,
  verifyAuditRoute,
  type AuditChain,
} from '@candor/contracts';
import { ApiClient, RunningProfile, runRedisCommand, waitFor, type DocumentFields } from '@candor/testkit';
import { ingest, ingestOne } from './harness/ingest.js';
import { OperatedPostgres, runMigrations } from './harness/operated-postgres.js';
import { findServices, withDatabase, type ServiceUrls } from './harness/start-distributed.js';
import { createTenant } from './harness/tenants.js';
import { openWorld } from './harness/world.js';

const REDIS_DATABASE = 7;
const programs = process.env['CANDOR_POSTGRES_PROGRAMS'] ?? '';
if (programs === '') console.warn('SKIPPED: backup and restore: CANDOR_POSTGRES_PROGRAMS names no pg_dump.');
const services = findServices(process.env);
const isReady = programs !== '' && services !== null && services !== 'incomplete';

const QUESTIONS = [
  'What is stored in the granary of Tollby?',
  'When is the sluice of Tollby opened?',
  'Who keeps the register of the ferry?',
  'How many bells hang in the tower of Tollby?',
  'What does the miller of Tollby grind?',
  'Who won the football match on Saturday?',
];
const tollby = (externalId: string, body: string): DocumentFields => ({
  externalId,
  title: `Tollby ${externalId}`,
  body,
  accessPolicy: { provider: 'slack', mode: 'provider_scope' },
});
const DOCUMENTS = [
  tollby('granary', 'The granary of Tollby stores barley and rye. In autumn the granary of Tollby is full.'),
  tollby('sluice', 'The sluice of Tollby is opened at six in the morning. The sluice is closed at dusk.'),
  tollby('ferry', 'The register of the ferry is kept by Ansgar. The ferry of Tollby carries twelve people.'),
  tollby('bells', 'Three bells hang in the tower of Tollby. The smallest bell is rung at noon.'),
  tollby('mill', 'The miller of Tollby grinds spelt and oats. The mill stands beside the sluice of Tollby.'),
  tollby('gone', 'The tower of Tollby has nine bells, the granary stores salt, and the miller grinds coffee.'),
];

/**
 * New with each request, or the index's own: keyword scores rest on word statistics in which an index counts deleted items
 * until it merges, and one that was rebuilt doesn't.
 */
const VOLATILE = new Set(['requestId', 'issuedAt', 'generationId', 'latencyMs', 'tookMs', 'ranking']);
const settled = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, field: unknown) => (VOLATILE.has(name) ? undefined : field)));

/**
 * An installation as the guides have it: a login for each purpose, a dump, and a restore into another database while the
 * index and the queue are lost (docs/guides/backup-and-restore.md).
 */
(isReady ? describe : describe.skip)('backup and restore', () => {
  const urls = services as ServiceUrls;
  const redisUrl = withDatabase(urls.REDIS_URL, REDIS_DATABASE);
  let postgres: OperatedPostgres;
  let dataDir: string;
  let running: RunningProfile | undefined;
  let tenantId: string;
  let key: string | null;
  let edited: string;
  let beforeEdit: string;
  let evidence: unknown;
  let chain: AuditChain;

  const client = (): ApiClient => new ApiClient(running?.url ?? '', key);
  async function start(database: string): Promise<RunningProfile> {
    await runRedisCommand(redisUrl, 'FLUSHDB');
    const env = { ...urls, REDIS_URL: redisUrl, DATABASE_URL: postgres.urlOf('gateway', database), CANDOR_DEMO: 'off' };
    running = await RunningProfile.start('distributed', { dataDir, env, timeoutMs: 400_000 });
    return running;
  }
  const migrate = (database: string): Promise<unknown> => runMigrations(postgres.urlOf('owner', database));
  /** Chunks in their order, scores, offsets, quotations and refusals, now and as of the time before the edit. */
  async function ask(): Promise<unknown> {
    const answers: unknown[] = [];
    for (const query of QUESTIONS) {
      const { hits } = await client().call(searchRoute, { body: { query, limit: 10 } });
      const context = await client().call(contextRoute, { body: { query, contractVersion: '1.1' } });
      const asOf = await client().call(searchRoute, { body: { query, limit: 10, knownAsOf: beforeEdit } });
      const reason = await client().post('/v1/reason', { query });
      answers.push({ query, hits, context, asOf: asOf.hits, reason: [reason.status, reason.body] });
    }
    return settled(answers);
  }
  const live = async () => {
    const { data } = await client().call(listGenerationsRoute);
    const found = data.find(({ state }) => state === 'live');
    return found && { corpusFingerprint: found.corpusFingerprint, pipelineFingerprint: found.pipelineFingerprint };
  };
  /** The index of every tenant of the installation. */
  async function loseIndex(): Promise<number> {
    const tenants = await postgres.psql('candor', 'SELECT id FROM tenants');
    let lost = 0;
    for (const id of tenants) {
      const found = await fetch(`${urls.ELASTICSEARCH_URL}/_cat/indices/*${id}*?format=json&h=index`);
      for (const { index } of (await found.json()) as { index: string }[]) {
        expect((await fetch(`${urls.ELASTICSEARCH_URL}/${index}`, { method: 'DELETE' })).status).toBe(200);
        lost += 1;
      }
    }
    return lost;
  }

  beforeAll(async () => {
    postgres = await OperatedPostgres.start(programs);
    dataDir = await RunningProfile.makeDataDir('distributed');
  }, 120_000);
  afterAll(async () => {
    await running?.stop();
    await postgres?.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }, 120_000);

  it('begins with services whose login owns nothing, on a database that its owner migrated', async () => {
    await migrate('candor');
    const world = await openWorld(await start('candor'), { databaseUrl: '', redisUrl });
    const tenant = await createTenant(world, 'Tollby');
    tenantId = tenant.id;
    key = tenant.admin.key;
    const ids = await ingest(client(), DOCUMENTS);
    edited = ids[1] ?? '';
    await client().call(deleteSourceItemRoute, { params: { id: ids[5] ?? '' } });
    beforeEdit = new Date().toISOString();
    await ingestOne(
      client(),
      tollby('sluice', 'The sluice of Tollby is opened at seven since spring. It is closed at dusk.'),
    );
    expect(JSON.stringify(await ask())).toContain('opened at seven');

    const owned = await postgres.psql(
      'candor',
      `SELECT count(*) FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
       WHERE r.rolname IN ('candor_gateway', 'candor_worker', 'candor_retrieval')`,
    );
    expect(owned).toEqual(['0']);
    const connected = await postgres.psql(
      'candor',
      `SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name LIKE 'candor-%'`,
    );
    expect(connected).toEqual(['candor_gateway']);
  }, 600_000);

  it.each([
    ['gateway', 'ALTER TABLE audit_events DISABLE TRIGGER USER', 'must be owner'],
    ['worker', 'DROP TABLE audit_events', 'must be owner'],
    ['worker', 'SELECT 1 FROM source_items', 'permission denied'],
    ['worker', 'ALTER ROLE candor_worker BYPASSRLS', /must be superuser|permission denied/],
    ['retrieval', 'SET ROLE candor_system', 'permission denied'],
    ['retrieval', 'SET ROLE candor_app; DELETE FROM source_items', 'read-only transaction'],
    ['owner', 'CREATE ROLE another', 'permission denied'],
  ] as const)('gives %s no more than it needs: not %s', async (login, statement, message) => {
    await expect(
      postgres.run('psql', [postgres.urlOf(login), '-v', 'ON_ERROR_STOP=1', '-c', statement]),
    ).rejects.toThrow(message);
  });

  it('dumps and restores every row, as the owner of the tables', async () => {
    evidence = await ask();
    await waitFor(async () => (await client().call(auditChainRoute)).data.unsealedEvents <= 1, {
      what: 'the trail to be sealed',
      timeoutMs: 60_000,
    });
    // Unsealed at the time of the dump.
    await client().call(searchRoute, { body: { query: QUESTIONS[0] ?? '' } });
    chain = (await client().call(auditChainRoute)).data;
    await running?.stop();
    const [dump] = await postgres.psql('candor', `SELECT current_setting('data_directory') || '/../candor.dump'`);
    const source = postgres.urlOf('owner');
    const target = postgres.urlOf('owner', 'restored');
    await postgres.run('pg_dump', ['--format=custom', '--no-owner', '--enable-row-security', `--file=${dump}`, source]);
    await postgres.psql('postgres', 'CREATE DATABASE restored OWNER candor_owner');
    await postgres.run('pg_restore', ['--no-owner', '--exit-on-error', `--dbname=${target}`, dump ?? '']);
    const before = await postgres.digest('candor');
    expect(Object.keys(before).length).toBeGreaterThan(30);
    expect(await postgres.digest('restored')).toEqual(before);
  }, 240_000);

  it('answers nothing while the index is lost, and the same evidence once it is rebuilt', async () => {
    const corpus = await postgres.psql(
      'candor',
      `SELECT corpus_sum, item_count FROM generations WHERE tenant_id = '${tenantId}'`,
    );
    expect(corpus).toHaveLength(1);
    expect(await loseIndex()).toBeGreaterThan(0);
    await start('restored');
    const before = await live();
    const lost = await client().post('/v1/search', { query: QUESTIONS[0] ?? '' });
    expect([lost.status, JSON.stringify(lost.body)]).toEqual([
      503,
      expect.stringContaining('DEPENDENCY.INDEX_UNAVAILABLE'),
    ]);

    const { id } = (await client().call(createGenerationRoute, { body: {} })).data;
    await waitFor(
      async () => {
        const { state, error } = (await client().call(generationRoute, { params: { id } })).data;
        if (error) throw new Error(`${error.type}: ${error.message}`);
        return state === 'ready';
      },
      { what: 'the new generation', timeoutMs: 180_000 },
    );
    await client().call(promoteGenerationRoute, { params: { id } });
    const after = await live();
    expect(before?.corpusFingerprint).toMatch(/\S/);
    expect(after).toEqual(before);
    expect(await ask()).toEqual(evidence);
  }, 600_000);

  it('goes on: the chain from its head, and history from its last version', async () => {
    await waitFor(async () => (await client().call(auditChainRoute)).data.sealedEvents > chain.sealedEvents, {
      what: 'the trail to be sealed',
      timeoutMs: 60_000,
    });
    const { data } = await client().call(verifyAuditRoute, { body: {} });
    expect(data).toMatchObject({ intact: true, findings: [] });
    const [kept] = await postgres.psql(
      'restored',
      `SELECT digest FROM audit_batches WHERE tenant_id = '${tenantId}' AND batch = ${chain.head?.batch}`,
    );
    expect(kept).toBe(chain.head?.digest);

    const restoredAt = new Date().toISOString();
    await ingestOne(
      client(),
      tollby('sluice', 'The sluice of Tollby is opened at eight after the flood. It is closed at dusk.'),
    );
    const opened = async (knownAsOf?: string): Promise<string> => {
      const query = 'When is the sluice of Tollby opened?';
      const { hits } = await client().call(searchRoute, {
        body: { query, sourceItemId: edited, ...(knownAsOf ? { knownAsOf } : {}) },
      });
      return hits.map(({ content }) => /opened at \w+/.exec(content)?.[0]).join();
    };
    expect([await opened(beforeEdit), await opened(restoredAt), await opened()]).toEqual([
      'opened at six',
      'opened at seven',
      'opened at eight',
    ]);
  }, 240_000);
});
