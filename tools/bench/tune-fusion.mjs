// Which fusion suits the product's candidates: nDCG@10 (or recall@10) of a set for dense weights, candidates a leg and
// other fusions, on one adapter. The candidates are the product's own; only the last step is varied.
// node tools/bench/tune-fusion.mjs [set] [lancedb|elasticsearch] [weights]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createElasticsearchIndex, createLanceDbIndex } from '@candor/search-index/write';
import { embedItems, itemIdOf, prepareItemsFor, TENANT, writeChunks } from './support/build-chunks.mjs';
import { readDataSet } from './support/data-sets.mjs';
import { KeptVectorEmbedder } from './support/kept-vectors.mjs';
import { loadEmbedder } from './support/load-embedder.mjs';
import { mean, ndcg, recall } from './support/rank-metrics.mjs';
import { say, table } from './support/report.mjs';
import { startElasticsearchOnly } from './support/start-stack.mjs';

const [setName = 'scifact', indexName = 'lancedb', weights = '0.5,0.6,0.65,0.7,0.75,0.8,0.9'] = process.argv.slice(2);
const WEIGHTS = weights.split(',').map(Number);
const DEPTHS = [30, 40, 60, 100];
const RRF_K = 60;

function normalizerOf(values) {
  const lowest = Math.min(...values);
  const range = Math.max(...values) - lowest;
  return range > 0 ? (value) => (value - lowest) / range : () => 1;
}

/** As `fuseCandidates`, but cut to `depth` a leg first. */
function linear(candidates, weight) {
  const dense = normalizerOf(candidates.map(({ cosine }) => cosine));
  const lexical = normalizerOf(candidates.flatMap(({ lexicalScore }) => lexicalScore ?? []));
  return (candidate) =>
    weight * dense(candidate.cosine) +
    (1 - weight) * (candidate.lexicalScore === null ? 0 : lexical(candidate.lexicalScore));
}

function reciprocal(candidates, weight) {
  const part = (rank) => (rank === null ? 0 : 1 / (RRF_K + rank));
  return (candidate) => weight * part(candidate.denseRank) + (1 - weight) * part(candidate.lexicalRank);
}

/** What the lexical leg did not find has the leg's lowest score, not 0 (Bruch et al. call it the theoretical minimum). */
function linearFromZero(candidates, weight) {
  const dense = normalizerOf(candidates.map(({ cosine }) => cosine));
  const highest = Math.max(1e-9, ...candidates.flatMap(({ lexicalScore }) => lexicalScore ?? []));
  return (candidate) => weight * dense(candidate.cosine) + ((1 - weight) * (candidate.lexicalScore ?? 0)) / highest;
}

const FUSIONS = { 'min-max linear': linear, 'linear, BM25 from 0': linearFromZero, 'reciprocal ranks': reciprocal };

function cutTo(candidates, depth) {
  const cut = (rank) => (rank !== null && rank <= depth ? rank : null);
  return candidates
    .map((candidate) => {
      const lexicalRank = cut(candidate.lexicalRank);
      return {
        ...candidate,
        denseRank: cut(candidate.denseRank),
        lexicalRank,
        lexicalScore: lexicalRank === null ? null : candidate.lexicalScore,
      };
    })
    .filter(({ denseRank, lexicalRank }) => denseRank !== null || lexicalRank !== null);
}

function rank(candidates, score) {
  const ordered = candidates.map((candidate) => ({ id: candidate.itemId, score: score(candidate) }));
  return [...new Set(ordered.sort((left, right) => right.score - left.score).map(({ id }) => id))];
}

async function findAll(set, reader, address, embedder) {
  const found = [];
  for (const { text, relevant } of set.queries) {
    const { candidates } = await reader.findCandidates(address, {
      filter: { tenantId: TENANT, providers: null, principals: null, itemIds: null },
      vector: await embedder.embedQuery(text.trim()),
      text: text.trim(),
      k: Math.max(...DEPTHS),
    });
    found.push({
      relevant: new Set([...relevant].map(itemIdOf)),
      candidates: candidates.map(({ chunk, ...ranks }) => ({ itemId: chunk.itemId, ...ranks })),
    });
  }
  return found;
}

const embedder = await KeptVectorEmbedder.open(await loadEmbedder('bge-small-en-v1.5-q', say), say);
const directory = await mkdtemp(join(tmpdir(), 'candor-tune-'));
const services = indexName === 'elasticsearch' ? await startElasticsearchOnly(say) : null;
const { reader, writer } = services
  ? createElasticsearchIndex({ url: services.urls.ELASTICSEARCH_URL })
  : createLanceDbIndex({ directory });
const address = { tenantId: TENANT, generation: `tune-${process.pid}` };
try {
  const set = await readDataSet(setName);
  const items = prepareItemsFor(embedder, set.documents);
  await writeChunks(writer, address, await embedItems(items, embedder), embedder.profile.dimensions);
  const found = await findAll(set, reader, address, embedder);
  const metric = set.metric === 'nDCG@10' ? ndcg : recall;
  const score = (order) =>
    mean(found.map((each) => metric(rank(order.cut(each.candidates), ...order.by(each)), each.relevant))).toFixed(4);
  const rows = [];
  for (const [name, fusion] of Object.entries(FUSIONS)) {
    for (const depth of DEPTHS) {
      rows.push([
        name,
        depth,
        ...WEIGHTS.map((weight) =>
          score({
            cut: (candidates) => cutTo(candidates, depth),
            by: ({ candidates }) => [fusion(cutTo(candidates, depth), weight)],
          }),
        ),
      ]);
    }
  }
  console.log(`${set.title} on ${indexName}, ${set.metric}\n`);
  console.log(table(['fusion', 'candidates a leg', ...WEIGHTS.map((weight) => `weight ${weight}`)], rows));
  await writer.dropIndex(address);
} finally {
  await Promise.all([reader.close(), writer.close(), embedder.close()]);
  await services?.stop();
  await rm(directory, { recursive: true, force: true });
}
