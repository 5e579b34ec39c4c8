// npm run bench:recall: how many of the truly nearest chunks the dense leg finds on Elasticsearch, whose graph compares
// vectors of eight bits, through the product's own port and settings; filtered and unfiltered. Build first.
import { parseArgs } from 'node:util';
import { createElasticsearchIndex } from '@candor/search-index/write';
import { FUSION } from '../../apps/retrieval/dist/search/fusion-settings.js';
import { TENANT } from './support/build-chunks.mjs';
import { mean } from './support/rank-metrics.mjs';
import { machine, publish, say, table, today } from './support/report.mjs';
import { startElasticsearchOnly } from './support/start-stack.mjs';
import { CHUNKS_PER_ITEM, clusteredVectors, randomSource, syntheticChunks } from './support/synthetic-chunks.mjs';

const HELP = `node tools/bench/recall.mjs [--chunks N] [--queries N] [--write]

  --chunks   default 100000
  --queries  for each filter, default 200
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
  const scored = permitted.map((chunk) => ({ id: chunk.chunkId, cosine: dot(query, chunk.vector) }));
  scored.sort((left, right) => right.cosine - left.cosine);
  return scored.slice(0, depth).map(({ id }) => id);
}

const shareFound = (nearest, found) =>
  nearest.length === 0 ? 1 : nearest.filter((id) => found.includes(id)).length / nearest.length;

async function measureFilter(reader, address, { principal, chunks, queries }) {
  const permitted = principal === null ? chunks : chunks.filter(({ principals }) => principals.includes(principal));
  const atDepth = [];
  const atK = [];
  let full = 0;
  for (const vector of queries) {
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
    const nearest = exactNearest(vector, permitted, K);
    atDepth.push(shareFound(nearest.slice(0, DEPTH), found.slice(0, DEPTH)));
    atK.push(shareFound(nearest, found));
    if (found.length === nearest.length) full += 1;
  }
  return { permitted: permitted.length, atDepth, atK, full: full / queries.length };
}

function toRow(title, chunks, result) {
  const recall = mean(result.atDepth);
  return [
    title,
    `${result.permitted} (${percent(result.permitted / chunks.length)})`,
    `**${recall.toFixed(3)}**`,
    Math.min(...result.atDepth).toFixed(1),
    mean(result.atK).toFixed(3),
    percent(result.full),
    recall >= TARGET ? 'yes' : '**no**',
  ];
}

const HEAD = [
  'filter',
  'permitted chunks',
  `recall@${DEPTH}`,
  'worst query',
  `recall@${K}`,
  'queries with a full leg',
  `≥ ${TARGET}`,
];

function toReport(rows) {
  const argv = process.argv.slice(2).filter((argument) => argument !== '--write');
  return `# Recall of the approximate search

Measured ${today()} with \`npm run bench:recall${argv.length > 0 ? ` -- ${argv.join(' ')}` : ''}\`: ${options.count} chunks on Elasticsearch, ${options.queries} queries a filter. Vectors of ${DIMENSIONS}
dimensions, made as an embedding model's are: any two have a cosine of about 0.45, those of a field 0.65, those of a subject (some 200 chunks) 0.8.

${table(HEAD, rows)}

- _recall@${DEPTH}_: share of the ${DEPTH} truly nearest permitted chunks (every vector compared) that are the first ${DEPTH} of the dense leg;
  _recall@${K}_: of the ${K} nearest among the ${K} candidates that a search of ${LIMIT} hits asks for. The worst query is by recall@${DEPTH}.
- Written by the product's writer, asked through its reader at its default settings (\`int8_hnsw\`, the filter inside \`knn\`, exact cosines from
  the full vectors), no merge forced.
- _scattered_: a key's principal sees chunks of any subject; _together_: whole subjects, so that most queries are about something it doesn't see.
- LanceDB compares every permitted vector: its recall is 1.
`;
}

const services = await startElasticsearchOnly(say);
const { reader, writer } = createElasticsearchIndex({ url: services.urls.ELASTICSEARCH_URL });
const address = { tenantId: TENANT, generation: `recall-${process.pid}` };
const rows = [];
try {
  const { vectors, subjects, queries } = clusteredVectors({ ...options, dimensions: DIMENSIONS, seed: 7 });
  const principals = principalsFor(subjects);
  const chunks = syntheticChunks(vectors, (position) => principals[position]);
  say(`${chunks.length} vectors made`);
  await write(writer, address, chunks);
  const filters = [
    ['none', null],
    ...SELECTIVITIES.map((share) => [`${percent(share)}, scattered`, scattered(share)]),
    ...SELECTIVITIES.map((share) => [`${percent(share)}, together`, together(share)]),
  ];
  for (const [title, principal] of filters) {
    const result = await measureFilter(reader, address, { principal, chunks, queries });
    rows.push(toRow(title, chunks, result));
    say(`${title}: recall@${DEPTH} ${mean(result.atDepth).toFixed(3)}`);
  }
} finally {
  await writer.dropIndex(address);
  await Promise.all([reader.close(), writer.close()]);
  await services.stop();
}
await publish(toReport(rows), values.write ? 'docs/reference/recall.md' : undefined);
say(machine());
