// npm run bench:search: `/v1/search` over HTTP beside the raw Elasticsearch client on the same node and data, and retrieval
// on LanceDB beside the raw LanceDB client, in turns. Distinct queries, no query cache on either side. Build first.
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connect, MatchQuery } from '@lancedb/lancedb';
import { EmbedderRegistry } from '@candor/embeddings';
import { Database } from '@candor/persistence';
import { RetrievalService } from '@candor/retrieval';
import { CallerTokenSigner } from '@candor/runtime';
import { createLanceDbIndex } from '@candor/search-index/write';
import { ensureModel } from '@candor/models';
import { FUSION } from '../../apps/retrieval/dist/search/fusion-settings.js';
import { alternateRounds } from './support/alternate-rounds.mjs';
import { backgroundDocuments, backgroundEmbedder } from './support/background-corpus.mjs';
import { embedItems, prepareItemsFor, TENANT, writeChunks } from './support/build-chunks.mjs';
import { CALLER, corpusViews } from './support/corpus-views.mjs';
import { readDataSet } from './support/data-sets.mjs';
import { HttpSearch } from './support/http-search.mjs';
import { fillInstallation } from './support/ingest-corpus.mjs';
import { KeptVectorEmbedder } from './support/kept-vectors.mjs';
import { loadEmbedder } from './support/load-embedder.mjs';
import { quantile } from './support/rank-metrics.mjs';
import { soak } from './support/soak.mjs';
import { RawElasticsearch } from './support/raw-elasticsearch.mjs';
import { ms, publish, say } from './support/report.mjs';
import { reportSearch } from './support/report-search.mjs';
import { BenchStack } from './support/start-stack.mjs';

const HELP = `node tools/bench/search.mjs [--index lancedb|elasticsearch|both] [--sets NAMES] [--clients 1,16,64] [--rounds N] [--queries N] [--sample]
  [--soak SECONDS] [--chunks N] [--model NAME] [--write]

  --sets     the corpus and its queries; default squad,xquad-en,hotpot: 1,900 queries. With scifact embedding alone takes ten
             minutes more
  --chunks   also measures on Elasticsearch when the index has been filled up to this many chunks; default 100000, 0 = don't
  --clients  concurrent callers, one measurement each; default 1,16,64
  --rounds   turns a side takes; default 6
  --queries  distinct queries of one measurement; default 240 for 1 client, 480 for more
  --soak     seconds that 64 clients ask on Elasticsearch, to see whether anything fails; default 60, 0 = none
  --sample   a few queries on a corpus of the repository: shows that it runs
  --model    bge-small-en-v1.5-q (default), all-minilm-l6-v2-q or hashing
  --profile  folder for processor profiles of the gateway and retrieval, which are slower by that
  --write    writes docs/reference/speed.md
`;
const LIMIT = 10;
const K = FUSION.candidatesPerLeg(LIMIT);
/** Distinct queries, each asked several times: code is compiled well only after some thousand calls. */
const WARM_UP = 200;
const WARM_UP_PASSES = 4;
const SOAK_CLIENTS = 64;
const LANCEDB_SETTLE_MS = 5_000;

function readOptions() {
  const { values } = parseArgs({
    options: {
      index: { type: 'string', default: 'both' },
      sets: { type: 'string', default: 'squad,xquad-en,hotpot' },
      clients: { type: 'string', default: '1,16,64' },
      soak: { type: 'string', default: '60' },
      chunks: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '6' },
      queries: { type: 'string' },
      sample: { type: 'boolean', default: false },
      model: { type: 'string', default: 'bge-small-en-v1.5-q' },
      profile: { type: 'string' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const indices = values.index === 'both' ? ['elasticsearch', 'lancedb'] : [values.index];
  const isCount = /^\d+$/.test(values.chunks);
  if (!isCount) console.error('--chunks is a whole number');
  if (values.help || !isCount || !indices.every((name) => ['lancedb', 'elasticsearch'].includes(name))) {
    console.log(HELP);
    process.exit(values.help ? 0 : 2);
  }
  return {
    ...values,
    indices,
    clients: values.clients.split(',').map(Number),
    rounds: Number(values.rounds),
    soak: values.sample ? 1 : Number(values.soak),
    chunks: values.sample ? 40 : Number(values.chunks),
    queries: values.queries === undefined ? undefined : Number(values.queries),
  };
}

const [loadBefore] = loadavg();

async function readCorpus({ sample, sets: wanted }) {
  const names = sample ? ['smoke'] : wanted.split(',');
  const sets = await Promise.all(names.map((name) => readDataSet(name)));
  const texts = [...new Set(sets.flatMap((set) => set.queries.map(({ text }) => text.trim())))];
  return {
    title: sets.map(({ title }) => title).join(', '),
    documents: sets.flatMap((set) =>
      set.documents.map((document) => ({ ...document, id: `${set.name}:${document.id}` })),
    ),
    queries: shuffle(texts),
  };
}

/** The same every time. */
function shuffle(values) {
  const shuffled = [...values];
  let state = 7;
  for (let index = shuffled.length - 1; index > 0; index--) {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    const other = state % (index + 1);
    [shuffled[index], shuffled[other]] = [shuffled[other], shuffled[index]];
  }
  return shuffled;
}

/** Hands out every query once, so that no cache of either side can answer. */
function queryQueue(texts) {
  const left = [...texts];
  return (count) => {
    if (left.length < count) throw new Error(`${count} more distinct queries wanted, ${left.length} left`);
    return left.splice(0, count);
  };
}

async function measureAll(sides, spent, texts, options) {
  const take = queryQueue(texts);
  const warmUp = take(options.sample ? 2 : WARM_UP);
  for (let pass = 0; pass < (options.sample ? 1 : WARM_UP_PASSES); pass++) {
    for (const text of warmUp) await Promise.all([sides.candor(text), sides.raw(text)]);
  }
  const results = [];
  for (const clients of options.clients) {
    const wanted = options.sample ? 2 * clients : (options.queries ?? (clients === 1 ? 240 : 480));
    const rounds = options.sample ? 2 : options.rounds;
    const result = await alternateRounds({ sides, spent, queries: take(wanted), clients, rounds });
    results.push(result);
    say(
      `${clients} clients: candor p50 ${ms(result.candor.p50)}, raw p50 ${ms(result.raw.p50)}, ratio ${result.ratio.toFixed(2)}; processor ${ms(result.candor.spent)} and ${ms(result.raw.spent)}`,
    );
  }
  return results;
}

async function measureElasticsearch(corpus, embedders, options) {
  const stack = await BenchStack.start(say);
  try {
    const environment = { EMBEDDINGS_MODEL: options.model, CANDOR_MODEL_DIR: embedders.directory };
    const installation = await stack.install(['retrieval', 'gateway'], environment, options.profile);
    try {
      const seconds = await fillInstallation(installation, stack.elasticsearchUrl, embedders.kept, corpus.documents);
      say(`${corpus.documents.length} documents ingested in ${seconds.toFixed(0)} s`);
      installation.startProfiles();
      const measure = (soak) => measureInstallation(installation, stack, corpus, embedders, { ...options, soak });
      if (options.chunks === 0) return [await measure(options.soak)];
      const bare = await measure(0);
      if (options.chunks <= bare.chunks) {
        say(
          `--chunks ${options.chunks}: the documents alone are ${bare.chunks} chunks, so there is nothing to fill up`,
        );
        return [bare];
      }
      await fillUp(installation, stack, corpus, embedders, options.chunks - bare.chunks);
      // Asked before, their vectors would be known to retrieval: with a stop word the words are the same and the query is another.
      corpus = { ...corpus, queries: corpus.queries.map((text) => `${text} the`) };
      return [bare, await measure(options.soak)];
    } finally {
      await installation.stop();
    }
  } finally {
    await stack.stop();
  }
}

/** The index as large as a company's, around the same documents. */
async function fillUp(installation, stack, corpus, { kept }, chunks) {
  const items = prepareItemsFor(kept, corpus.documents);
  const embedder = await backgroundEmbedder(
    kept,
    items.flatMap(({ texts }) => texts),
  );
  const [first] = prepareItemsFor(kept, backgroundDocuments(corpus.documents, 1));
  const documents = backgroundDocuments(corpus.documents, Math.ceil(chunks / first.texts.length));
  const seconds = await fillInstallation(installation, stack.elasticsearchUrl, embedder, documents);
  say(`${documents.length} documents around them ingested in ${seconds.toFixed(0)} s`);
}

async function measureInstallation(installation, stack, corpus, embedders, options) {
  const startedAt = new Date();
  const database = new Database({
    url: installation.databaseUrl,
    applicationName: 'candor-bench',
    poolSize: 1,
    unscoped: 'owner',
  });
  const http = new HttpSearch(installation.url, installation.key);
  const raw = new RawElasticsearch(stack.elasticsearchUrl, embedders.plain);
  try {
    const [{ tenant_id: tenantId }] = await database.read((manager) =>
      manager.query(`SELECT tenant_id FROM generations WHERE status = 'live'`),
    );
    const index = await raw.findIndex(tenantId);
    const { count: chunks } = await raw.client.count({ index });
    const sides = {
      candor: (text) => http.search(text, LIMIT),
      raw: (text) => raw.search({ index, tenantId, text, k: K }),
    };
    const spent = { candor: installation.processorMs, raw: ownProcessorMs };
    const results = await measureAll(sides, spent, corpus.queries, options);
    const parts = await readParts(database, startedAt);
    const clients = options.sample ? 2 : SOAK_CLIENTS;
    const { soak: seconds } = options;
    const ask = sides.candor;
    const soaked =
      seconds > 0
        ? await soak({ ask, queries: corpus.queries, clients, seconds, metrics: installation.metrics })
        : undefined;
    return { chunks, results, parts, soaked };
  } finally {
    http.close();
    await raw.close();
    await database.close();
  }
}

/** Where retrieval says its time went, from the audit events of the searches since then. */
async function readParts(database, startedAt) {
  const rows = await database.read((manager) =>
    manager.query(
      `SELECT metadata->'tookMs' AS took FROM audit_events WHERE action = 'search.query' AND created_at > $1`,
      [startedAt],
    ),
  );
  const median = (part) =>
    quantile(
      rows.map(({ took }) => Number(took[part])),
      0.5,
    );
  return Object.fromEntries(['embed', 'search', 'recheck', 'total'].map((part) => [part, median(part)]));
}

async function measureLanceDb(corpus, embedders, options) {
  const directory = await mkdtemp(join(tmpdir(), 'candor-search-'));
  const { reader, writer } = createLanceDbIndex({ directory });
  const address = { tenantId: TENANT, generation: 'bench' };
  try {
    const items = prepareItemsFor(embedders.kept, corpus.documents);
    const chunks = await embedItems(items, embedders.kept);
    await writeChunks(writer, address, chunks, embedders.plain.profile.dimensions);
    const service = new RetrievalService({
      reader,
      views: corpusViews(items, address.generation),
      embedders: EmbedderRegistry.around(embedders.plain),
      signer: new CallerTokenSigner('bench'.repeat(8)),
    });
    // The writer puts its files in order once it is idle, and removes the old ones.
    await delay(LANCEDB_SETTLE_MS);
    const connection = await connect(join(directory, TENANT, address.generation), { readConsistencyInterval: 0 });
    const live = await connection.openTable('live');
    const sides = {
      candor: (text) =>
        service.handle('search', {
          requestId: CALLER.apiKeyId,
          scope: CALLER,
          deadline: new Date(Date.now() + 10_000),
          request: { query: text, limit: LIMIT, ranking: 'similarity' },
        }),
      raw: (text) => searchLanceDb(live, embedders.plain, text),
    };
    const spent = { candor: ownProcessorMs, raw: ownProcessorMs };
    const results = await measureAll(sides, spent, corpus.queries, options);
    live.close();
    connection.close();
    return { chunks: chunks.flat().length, results };
  } finally {
    await Promise.all([reader.close(), writer.close()]);
    await rm(directory, { recursive: true, force: true });
  }
}

function ownProcessorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function searchLanceDb(live, embedder, text) {
  const vector = await embedder.embedQuery(text);
  const where = `\`tenantId\` = '${TENANT}'`;
  const dense = live.vectorSearch(vector).distanceType('cosine').where(where).limit(K);
  const lexical = live.query().fullTextSearch(new MatchQuery(text, 'searchText')).where(where).limit(K);
  return Promise.all([
    dense.select(['document', '_distance']).toArray(),
    lexical.select(['document', '_score']).toArray(),
  ]);
}

const options = { ...readOptions(), argv: process.argv.slice(2).filter((argument) => argument !== '--write') };
const corpus = await readCorpus(options);
const plain = await loadEmbedder(options.model, say);
const kept = await KeptVectorEmbedder.open(await loadEmbedder(options.model, say), say);
const directory = options.model === 'hashing' ? undefined : (await ensureModel({ name: options.model })).dir;
const measured = {};
try {
  const embedders = { plain, kept, directory };
  if (options.indices.includes('elasticsearch')) {
    measured.elasticsearch = await measureElasticsearch(corpus, embedders, options);
  }
  if (options.indices.includes('lancedb')) measured.lancedb = await measureLanceDb(corpus, embedders, options);
} finally {
  await Promise.all([plain.close(), kept.close()]);
}
const report = await reportSearch(measured, { corpus, options, loadBefore, limit: LIMIT, candidates: K });
await publish(report, options.write ? 'docs/reference/speed.md' : undefined);
