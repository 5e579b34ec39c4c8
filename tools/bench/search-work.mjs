// npm run bench:search-work: what one `/v1/search` makes other servers do, counted on the wire: round trips and bytes. Counts
// don't depend on the machine, so CI holds them to a budget: a statement, a request or a column more shows. Build first.
import { readDataSet } from './support/data-sets.mjs';
import { HttpSearch } from './support/http-search.mjs';
import { fillInstallation } from './support/ingest-corpus.mjs';
import { loadEmbedder } from './support/load-embedder.mjs';
import { say } from './support/report.mjs';
import { BenchStack } from './support/start-stack.mjs';
import { CountedServers, leastOf, readBudget, reportBudget } from './support/work-budget.mjs';

const HELP = `node tools/bench/search-work.mjs [--budget NAME=NUMBER[,NAME=NUMBER…]]

  --budget  another budget, to see it fail; names as in the table, e.g. "database round trips=2"
`;
/**
 * Of one search on the repository's own corpus of 16 documents, in this process's own installation. Round trips are exact; bytes have
 * a tenth of room, for ids and timings differ in length.
 */
const BUDGET = {
  // The key, the recheck with the live generation, the audit event.
  'database round trips': 3,
  // The words while the query is embedded, then the vectors.
  'index requests': 2,
  'retrieval calls': 1,
  'KB from the database': 8.5,
  'KB to the index': 3,
  'KB from the index': 26,
  'KB from retrieval': 5.5,
};
const LIMIT = 10;
const WARM_UP = 24;
const ROUNDS = 5;
const SEARCHES_A_ROUND = 8;

/** Of one search, on average over a few. */
async function countRound(servers, http, texts) {
  const all = await servers.during(async () => {
    for (const text of texts) await http.search(text, LIMIT);
  });
  const spent = (name, what) => all(name, what) / texts.length;
  const kilobytes = (name, what) => spent(name, what) / 1_000;
  return {
    'database round trips': spent('database', 'requests'),
    'index requests': spent('index', 'requests'),
    'retrieval calls': spent('retrieval', 'requests'),
    'KB from the database': kilobytes('database', 'received'),
    'KB to the index': kilobytes('index', 'sent'),
    'KB from the index': kilobytes('index', 'received'),
    'KB from retrieval': kilobytes('retrieval', 'received'),
  };
}

const budget = readBudget(BUDGET, HELP);
const { documents, queries } = await readDataSet('smoke');
const embedder = await loadEmbedder('hashing', say);
const stack = await BenchStack.start(say);
const servers = new CountedServers();
const rounds = [];
try {
  const environment = { EMBEDDINGS_MODEL: 'hashing' };
  const installation = await stack.install(['retrieval', 'gateway'], environment, undefined, servers.relay);
  await fillInstallation(installation, stack.elasticsearchUrl, embedder, documents);
  const http = new HttpSearch(installation.url, installation.key);
  const textAt = (index) => queries[index % queries.length].text;
  for (let index = 0; index < WARM_UP; index++) await http.search(`${textAt(index)} ${index}`, LIMIT);
  for (let round = 0; round < ROUNDS; round++) {
    const texts = Array.from({ length: SEARCHES_A_ROUND }, (_, index) => `${textAt(index)} ${round}`);
    rounds.push(await countRound(servers, http, texts));
  }
  http.close();
} finally {
  await stack.stop();
  await servers.close();
  await embedder.close();
}
reportBudget('one search', leastOf(rounds), budget);
