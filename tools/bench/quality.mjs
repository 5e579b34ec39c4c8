// npm run bench:quality: how good the ranking is, on public data sets, through the product's own path: its chunker, its
// index adapters, its fusion. Only Postgres is replaced, by a corpus in which everything is live. Build first.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createElasticsearchIndex, createLanceDbIndex } from '@candor/search-index/write';
import { FUSION } from '../../apps/retrieval/dist/search/fusion-settings.js';
import { embedItems, prepareItemsFor } from './support/build-chunks.mjs';
import { MEASURED_SETS, readDataSet, SET_NAMES } from './support/data-sets.mjs';
import { KeptVectorEmbedder } from './support/kept-vectors.mjs';
import { loadEmbedder } from './support/load-embedder.mjs';
import { DEPTH, measureRanking } from './support/measure-ranking.mjs';
import { machine, publish, say, table, today } from './support/report.mjs';
import { startElasticsearchOnly } from './support/start-stack.mjs';

const HELP = `node tools/bench/quality.mjs [--set NAME[,NAME…]|all] [--index lancedb|elasticsearch|both] [--sample N] [--model NAME] [--write]

  --set     ${SET_NAMES.join(', ')}; default all, which leaves smoke out
  --index   default both
  --sample  so many queries of each set and a small corpus around them: shows that it runs, says nothing about quality
  --model   bge-small-en-v1.5-q (default), all-minilm-l6-v2-q or hashing
  --write   writes docs/reference/quality.md
`;
const TARGETS = { scifact: 0.765, 'xquad-en': 0.98, squad: 0.98 };

function readOptions() {
  const { values } = parseArgs({
    options: {
      set: { type: 'string', default: 'all' },
      index: { type: 'string', default: 'both' },
      sample: { type: 'string' },
      model: { type: 'string', default: 'bge-small-en-v1.5-q' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const sets = values.set === 'all' ? MEASURED_SETS : values.set.split(',');
  const indices = values.index === 'both' ? ['lancedb', 'elasticsearch'] : [values.index];
  const sample = values.sample === undefined ? undefined : Number(values.sample);
  const isValid =
    sets.every((name) => SET_NAMES.includes(name)) &&
    indices.every((name) => ['lancedb', 'elasticsearch'].includes(name)) &&
    (sample === undefined || (Number.isInteger(sample) && sample > 0));
  if (values.help || !isValid) {
    console.log(HELP);
    process.exit(values.help ? 0 : 2);
  }
  return { ...values, sets, indices, sample };
}

/** `open()` gives a reader and a writer on an empty place. */
async function openIndices(names) {
  const folder = await mkdtemp(join(tmpdir(), 'candor-quality-'));
  const services = names.includes('elasticsearch') ? await startElasticsearchOnly(say) : null;
  return {
    open: (name) =>
      name === 'lancedb'
        ? createLanceDbIndex({ directory: folder })
        : createElasticsearchIndex({ url: services.urls.ELASTICSEARCH_URL }),
    close: async () => {
      await services?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const score = (value) => value.toFixed(3);
const verdict = (passed) => (passed ? 'yes' : '**no**');

function toRow({ set, index, chunks, result }) {
  const better = Math.max(result.dense, result.lexical);
  const target = TARGETS[set.name];
  return [
    set.title,
    index,
    `${set.documents.length} / ${chunks}`,
    set.queries.length,
    set.metric,
    `**${score(result.fused)}**`,
    score(result.similarity),
    score(result.dense),
    score(result.lexical),
    score(result.document),
    score(result.fused - better),
    verdict(result.fused >= better - 0.01),
    target === undefined ? '–' : `${verdict(result.fused >= target)} (${target})`,
    verdict(result.similarity >= result.dense - 0.005),
    score(result.shown),
    `${score(result.first.fused)} / ${score(result.first.similarity)}`,
  ];
}

const HEAD = [
  'set',
  'index',
  'documents / chunks',
  'queries',
  'metric',
  'fused',
  'default order',
  'dense leg',
  'BM25 leg',
  'BM25, whole documents',
  'fused − better leg',
  'fused ≥ better leg − 0.01',
  'fused ≥ target',
  'default ≥ dense − 0.005',
  'fused, above the floor',
  'first hit right: fused / default order',
];

function toReport(rows, options, model) {
  const command = `npm run bench:quality${options.argv.length > 0 ? ` -- ${options.argv.join(' ')}` : ''}`;
  return `# Quality of the ranking

Measured ${today()} with \`${command}\`; model ${model.model}, ${model.maxTokens} tokens; fusion: min-max linear, dense weight
${FUSION.denseWeight} (${FUSION.foreignDenseWeight} for a query in a language that the model doesn't know), ${FUSION.candidatesPerLeg(DEPTH)} candidates a leg; no relevance floor. The documents go through the product's own chunker, the vectors and texts through
the real index, the queries through the retrieval that answers \`/v1/search\` (\`limit\` ${DEPTH}); a document stands at the rank of its best
chunk.${options.sample === undefined ? '' : ' **A sample: these numbers say that it runs, nothing else.**'}

${table(HEAD, rows)}

- _fused_: \`"ranking": "fused"\`, also what reasoning and navigation use. _default order_: \`"ranking": "similarity"\`, the same page ordered by
  cosine.
- _dense leg_ and _BM25 leg_: what each leg alone ranks, by chunks. _BM25, whole documents_: one chunk a document, title and
  text as one field, k1 1.2, b 0.75 – a check of the analyzer: a plain BM25 with Porter2 stems has 0.696 on SciFact train.
- _fused, above the floor_: the fused ranking with the model's relevance floor, as it is shown; the floor is chosen to leave out
  about 4 % of what is right ([relevance](relevance-floor.md)).
- _first hit right_: share of the queries whose first hit is a right one. In a language that the model doesn't know, cosines order a page
  badly: there \`"ranking": "fused"\` is the better order.
- The test set of SciFact is never used here; the settings are chosen on its training claims.
${options.sample === undefined ? `- Vectors are kept in \`~/.cache/candor/bench\`, so a second run takes minutes.\n` : ''}`;
}

const options = { ...readOptions(), argv: process.argv.slice(2).filter((argument) => argument !== '--write') };
const embedder = await KeptVectorEmbedder.open(await loadEmbedder(options.model, say), say);
const indices = await openIndices(options.indices);
const rows = [];
try {
  for (const name of options.sets) {
    const set = await readDataSet(name, options.sample);
    const items = prepareItemsFor(embedder, set.documents);
    const chunks = await embedItems(items, embedder);
    for (const index of options.indices) {
      const started = Date.now();
      const opened = indices.open(index);
      const result = await measureRanking(set, items, chunks, opened, embedder, { withMore: true });
      await Promise.all([opened.reader.close(), opened.writer.close()]);
      rows.push(toRow({ set, index, chunks: chunks.flat().length, result }));
      const { first: _, ...means } = result;
      const shown = Object.entries(means).map(([kind, value]) => `${kind} ${score(value)}`);
      say(`${set.title} on ${index}: ${shown.join(', ')} (${Math.round((Date.now() - started) / 1000)} s)`);
    }
  }
} finally {
  await indices.close();
  await embedder.close();
}
await publish(toReport(rows, options, embedder.profile), options.write ? 'docs/reference/quality.md' : undefined);
say(machine());
