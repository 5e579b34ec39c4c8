// npm run serve: one GGUF model as `POST /v1/chat/completions` on loopback, one request at a time. `response_format` with
// a JSON schema becomes a grammar. For tests; no streaming, no tools, no key.
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { getLlama, LlamaChatSession, LlamaLogLevel } from 'node-llama-cpp';
import { boundLengths } from './bound-lengths.mjs';
import { MODEL, MODEL_PATH } from './model.mjs';
import { restrictCitations } from './restrict-citations.mjs';
import { restrictQuotations } from './restrict-quotations.mjs';

const LONGEST_BODY = 4 << 20;

const { values: options } = parseArgs({
  options: {
    file: { type: 'string', default: MODEL_PATH },
    /** 0 = any free one; the address is printed. */
    port: { type: 'string', default: '8089' },
    context: { type: 'string', default: '4096' },
    threads: { type: 'string', default: '2' },
    /** schema: what was asked for, with an end; evidence: also only quotations and ids that stand in the evidence; none: as a server without grammars. */
    grammar: { type: 'string', default: 'schema' },
  },
});
if (!['schema', 'evidence', 'none'].includes(options.grammar)) throw new Error('--grammar is schema, evidence or none');

const llama = await getLlama({
  gpu: false,
  build: 'never',
  skipDownload: true,
  maxThreads: Number(options.threads),
  logLevel: LlamaLogLevel.error,
});
const model = await llama.loadModel({ modelPath: options.file });
const context = await model.createContext({ contextSize: Number(options.context), threads: Number(options.threads) });
const sequence = context.getSequence();

function grammarFor(body, user) {
  if (options.grammar === 'none') return undefined;
  const { name, schema } = body.response_format?.json_schema ?? {};
  if (schema === undefined) return undefined;
  const restrict = { synthesis_output: restrictQuotations, answer_envelope: restrictCitations }[name];
  const restricted = options.grammar === 'evidence' ? (restrict?.(user) ?? null) : null;
  return llama.createGrammarForJsonSchema(restricted ?? boundLengths(schema));
}

async function complete(body, signal) {
  const textOf = (role) =>
    body.messages
      .filter((message) => message.role === role)
      .map(({ content }) => content)
      .join('\n\n');
  const user = textOf('user');
  const session = new LlamaChatSession({ contextSequence: sequence, systemPrompt: textOf('system') });
  try {
    const { responseText, stopReason } = await session.promptWithMeta(user, {
      grammar: await grammarFor(body, user),
      temperature: body.temperature ?? 0,
      maxTokens: body.max_tokens ?? 512,
      signal,
    });
    return {
      id: 'chatcmpl-local',
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model: MODEL.name,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: responseText, refusal: null },
          logprobs: null,
          finish_reason: stopReason === 'maxTokens' ? 'length' : 'stop',
        },
      ],
    };
  } finally {
    session.dispose({ disposeSequence: false });
    await sequence.clearHistory();
  }
}

async function readBody(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > LONGEST_BODY) throw new Error('the body is too long');
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}

let last = Promise.resolve();
/** The model has one sequence. */
function inTurn(work) {
  const turn = last.then(work);
  last = turn.catch(() => undefined);
  return turn;
}

const server = createServer(async (request, response) => {
  const send = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    send(404, { error: { message: 'only POST /v1/chat/completions', type: 'not_found' } });
    return;
  }
  const hangUp = new AbortController();
  response.on('close', () => hangUp.abort());
  try {
    const body = await readBody(request);
    send(200, await inTurn(() => complete(body, hangUp.signal)));
  } catch (error) {
    if (!response.writableEnded) send(500, { error: { message: error.message, type: 'server_error' } });
  }
});
server.listen(Number(options.port), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/v1`);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(0));
