// node tools/scaling/measure-pools.mjs: what many small tenants cost Elasticsearch, with indices of their own and in pools.
// Build first. The table goes into docs/scaling.md by hand.
import { parseArgs } from 'node:util';
import { randomUUID } from 'node:crypto';
import { createElasticsearchIndex } from '@candor/search-index/write';
import { Client } from '@elastic/elasticsearch';
import { clusteredVectors, randomSource, syntheticChunks } from '../bench/support/synthetic-chunks.mjs';
import { quantile } from '../bench/support/rank-metrics.mjs';
import { say, table } from '../bench/support/report.mjs';
import { startElasticsearchOnly } from '../bench/support/start-stack.mjs';

const { values } = parseArgs({
  options: {
    // Two shards each: more than 400 of their own don't fit beside anything else on one node.
    alone: { type: 'string', default: '400' },
    pooled: { type: 'string', default: '4000' },
    pools: { type: 'string', default: '4' },
    chunks: { type: 'string', default: '20' },
    searches: { type: 'string', default: '300' },
  },
});
const DIMENSIONS = 384;
const AT_ONCE = 8;
const HEAD = [
  'tenants',
  'indices',
  'shards',
  'cluster state',
  'making one',
  'chunks/s',
  'search p50 / p99',
  'dropping one',
];
const WORDS = 'harbour lantern rota brand colour invoice notice period team plan release monday office lease key'.split(
  ' ',
);

const chunksEach = Number(values.chunks);
const { vectors } = clusteredVectors({ count: 2_000, queries: 1, dimensions: DIMENSIONS, seed: 7 });
const random = randomSource(11);
const pick = (list) => list[Math.floor(random.uniform() * list.length)];
const words = (count) => Array.from({ length: count }, () => pick(WORDS)).join(' ');

/** One item of a tenant. */
function itemOf(tenantId) {
  const itemId = randomUUID();
  const some = Array.from({ length: chunksEach }, () => pick(vectors));
  return syntheticChunks(some, () => []).map((chunk, ordinal) => ({
    ...chunk,
    chunkId: randomUUID(),
    tenantId,
    itemId,
    accessMode: 'provider_scope',
    ordinal,
    title: words(3),
    content: words(120),
  }));
}

async function inTurns(list, work) {
  const waiting = [...list];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const timed = async (work) => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

async function measure(client, url, tenants, pools) {
  const { reader, writer } = createElasticsearchIndex({ url, pools: { count: pools, maxChunks: 50_000 } });
  const addresses = Array.from({ length: tenants }, () => ({ tenantId: randomUUID(), generation: 'g1' }));
  const made = [];
  for (const address of addresses) made.push(await timed(() => writer.ensureIndex(address, DIMENSIONS, async () => 0)));
  const filled = await timed(() =>
    inTurns(addresses, (address) => {
      const chunks = itemOf(address.tenantId);
      const [{ itemId, recordedAt }] = chunks;
      const version = {
        kind: 'put-version',
        itemId,
        version: 1,
        recordedAt,
        chunks,
        isFirst: true,
      };
      return writer.apply(address, [version]);
    }),
  );
  const search = (address) =>
    reader.findCandidates(address, {
      filter: { tenantId: address.tenantId, providers: null, principals: null, itemIds: null },
      vector: pick(vectors),
      text: words(4),
      k: 40,
    });
  const searched = [];
  for (let turn = 0; turn < Number(values.searches); turn += 1) {
    let found;
    searched.push(await timed(async () => (found = await search(pick(addresses)))));
    if (found.candidates.length !== Math.min(chunksEach, 40)) throw new Error(`found ${found.candidates.length}`);
  }
  const state = await client.cluster.state({ metric: 'metadata' });
  const health = await client.cluster.health();
  const dropped = await timed(() => writer.dropIndex(addresses[0]));
  await reader.close();
  await writer.close();
  const lastTenth = made.slice(-Math.ceil(made.length / 10));
  return [
    tenants,
    pools === 0 ? 'their own' : `${pools} pools`,
    health.active_primary_shards,
    `${Math.round(JSON.stringify(state).length / 1024)} KiB`,
    `${quantile(lastTenth, 0.5).toFixed(0)} ms`,
    `${((tenants * chunksEach) / (filled / 1000)).toFixed(0)}`,
    `${quantile(searched, 0.5).toFixed(1)} / ${quantile(searched, 0.99).toFixed(1)} ms`,
    `${dropped.toFixed(0)} ms`,
  ];
}

if (process.env.ELASTICSEARCH_URL) {
  console.error(
    'Unset ELASTICSEARCH_URL: every index is deleted between two measurements, so the server has to be its own.',
  );
  process.exit(2);
}
const services = await startElasticsearchOnly(say);
try {
  const client = new Client({ node: services.urls.ELASTICSEARCH_URL });
  const rows = [];
  for (const [tenants, pools] of [
    [Number(values.alone), 0],
    [Number(values.alone), Number(values.pools)],
    [Number(values.pooled), Number(values.pools)],
  ]) {
    rows.push(await measure(client, services.urls.ELASTICSEARCH_URL, tenants, pools));
    say(rows.at(-1).join(' | '));
    for (const index of Object.keys(await client.indices.get({ index: 'candor-*' })))
      await client.indices.delete({ index });
  }
  await client.close();
  console.log(table(HEAD, rows));
} finally {
  await services.stop();
}
