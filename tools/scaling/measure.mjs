// node tools/scaling/measure.mjs: what a chunk and a job take in Elasticsearch, Postgres and Redis, measured on an installation
// that is filled and thrown away. Build first. The numbers go into size-cluster.mjs by hand, with the date in docs/scaling.md.
import { parseArgs } from 'node:util';
import { randomUUID } from 'node:crypto';
import { indexItemJob } from '@candor/contracts';
import { JobProducer } from '@candor/queue';
import { ApiClient } from '@candor/testkit';
import { Redis } from 'ioredis';
import pg from 'pg';
import { readDataSet, spread } from '../bench/support/data-sets.mjs';
import { ingestAll, toIngestDocument } from '../bench/support/ingest-corpus.mjs';
import { say } from '../bench/support/report.mjs';
import { BenchStack } from '../bench/support/start-stack.mjs';

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '4000' },
    jobs: { type: 'string', default: '1000' },
    searches: { type: 'string', default: '500' },
  },
});
const DIMENSIONS = 384;
const JOBS_A_CALL = 50;

/** Bytes of a waiting job: what Redis says of every key, with many of them in an empty database. */
async function measureJobs(redisUrl, count) {
  const prefix = 'measure';
  const producer = new JobProducer({ kind: 'redis', url: redisUrl, prefix });
  const payload = () => ({
    tenantId: randomUUID(),
    requestId: randomUUID(),
    itemId: randomUUID(),
    version: 1,
    epoch: 1,
  });
  for (let start = 0; start < count; start += JOBS_A_CALL)
    await producer.addMany(Array.from({ length: JOBS_A_CALL }, () => ({ job: indexItemJob, payload: payload() })));
  await producer.close();
  const redis = new Redis(redisUrl);
  let bytes = 0;
  for (const key of await redis.keys(`${prefix}:*`)) bytes += await redis.memory('USAGE', key, 'SAMPLES', '0');
  redis.disconnect();
  return bytes / count;
}

async function tablesOf(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('VACUUM ANALYZE');
    const { rows } = await client.query(
      `SELECT relname AS name, pg_total_relation_size(relid)::float8 AS bytes, n_live_tup::float8 AS rows
       FROM pg_stat_user_tables ORDER BY 2 DESC`,
    );
    return rows;
  } finally {
    await client.end();
  }
}

const bytesOf = (tables, name) => tables.find((entry) => entry.name === name) ?? { bytes: 0, rows: 0 };
const total = (tables) => tables.reduce((sum, { bytes }) => sum + bytes, 0);

/** Of the indices of one tenant: a server that is there already may hold those of others. */
async function indexSize(url, tenantId) {
  const indices = `${url}/candor-${tenantId}-*`;
  await fetch(`${indices}/_forcemerge?max_num_segments=1`, { method: 'POST' });
  await fetch(`${indices}/_refresh`, { method: 'POST' });
  const { _all } = await (await fetch(`${indices}/_stats/store,docs`)).json();
  return { bytes: _all.primaries.store.size_in_bytes, documents: _all.primaries.docs.count };
}

async function readTenantId(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT tenant_id AS id FROM source_items LIMIT 1');
    return rows[0].id;
  } finally {
    await client.end();
  }
}

const stack = await BenchStack.start(say);
try {
  const environment = { EMBEDDINGS_MODEL: 'hashing', EMBEDDINGS_DIMENSIONS: String(DIMENSIONS) };
  const installation = await stack.install(['gateway', 'ingestion-worker', 'retrieval'], environment);
  const tables = await tablesOf(installation.databaseUrl);
  const documents = spread((await readDataSet('scifact')).documents, Number(values.documents)).map(toIngestDocument);
  const seconds = await ingestAll(installation, documents);
  const after = await tablesOf(installation.databaseUrl);
  const index = await indexSize(stack.elasticsearchUrl, await readTenantId(installation.databaseUrl));
  const chunks = index.documents;
  const client = new ApiClient(installation.url, installation.key);
  for (let turn = 0; turn < Number(values.searches); turn += 1)
    await client.post('/v1/search', { query: documents[turn % documents.length].title });
  const searched = await tablesOf(installation.databaseUrl);
  const vectors = chunks * (DIMENSIONS * 4 + DIMENSIONS + 4 + 64);
  const report = {
    documents: documents.length,
    chunks,
    seconds: Math.round(seconds),
    indexBytesAChunk: Math.round(index.bytes / chunks),
    indexBytesAChunkWithoutVectors: Math.round((index.bytes - vectors) / chunks),
    databaseBytesAChunk: Math.round((total(after) - total(tables)) / chunks),
    databaseBytesASearch: Math.round((total(searched) - total(after)) / Number(values.searches)),
    largestTables: after
      .slice(0, 8)
      .map(({ name, bytes, rows }) => `${name}: ${Math.round(bytes / 1024)} KiB, ${rows} rows`),
    auditBytesAnEvent: Math.round(bytesOf(after, 'audit_events').bytes / bytesOf(after, 'audit_events').rows),
    redisBytesAJob: Math.round(await measureJobs(installation.redisUrl, Number(values.jobs))),
  };
  console.log(JSON.stringify(report, null, 2));
} finally {
  await stack.stop();
}
