// npm run bench:reason-speed: from the gateway to the answer with the extractive provider, beside the parts that any answer
// needs, called one after the other, and beside a job of the queue in which there is nothing to do. Build first.
import { randomBytes, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { answerQuestionJob } from '@candor/contracts';
import { ensureModel } from '@candor/models';
import { Database } from '@candor/persistence';
import { JobProducer, RedisReplyChannel } from '@candor/queue';
import { CallerTokenSigner, GrpcRetrievalClient } from '@candor/runtime';
import { createAnswerProvider } from '@candor/synthesis';
import { AnswerQuestionService } from '../../apps/synthesis/dist/features/answer-question/answer-question.service.js';
import { alternateRounds } from './support/alternate-rounds.mjs';
import { readDataSet, spread } from './support/data-sets.mjs';
import { HttpSearch } from './support/http-search.mjs';
import { fillInstallation } from './support/ingest-corpus.mjs';
import { KeptVectorEmbedder } from './support/kept-vectors.mjs';
import { loadEmbedder } from './support/load-embedder.mjs';
import { quantile } from './support/rank-metrics.mjs';
import { machine, publish, say, table, today, ms } from './support/report.mjs';
import { BenchStack } from './support/start-stack.mjs';

const HELP = `node tools/bench/reason-speed.mjs [--set NAME] [--clients 1,8] [--questions N] [--rounds N] [--model NAME] [--write]

  --set        squad (default), xquad-en, hotpot or smoke
  --clients    concurrent callers, one measurement each; default 1,8
  --questions  of each measurement, each asked once; default 120
  --rounds     turns a side takes; default 4
  --model      bge-small-en-v1.5-q (default), all-minilm-l6-v2-q or hashing
  --write      writes docs/reference/reason-speed.md
`;
const DEADLINE_MS = 120_000;
const REQUEST = { limit: 50, maxTokens: 8_000 };

function readOptions() {
  const { values } = parseArgs({
    options: {
      set: { type: 'string', default: 'squad' },
      clients: { type: 'string', default: '1,8' },
      questions: { type: 'string', default: '120' },
      rounds: { type: 'string', default: '4' },
      model: { type: 'string', default: 'bge-small-en-v1.5-q' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help || !['squad', 'xquad-en', 'hotpot', 'smoke'].includes(values.set)) {
    console.log(HELP);
    process.exit(values.help ? 0 : 2);
  }
  const clients = values.clients.split(',').map(Number);
  return { ...values, clients, questions: Number(values.questions), rounds: Number(values.rounds) };
}

/** Retrieval over gRPC, gate, packet, extractive provider, citation check: no HTTP, no queue, no audit. */
function openParts({ retrievalUrl, signer, scope, embedder }) {
  const retrieval = new GrpcRetrievalClient({ url: retrievalUrl });
  const provider = createAnswerProvider({}, embedder);
  const service = new AnswerQuestionService({ retrieval, providerFor: () => provider });
  const ask = async (query) => {
    const reply = await service.answer(payloadOf(query, { signer, scope, deadlineMs: DEADLINE_MS, replyTo: 'none' }));
    if (!reply.ok) throw new Error(`${reply.error.code}: ${reply.error.message}`);
    return reply.data;
  };
  return { ask, close: () => retrieval.close() };
}

/** A question whose time is over is answered without being looked at: what is left is the way there and back. */
async function openQueue({ redisUrl, signer, scope }) {
  const jobs = new JobProducer({ kind: 'redis', url: redisUrl });
  const replies = new RedisReplyChannel(redisUrl, (_channel, error) => say(String(error)));
  const replyTo = `bench.${randomUUID()}`;
  const waiting = new Map();
  const unsubscribe = await replies.subscribe(replyTo, ({ runId, reply }) => waiting.get(runId)?.(reply));
  const ask = async (query) => {
    const payload = payloadOf(query, { signer, scope, deadlineMs: -1, replyTo });
    const answered = new Promise((resolve) => waiting.set(payload.runId, resolve));
    await jobs.add(answerQuestionJob, payload, {});
    const reply = await answered;
    waiting.delete(payload.runId);
    if (reply.error?.code !== 'JOB.DEADLINE_PASSED') throw new Error(`unexpected reply ${JSON.stringify(reply)}`);
  };
  const close = async () => {
    await unsubscribe();
    await Promise.all([jobs.close(), replies.close()]);
  };
  return { ask, close };
}

function payloadOf(query, { signer, scope, deadlineMs, replyTo }) {
  return {
    query,
    ...REQUEST,
    tenantId: scope.tenantId,
    requestId: randomUUID(),
    runId: randomUUID(),
    callerToken: signer.sign(scope),
    replyTo,
    deadline: new Date(Date.now() + deadlineMs).toISOString(),
  };
}

async function readScope(databaseUrl) {
  const database = new Database({ url: databaseUrl, applicationName: 'candor-bench', poolSize: 1, unscoped: 'owner' });
  try {
    const [{ id, tenant_id: tenantId }] = await database.read((manager) =>
      manager.query('SELECT id, tenant_id FROM api_keys LIMIT 1'),
    );
    const narrow = { allowedProviders: null, principals: null };
    return { tenantId, apiKeyId: id, actorType: 'admin', allowedActions: ['admin'], ...narrow };
  } finally {
    await database.close();
  }
}

async function timeAlone(ask, texts, clients) {
  const times = [];
  let next = 0;
  const client = async () => {
    while (next < texts.length) {
      const text = texts[next++];
      const started = performance.now();
      await ask(text);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return quantile(times, 0.5);
}

async function measure(options, { documents, queries }) {
  const plain = await loadEmbedder(options.model, say);
  const kept = await KeptVectorEmbedder.open(plain, say);
  const stack = await BenchStack.start(say);
  const signingKey = randomBytes(32).toString('hex');
  let retrievalUrl;
  const noteRetrieval = async (name, url) => {
    if (name === 'retrieval') retrievalUrl = new URL(url).host;
    return url;
  };
  try {
    const directory =
      options.model === 'hashing' ? {} : { CANDOR_MODEL_DIR: (await ensureModel({ name: options.model })).dir };
    const environment = { EMBEDDINGS_MODEL: options.model, CANDOR_SIGNING_KEY: signingKey, ...directory };
    const services = ['retrieval', 'synthesis', 'gateway'];
    const installation = await stack.install(services, environment, undefined, noteRetrieval);
    await fillInstallation(installation, stack.elasticsearchUrl, kept, documents);
    const signer = new CallerTokenSigner(signingKey);
    const scope = await readScope(installation.databaseUrl);
    const parts = openParts({ retrievalUrl, signer, scope, embedder: plain });
    const queue = await openQueue({ redisUrl: installation.redisUrl, signer, scope });
    const http = new HttpSearch(installation.url, installation.key, '/v1/reason');
    const sides = { candor: (query) => http.post({ query, ...REQUEST }), raw: parts.ask };
    const unknown = { candor: () => NaN, raw: () => NaN };
    const results = [];
    try {
      const take = (count) => queries.splice(0, count);
      for (const query of take(Math.min(20, queries.length / 4)))
        await Promise.all([sides.candor(query), sides.raw(query)]);
      for (const clients of options.clients) {
        const asked = take(options.questions);
        const { rounds } = options;
        const result = await alternateRounds({ sides, spent: unknown, queries: asked, clients, rounds });
        results.push({ ...result, queue: await timeAlone(queue.ask, asked, clients) });
      }
    } finally {
      http.close();
      parts.close();
      await queue.close();
    }
    return results;
  } finally {
    await stack.stop();
    await kept.close();
  }
}

function toReport(results, { title, count }, options) {
  const rows = results.map(({ clients, requests, candor, raw, ratio, queue }) => [
    `${clients} (${requests} questions)`,
    ms(candor.p50),
    ms(candor.p99),
    ms(raw.p50),
    ratio.toFixed(2),
    ms(candor.p50 - raw.p50),
    ms(queue),
  ]);
  const head = ['clients', '`/v1/reason` p50', 'p99', 'its parts p50', 'ratio', 'on top', 'of that, the queue'];
  return `# Speed of an answer

Measured ${today()} with \`${options.command}\` on ${machine()}; model ${options.model}, ${count} documents (${title}), extractive provider. Every question
is asked once of each side; both take turns.

_its parts_: retrieval over gRPC, the relevance gate, the packet, the extractive provider and the citation check, called from
one process. _on top_: the gateway over HTTP, two audit commits (\`reason.requested\`, \`reason.answer\`), the job, the reply. _the queue_: a job whose
deadline has passed and its reply, which is the way there and back alone (BullMQ on Redis, reply channel).

${table(head, rows)}
`;
}

const options = readOptions();
const { title, documents, queries } = await readDataSet(options.set);
const wanted = options.questions * options.clients.length + 20;
const texts = [...new Set(queries.map(({ text }) => text.trim()))];
const asked = spread(texts, Math.min(wanted, texts.length));
const argv = process.argv.slice(2).filter((argument) => argument !== '--write');
const command = ['npm run bench:reason-speed', ...(argv.length > 0 ? ['--', ...argv] : [])].join(' ');
const results = await measure(options, { documents, queries: asked });
const report = toReport(results, { title, count: documents.length }, { ...options, command });
await publish(report, options.write ? 'docs/reference/reason-speed.md' : undefined);
process.exit(0);
