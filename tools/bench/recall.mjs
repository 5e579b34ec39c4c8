// npm run bench:recall: how many of the truly nearest chunks the dense leg finds on Elasticsearch, whose graph compares
// vectors of eight bits, through the product's own port and settings; filtered and unfiltered. Build first.
import { parseArgs } from 'node:util';
import { Client } from '@elastic/elasticsearch';
import { createElasticsearchIndex } from '@candor/search-index/write';
import { FUSION } from '../../apps/retrieval/dist/search/fusion-settings.js';
import { buildDenseSearch } from '../../libs/search-index/dist/elasticsearch/build-search.js';
import { GRAPH_SETTINGS } from '../../libs/search-index/dist/elasticsearch/graph-settings.js';
import { indexNames } from '../../libs/search-index/dist/elasticsearch/index-names.js';
import { TENANT } from './support/build-chunks.mjs';
import { mean, quantile } from './support/rank-metrics.mjs';
import { machine, publish, say, table, today } from './support/report.mjs';
import { startElasticsearchOnly } from './support/start-stack.mjs';
import { CHUNKS_PER_ITEM, clusteredVectors, randomSource, syntheticChunks } from './support/synthetic-chunks.mjs';

const HELP = `node tools/bench/recall.mjs [--chunks N] [--queries N] [--candidates N[,N…]] [--disjoint] [--server-defaults] [--write]

  --chunks   default 100000
  --queries  for each filter, default 200
  --candidates  also tries these numbers of neighbours that the graph explores (num_candidates), with their times
  --disjoint    subjects that touch nowhere, which is harder
  --server-defaults  the graph searched as the server would without our settings
  --write    writes docs/reference/recall.md
`;
const DIMENSIONS = 384;
const DEPTH = 10;
const LIMIT = 10;
const K = FUSION.candidatesPerLeg(LIMIT);
const TARGET = 0.95;
const SELECTIVITIES = [0.001, 0.01, 0.1];
const ITEMS_A_WRITE = 250;

const { values } = parseArgs({
  options: {
    chunks: { type: 'string', default: '100000' },
    queries: { type: 'string', default: '200' },
    candidates: { type: 'string', default: '' },
    disjoint: { type: 'boolean', default: false },
    'server-defaults': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});
const options = { count: Number(values.chunks), queries: Number(values.queries) };
if (values.help || !Object.values(options).every((number) => Number.isInteger(number) && number > 0)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const percent = (share) => `${Number((100 * share).toPrecision(3))} %`;
const scattered = (share) => `group:scattered-${share}`;
const together = (share) => `group:together-${share}`;

/** Who may see a chunk: of each share one group with chunks anywhere, and one with whole subjects. */
function principalsFor(subjects) {
  const { uniform } = randomSource(11);
  const subjectCount = Math.max(...subjects) + 1;
  return subjects.map((subject) => [
    ...SELECTIVITIES.filter((share) => uniform() < share).map(scattered),
    ...SELECTIVITIES.filter((share) => subject < Math.max(1, Math.round(share * subjectCount))).map(together),
  ]);
}

async function write(writer, address, chunks) {
  await writer.ensureIndex(address, DIMENSIONS);
  const operations = [];
  for (let start = 0; start < chunks.length; start += CHUNKS_PER_ITEM) {
    const { itemId, recordedAt } = chunks[start];
    const own = chunks.slice(start, start + CHUNKS_PER_ITEM);
    operations.push({ kind: 'put-version', itemId, version: 1, recordedAt, chunks: own, isFirst: true });
  }
  for (let start = 0; start < operations.length; start += ITEMS_A_WRITE) {
    await writer.apply(address, operations.slice(start, start + ITEMS_A_WRITE));
    if ((start / ITEMS_A_WRITE) % 10 === 9) say(`written: ${(start + ITEMS_A_WRITE) * CHUNKS_PER_ITEM} chunks`);
  }
}

function dot(left, right) {
  let sum = 0;
  for (let index = 0; index < left.length; index++) sum += left[index] * right[index];
  return sum;
}

/** The `depth` nearest by comparing every permitted vector. */
function exactNearest(query, permitted, depth) {
  const best = [];
  for (const { chunkId, vector } of permitted) {
    const cosine = dot(query, vector);
    if (best.length === depth && cosine <= best.at(-1).cosine) continue;
    const place = best.findIndex((other) => other.cosine < cosine);
    best.splice(place === -1 ? best.length : place, 0, { id: chunkId, cosine });
    if (best.length > depth) best.pop();
  }
  return best.map(({ id }) => id);
}

async function countSegments(client, index) {
  const { indices } = await client.indices.segments({ index });
  const shards = Object.values(indices).flatMap(({ shards }) => Object.values(shards).flat());
  return shards.reduce((sum, { segments }) => sum + Object.keys(segments).length, 0);
}

const shareFound = (nearest, found) =>
  nearest.length === 0 ? 1 : nearest.filter((id) => found.includes(id)).length / nearest.length;

/** What is to be found: the chunks that a principal may see, and the nearest of them to each query. */
function truthOf({ title, principal }, chunks, queries) {
  const permitted = principal === null ? chunks : chunks.filter(({ principals }) => principals.includes(principal));
  const nearest = queries.map((query) => exactNearest(query, permitted, K));
  return { title, principal, permitted: permitted.length, nearest };
}

async function measureFilter(reader, address, queries, { principal, nearest }) {
  const atDepth = [];
  const atK = [];
  let full = 0;
  for (const [index, vector] of queries.entries()) {
    const { candidates } = await reader.findCandidates(address, {
      filter: { tenantId: TENANT, providers: null, principals: principal === null ? null : [principal], itemIds: null },
      vector,
      text: 'passage',
      k: K,
    });
    const found = candidates
      .filter(({ denseRank }) => denseRank !== null)
      .sort((left, right) => left.denseRank - right.denseRank)
      .map(({ chunk }) => chunk.chunkId);
    atDepth.push(shareFound(nearest[index].slice(0, DEPTH), found.slice(0, DEPTH)));
    atK.push(shareFound(nearest[index], found));
    if (found.length === nearest[index].length) full += 1;
  }
  return { atDepth, atK, full: full / queries.length };
}

/** The product's own query with another `num_candidates`. */
async function tryCandidates(client, index, queries, { principal, nearest }, numCandidates) {
  const recalls = [];
  const times = [];
  for (const [place, vector] of queries.entries()) {
    const filter = {
      tenantId: TENANT,
      providers: null,
      principals: principal === null ? null : [principal],
      itemIds: null,
    };
    const body = buildDenseSearch({ filter, k: K, text: '' }, vector, { vectorFormat: 'binary', timeoutMs: 60_000 });
    const { hits, took } = await client.search({ index, ...body, knn: { ...body.knn, num_candidates: numCandidates } });
    recalls.push(
      shareFound(
        nearest[place].slice(0, DEPTH),
        hits.hits.slice(0, DEPTH).map(({ _id }) => _id),
      ),
    );
    times.push(took);
  }
  return { recalls, took: quantile(times, 0.5) };
}

function toRow(state, { title, permitted }, total, { atDepth, atK, full }) {
  const recall = mean(atDepth);
  return [
    state,
    title,
    `${permitted} (${percent(permitted / total)})`,
    `**${recall.toFixed(3)}**`,
    Math.min(...atDepth).toFixed(1),
    mean(atK).toFixed(3),
    percent(full),
    recall >= TARGET ? 'yes' : '**no**',
  ];
}

const HEAD = [
  'segments',
  'filter',
  'permitted chunks',
  `recall@${DEPTH}`,
  'worst query',
  `recall@${K}`,
  'queries with a full leg',
  `≥ ${TARGET}`,
];

const TRIED_HEAD = ['segments', 'num_candidates', 'filter', `recall@${DEPTH}`, 'worst query', 'on the server, p50'];

function toReport(rows, triedRows) {
  const argv = process.argv.slice(2).filter((argument) => argument !== '--write');
  return `# Recall of the approximate search

Measured ${today()} with \`npm run bench:recall${argv.length > 0 ? ` -- ${argv.join(' ')}` : ''}\`: ${options.count} chunks on Elasticsearch, ${options.queries} queries a filter. Vectors of ${DIMENSIONS}
dimensions, made as an embedding model's are: any two have a cosine of about 0.45, those of a field more, those of a subject (some 200 chunks) about
${values.disjoint ? '0.8; no chunk touches a second subject' : '0.75; each touches a second subject'}.

${table(HEAD, rows)}

- _recall@${DEPTH}_: share of the ${DEPTH} truly nearest permitted chunks (every vector compared) that are the first ${DEPTH} of the dense leg;
  _recall@${K}_: of the ${K} nearest among the ${K} candidates that a search of ${LIMIT} hits asks for. The worst query is by recall@${DEPTH}.
- Written by the product's writer, asked through its reader at its default settings (\`int8_hnsw\`, the filter inside \`knn\`, exact cosines from
  the full vectors). Its segments are first as Elasticsearch leaves them, each with a graph of its own; then merged into one by force, which the
  product never does: the hardest case.
- _scattered_: a key's principal sees chunks of any subject; _together_: whole subjects, so that most queries are about something it doesn't see.
- LanceDB compares every permitted vector: its recall is 1.

## Why the graph is searched as it is

The writer sets two things on each index (\`GRAPH_SETTINGS\`, free features; a server that doesn't know one does without). Recall@${DEPTH} with the server's
defaults instead, 100,000 chunks, 150 queries (\`npm run bench:recall -- --queries 150 --server-defaults --candidates 200,400\`):

| segments | filter          | as asked for (100 explored) | 200 explored | 400 explored |
| -------- | --------------- | --------------------------- | ------------ | ------------ |
| 52       | none            | 1.000                       | 1.000        | 1.000        |
| 52       | 10 %, scattered | 0.978                       | 0.984        | 0.999        |
| 52       | 10 %, together  | 0.899                       | 0.939        | 0.982        |
| 1        | none            | 0.987                       | 0.990        | 0.992        |
| 1        | 10 %, scattered | 0.934                       | 0.943        | 0.980        |
| 1        | 10 %, together  | 0.826                       | 0.864        | 0.894        |

On 30,000 chunks in one segment, 100 explored, no filter / scattered / together: defaults 0.996 / 0.948 / 0.970; with
\`hnsw_filter_heuristic: fanout\`, which also walks over neighbours that the filter excludes, 0.996 / 1.000 / 0.993; and without
\`hnsw_enable_early_termination\` 0.997 / 1.000 / 1.000, with no difference in time that could be told from noise.
Under narrower filters the server compares every permitted vector by itself.

In one segment, even so, 100 explored neighbours are too few for chunks that stand together, so at least 400 are explored (60 queries,
\`npm run bench:recall -- --queries 60 --candidates 400,1000\`, when 100 was the default):

| segments | filter          | 100   | **400** | 1000  |
| -------- | --------------- | ----- | ------- | ----- |
| 82       | none            | 1.000 | 1.000   | 1.000 |
| 82       | 10 %, scattered | 1.000 | 1.000   | 1.000 |
| 82       | 10 %, together  | 1.000 | 1.000   | 1.000 |
| 1        | none            | 0.928 | 1.000   | 1.000 |
| 1        | 10 %, scattered | 1.000 | 1.000   | 1.000 |
| 1        | 10 %, together  | 0.848 | 0.987   | 1.000 |
${triedRows.length === 0 ? '' : `\n## Tried\n\n${table(TRIED_HEAD, triedRows)}\n`}`;
}

const services = await startElasticsearchOnly(say);
const { reader, writer } = createElasticsearchIndex({ url: services.urls.ELASTICSEARCH_URL });
const address = { tenantId: TENANT, generation: `recall-${process.pid}` };
const client = new Client({ node: services.urls.ELASTICSEARCH_URL });
const index = indexNames(address).live;
const rows = [];
const triedRows = [];
const candidates = values.candidates === '' ? [] : values.candidates.split(',').map(Number);
try {
  const { vectors, subjects, queries } = clusteredVectors({
    ...options,
    dimensions: DIMENSIONS,
    seed: 7,
    disjoint: values.disjoint,
  });
  const principals = principalsFor(subjects);
  const chunks = syntheticChunks(vectors, (position) => principals[position]);
  say(`${chunks.length} vectors made`);
  await write(writer, address, chunks);
  if (values['server-defaults']) {
    const settings = Object.fromEntries(Object.keys(GRAPH_SETTINGS).map((name) => [name, null]));
    await client.indices.putSettings({ index, settings });
  }
  const filters = [
    ['none', null],
    ...SELECTIVITIES.map((share) => [`${percent(share)}, scattered`, scattered(share)]),
    ...SELECTIVITIES.map((share) => [`${percent(share)}, together`, together(share)]),
  ];
  const truths = filters.map(([title, principal]) => truthOf({ title, principal }, chunks, queries));
  for (const merge of [false, true]) {
    if (merge) await client.indices.forcemerge({ index, max_num_segments: 1 }, { requestTimeout: 3_600_000 });
    const state = await countSegments(client, index);
    for (const truth of truths) {
      const result = await measureFilter(reader, address, queries, truth);
      rows.push(toRow(state, truth, chunks.length, result));
      say(`${state} segments, ${truth.title}: recall@${DEPTH} ${mean(result.atDepth).toFixed(3)}`);
    }
    for (const tried of candidates) {
      for (const truth of truths) {
        const { recalls, took } = await tryCandidates(client, index, queries, truth, tried);
        const cells = [mean(recalls).toFixed(3), Math.min(...recalls).toFixed(1), `${took} ms`];
        triedRows.push([state, tried, truth.title, ...cells]);
        say(`${state} segments, ${tried} candidates, ${truth.title}: ${cells.join(', ')}`);
      }
    }
  }
} finally {
  await writer.dropIndex(address);
  await Promise.all([reader.close(), writer.close(), client.close()]);
  await services.stop();
}
await publish(toReport(rows, triedRows), values.write ? 'docs/reference/recall.md' : undefined);
say(machine());
