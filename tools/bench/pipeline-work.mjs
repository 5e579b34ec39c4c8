// npm run bench:pipeline-work: what one document that is ingested, and one answer, make other servers do, counted on the
// wire. Counts depend little on the machine, so CI holds them to a budget: a statement or a command more shows. Build first.
import { readDataSet } from './support/data-sets.mjs';
import { HttpSearch } from './support/http-search.mjs';
import { fillInstallation, ingestAll, toIngestDocument } from './support/ingest-corpus.mjs';
import { loadEmbedder } from './support/load-embedder.mjs';
import { say } from './support/report.mjs';
import { BenchStack } from './support/start-stack.mjs';
import { CountedServers, leastOf, readBudget, reportBudget } from './support/work-budget.mjs';

const HELP = `node tools/bench/pipeline-work.mjs [--budget NAME=NUMBER[,NAME=NUMBER…]]

  --budget  another budget, to see it fail; names as in the table, e.g. "a document: commands to Redis=2"
`;
/**
 * Of one of 200 documents that come at once, and of one question at a time over the repository's own corpus. A quarter above
 * what was counted, and of a document a little more: how many share a statement depends on how they come.
 */
const BUDGET = {
  'a document: round trips to the database': 1,
  'a document: index requests': 0.06,
  'a document: commands to Redis': 4,
  // The key, the question's event, the recheck, the answer's event; one more is one too many.
  'an answer: round trips to the database': 4.5,
  'an answer: index requests': 2,
  'an answer: retrieval calls': 1,
  'an answer: commands to Redis': 10,
};
const DOCUMENTS_A_ROUND = 200;
const QUESTIONS_A_ROUND = 40;
const ROUNDS = 3;
/** Asking how far it is costs statements as well, so it is asked seldom. */
const POLL_MS = 1_000;
const ENVIRONMENT = { EMBEDDINGS_MODEL: 'hashing' };
const REQUEST = { limit: 50, maxTokens: 8_000 };

/** So many of their own: what has been there before is skipped. */
function takeDocuments(documents, round) {
  return Array.from({ length: DOCUMENTS_A_ROUND }, (_, index) => {
    const { title, text } = documents[index % documents.length];
    const name = `round ${round}, copy ${index}`;
    return toIngestDocument({ id: name, title, text: `${text} (${name})` });
  });
}

const takeQuestions = (queries, round) =>
  Array.from({ length: QUESTIONS_A_ROUND }, (_, index) => `${queries[index % queries.length].text} ${round} ${index}`);

async function countIngest(stack, { documents }) {
  const servers = new CountedServers();
  const installation = await stack.install(['ingestion-worker', 'gateway'], ENVIRONMENT, undefined, servers.relay);
  const ingest = (round) => ingestAll(installation, takeDocuments(documents, round), POLL_MS);
  const rounds = [];
  // The first ones pay for the tenant's index and for connections.
  await ingest('warm-up');
  for (let round = 0; round < ROUNDS; round++) {
    const spent = await servers.during(() => ingest(round));
    rounds.push({
      'a document: round trips to the database': spent('database', 'requests') / DOCUMENTS_A_ROUND,
      'a document: index requests': spent('index', 'requests') / DOCUMENTS_A_ROUND,
      'a document: commands to Redis': spent('queue', 'requests') / DOCUMENTS_A_ROUND,
    });
  }
  await installation.stop();
  await servers.close();
  return leastOf(rounds);
}

/** Without a worker beside: what it does by itself would be counted as well. */
async function countAnswers(stack, { documents, queries }) {
  const servers = new CountedServers();
  const services = ['retrieval', 'synthesis', 'gateway'];
  const installation = await stack.install(services, ENVIRONMENT, undefined, servers.relay);
  const embedder = await loadEmbedder('hashing', say);
  await fillInstallation(installation, stack.elasticsearchUrl, embedder, documents);
  const http = new HttpSearch(installation.url, installation.key, '/v1/reason');
  const ask = async (round) => {
    for (const query of takeQuestions(queries, round)) await http.post({ query, ...REQUEST });
  };
  const rounds = [];
  await ask('warm-up');
  for (let round = 0; round < ROUNDS; round++) {
    const spent = await servers.during(() => ask(round));
    rounds.push({
      'an answer: round trips to the database': spent('database', 'requests') / QUESTIONS_A_ROUND,
      'an answer: index requests': spent('index', 'requests') / QUESTIONS_A_ROUND,
      'an answer: retrieval calls': spent('retrieval', 'requests') / QUESTIONS_A_ROUND,
      'an answer: commands to Redis': spent('queue', 'requests') / QUESTIONS_A_ROUND,
    });
  }
  http.close();
  await installation.stop();
  await servers.close();
  await embedder.close();
  return leastOf(rounds);
}

const budget = readBudget(BUDGET, HELP);
const set = await readDataSet('smoke');
const stack = await BenchStack.start(say);
let measured;
try {
  measured = { ...(await countIngest(stack, set)), ...(await countAnswers(stack, set)) };
} finally {
  await stack.stop();
}
reportBudget('work', measured, budget);
