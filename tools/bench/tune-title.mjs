// How much a title should count: in the words of a chunk (BM25) and in what is embedded. Each ranking of each set, through
// the product's own path. Prints the tables of docs/reference/chunking.md about titles. Build first.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createElasticsearchIndex, createLanceDbIndex } from '@candor/search-index/write';
import { embedItems, prepareItemsFor } from './support/build-chunks.mjs';
import { readDataSet } from './support/data-sets.mjs';
import { KeptVectorEmbedder } from './support/kept-vectors.mjs';
import { loadEmbedder } from './support/load-embedder.mjs';
import { measureRanking } from './support/measure-ranking.mjs';
import { say, table } from './support/report.mjs';
import { startElasticsearchOnly } from './support/start-stack.mjs';

const { values: options } = parseArgs({
  options: {
    sets: { type: 'string', default: 'scifact,squad,hotpot,xquad-en' },
    weights: { type: 'string', default: '0,1,2,3,4' },
    index: { type: 'string', default: 'lancedb' },
    sample: { type: 'string' },
    model: { type: 'string', default: 'bge-small-en-v1.5-q' },
    /** Leaves out what would have to be embedded anew. */
    'words-only': { type: 'boolean', default: false },
  },
});
const sample = options.sample === undefined ? undefined : Number(options.sample);
const IN_USE = 2;

/**
 * A title counts twice as it is, and a heading once, in both indices: so any weight can be had by writing the title
 * into one or the other.
 */
const withTitleWeight = (weight) => (chunk) => ({
  ...chunk,
  title: Array.from({ length: Math.floor(weight / 2) }, () => chunk.title).join('\n'),
  sectionPath: weight % 2 === 1 ? [chunk.title, ...chunk.sectionPath] : chunk.sectionPath,
});

/** As `prepareItemsFor`, but what is embedded lacks title and headings. */
const withoutTitles = (items) =>
  items.map((item) => ({
    ...item,
    texts: item.nodes.map(({ start, end }) => item.version.text.slice(start, end)),
  }));

const services = options.index === 'elasticsearch' ? await startElasticsearchOnly(say) : null;

async function measure(set, items, chunks) {
  const directory = await mkdtemp(join(tmpdir(), 'candor-title-'));
  const index = services
    ? createElasticsearchIndex({ url: services.urls.ELASTICSEARCH_URL })
    : createLanceDbIndex({ directory });
  try {
    return await measureRanking(set, items, chunks, index, embedder);
  } finally {
    await Promise.all([index.reader.close(), index.writer.close()]);
    await rm(directory, { recursive: true, force: true });
  }
}

const show = (value) => value.toFixed(3);
const embedder = await KeptVectorEmbedder.open(await loadEmbedder(options.model, say), say);
const weights = options.weights.split(',').map(Number);
const byWeight = [];
const byEmbedding = [];
try {
  for (const name of options.sets.split(',')) {
    const set = await readDataSet(name, sample);
    const items = prepareItemsFor(embedder, set.documents);
    const chunks = await embedItems(items, embedder);
    const results = [];
    for (const weight of weights) {
      results.push(
        await measure(
          set,
          items,
          chunks.map((each) => each.map(withTitleWeight(weight))),
        ),
      );
      say(`${set.title}, title ${weight} times: fused ${show(results.at(-1).fused)}`);
    }
    const cells = (kind) =>
      results.map((result, place) => (weights[place] === IN_USE ? `**${show(result[kind])}**` : show(result[kind])));
    byWeight.push([set.title, set.metric, 'BM25 leg', ...cells('lexical')]);
    byWeight.push(['', '', 'fused', ...cells('fused')]);
    if (options['words-only']) continue;
    const bareItems = withoutTitles(items);
    const bareChunks = await embedItems(bareItems, embedder);
    const usual = results[weights.indexOf(IN_USE)] ?? (await measure(set, items, chunks));
    const bare = await measure(set, bareItems, bareChunks);
    byEmbedding.push([
      set.title,
      set.metric,
      ...[usual, bare].flatMap(({ dense, fused }) => [show(dense), show(fused)]),
    ]);
  }
} finally {
  await embedder.close();
  await services?.stop();
}
console.log(`${options.index}, ${options.model}

${table(['set', 'metric', 'ranking', ...weights.map((weight) => `title ${weight} ×`)], byWeight)}

${table(['set', 'metric', 'dense leg, with title', 'fused', 'dense leg, without', 'fused'], byEmbedding)}
`);
