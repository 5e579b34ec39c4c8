// npm run bench:quality: how good the ranking is, on public data sets, through the product's own path: its chunker, its
// index adapters, its fusion. Only Postgres is replaced, by a corpus in which everything is live. Build first.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmbedderRegistry, findRelevanceProfile } from '@candor/embeddings';
import { RetrievalService } from '@candor/retrieval';
import { CallerTokenSigner } from '@candor/runtime';
import { createElasticsearchIndex, createLanceDbIndex } from '@candor/search-index/write';
import { FUSION } from '../../apps/retrieval/dist/search/fusion-settings.js';
import { embedItems, itemIdOf, prepareItemsFor, TENANT, wholeDocuments, writeChunks } from './support/build-chunks.mjs';
import { CALLER, corpusViews } from './support/corpus-views.mjs';
import { MEASURED_SETS, readDataSet, SET_NAMES } from './support/data-sets.mjs';
import { KeptVectorEmbedder } from './support/kept-vectors.mjs';
import { loadEmbedder } from './support/load-embedder.mjs';
import { mean, ndcg, recall } from './support/rank-metrics.mjs';
import { machine, publish, say, table, today } from './support/report.mjs';
import { startElasticsearchOnly } from './support/start-stack.mjs';

const HELP = `node tools/bench/quality.mjs [--set NAME[,NAME…]|all] [--index lancedb|elasticsearch|both] [--sample N] [--model NAME] [--write]

  --set     ${SET_NAMES.join(', ')}; default all, which leaves smoke out
  --index   default both
  --sample  so many queries of each set and a small corpus around them: shows that it runs, says nothing about quality
  --model   bge-small-en-v1.5-q (default), all-minilm-l6-v2-q or hashing
  --write   writes docs/reference/quality.md
`;
const DEPTH = 10;
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

/** The items behind a leg's hits, each at its best chunk. */
function itemsOfLeg(candidates, rankOf) {
  const ranked = candidates
    .filter((candidate) => rankOf(candidate) !== null)
    .sort((left, right) => rankOf(left) - rankOf(right));
  return [...new Set(ranked.map(({ chunk }) => chunk.itemId))];
}

async function rankQuery({ service, reader, embedder, address, documents }, text) {
  const request = (ranking) => ({ query: text, limit: DEPTH, ranking });
  const call = { requestId: CALLER.apiKeyId, scope: CALLER, deadline: null };
  const found = async (ranking) => {
    const { result } = await service.handle('search', { ...call, request: request(ranking) });
    return result.hits.map((hit) => hit.sourceItemId);
  };
  const query = {
    filter: { tenantId: TENANT, providers: null, principals: null, itemIds: null },
    vector: await embedder.embedQuery(text.trim()),
    text: text.trim(),
    k: FUSION.candidatesPerLeg(DEPTH),
  };
  const { candidates } = await reader.findCandidates(address, query);
  const whole = await reader.findCandidates(documents, { ...query, k: DEPTH });
  return {
    fused: await found('fused'),
    similarity: await found('similarity'),
    dense: itemsOfLeg(candidates, (candidate) => candidate.denseRank),
    lexical: itemsOfLeg(candidates, (candidate) => candidate.lexicalRank),
    document: itemsOfLeg(whole.candidates, (candidate) => candidate.lexicalRank),
  };
}

/** Mean of the set's metric for each ranking. */
async function measure(set, items, chunks, { reader, writer }, embedder, name) {
  const run = `${name}-${process.pid}`;
  const address = { tenantId: TENANT, generation: `bench-${run}` };
  const documents = { tenantId: TENANT, generation: `bench-${run}-documents` };
  const { dimensions } = embedder.profile;
  try {
    await writeChunks(writer, address, chunks, dimensions);
    await writeChunks(writer, documents, wholeDocuments(items, dimensions), dimensions);
    const service = new RetrievalService({
      reader,
      views: corpusViews(items, address.generation),
      embedders: EmbedderRegistry.around(embedder),
      signer: new CallerTokenSigner('bench'.repeat(8)),
      // The floor is measured elsewhere; here it would only hide ranks.
      relevance: { relevanceFloor: 0, cosineGuard: 0, wordWeight: 0, evidenceGuard: 0, calibrated: false },
    });
    const metric = set.metric === 'nDCG@10' ? ndcg : recall;
    const values = { fused: [], similarity: [], dense: [], lexical: [], document: [] };
    for (const { text, relevant } of set.queries) {
      const relevantItems = new Set([...relevant].map(itemIdOf));
      const rankings = await rankQuery({ service, reader, embedder, address, documents }, text);
      for (const [kind, ranked] of Object.entries(rankings)) values[kind].push(metric(ranked, relevantItems, DEPTH));
    }
    return Object.fromEntries(Object.entries(values).map(([kind, each]) => [kind, mean(each)]));
  } finally {
    await writer.dropIndex(address);
    await writer.dropIndex(documents);
  }
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
];

function toReport(rows, options, model) {
  const command = `npm run bench:quality${options.argv.length > 0 ? ` -- ${options.argv.join(' ')}` : ''}`;
  return `# Quality of the ranking

Measured ${today()} with \`${command}\`; model ${model.model}, ${model.maxTokens} tokens; fusion: min-max linear, dense weight
${FUSION.denseWeight}, ${FUSION.candidatesPerLeg(DEPTH)} candidates a leg; no relevance floor. The documents go through the product's own chunker, the vectors and texts through
the real index, the queries through the retrieval that answers \`/v1/search\` (\`limit\` ${DEPTH}); a document stands at the rank of its best
chunk.${options.sample === undefined ? '' : ' **A sample: these numbers say that it runs, nothing else.**'}

${table(HEAD, rows)}

- _fused_: \`"ranking": "fused"\`, also what reasoning and navigation use. _default order_: \`"ranking": "similarity"\`, the same page ordered by
  cosine.
- _dense leg_ and _BM25 leg_: what each leg alone ranks, by chunks. _BM25, whole documents_: one chunk a document, title and
  text as one field, k1 1.2, b 0.75 – a check of the analyzer: a plain BM25 with Porter2 stems has 0.696 on SciFact train.
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
      const result = await measure(set, items, chunks, opened, embedder, name);
      await Promise.all([opened.reader.close(), opened.writer.close()]);
      rows.push(toRow({ set, index, chunks: chunks.flat().length, result }));
      const shown = Object.entries(result).map(([kind, value]) => `${kind} ${score(value)}`);
      say(`${set.title} on ${index}: ${shown.join(', ')} (${Math.round((Date.now() - started) / 1000)} s)`);
    }
  }
} finally {
  await indices.close();
  await embedder.close();
}
await publish(toReport(rows, options, embedder.profile), options.write ? 'docs/reference/quality.md' : undefined);
say(machine());
