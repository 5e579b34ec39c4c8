// Opt-in, needs the model: see README.md. Not part of `npm test`.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  answerQuestion,
  createPassageRetriever,
  reason,
  reasoningResponseFromJson,
  reasoningResponseToJson,
} from '@candor/reasoning';
import { createAnswerProvider } from '@candor/synthesis';
import { MODEL, MODEL_PATH } from './model.mjs';

const SERVE = fileURLToPath(new URL('./serve.mjs', import.meta.url));
const PASSAGES = [
  [
    '10000000-0000-5000-8000-000000000001',
    'Ferry',
    'The ferry Marit leaves the east quay on Mondays. Bicycles travel free of charge.',
  ],
  [
    '10000000-0000-5000-8000-000000000002',
    'Bees',
    'Each colony gets fourteen kilograms of sugar syrup. Later feeding wakes the bees.',
  ],
].map(([chunkId, documentTitle, content]) => ({
  chunkId,
  documentId: `document-of-${chunkId}`,
  documentTitle,
  content,
}));
const QUESTION = 'When does the ferry Marit leave the east quay?';

if (!existsSync(MODEL_PATH)) throw new Error(`${MODEL_PATH} isn't there: run npm run fetch in tools/llm`);

let child;
afterEach(async () => {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill();
  await ended;
});

/** A model server of its own; how it keeps to a grammar is what each test is about. */
async function serve(grammar) {
  const { NODE_OPTIONS: _, ...env } = process.env;
  child = spawn(process.execPath, [SERVE, '--port', '0', '--threads', '1', '--grammar', grammar], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('the model server ended before it listened');
}

const providerFor = (baseUrl, maxOutputTokens) =>
  createAnswerProvider(
    { LLM_BASE_URL: baseUrl, LLM_MODEL: MODEL.name, LLM_TIMEOUT_MS: 540_000, LLM_MAX_OUTPUT_TOKENS: maxOutputTokens },
    undefined,
  );

const ask = (answerProvider, record) =>
  answerQuestion({
    query: QUESTION,
    limit: 50,
    maxTokens: 8_000,
    scoped: false,
    evidence: { passages: PASSAGES, relevant: true },
    answerProvider,
    countTokens: (text) => Math.ceil(text.length / 4),
    now: Date.now,
    recordFacts: record,
  });

describe('a real model behind the OpenAI-compatible provider', () => {
  it('gets its statements through when its quotations stand in the evidence', async () => {
    const baseUrl = await serve('evidence');
    const { data, facts } = await ask(providerFor(baseUrl, 400));
    expect(facts.answerProvider).toBe('openai-compatible');
    expect(facts.statementsKept).toBeGreaterThanOrEqual(1);
    expect(data.meta).toMatchObject({ chunksGathered: 2, citationsDropped: 0 });
    const known = new Map(
      PASSAGES.map(({ chunkId, documentId, documentTitle }) => [chunkId, { chunkId, documentId, documentTitle }]),
    );
    for (const citation of data.citations) expect(citation).toEqual(known.get(citation.chunkId));
    for (const { chunkId } of data.citations) expect(data.answer).toContain(`[[${chunkId}]]`);
  });

  it('keeps strictly to the schema, and to nothing more: what it misquotes is withheld and counted', async () => {
    const baseUrl = await serve('schema');
    let returned;
    const provider = providerFor(baseUrl, 600);
    const watched = {
      name: provider.name,
      synthesize: async (request) => (returned = await provider.synthesize(request)),
    };
    const { data, facts } = await ask(watched);
    const references = returned.statements.flatMap((statement) => statement.references);
    const stands = ({ chunkId, quotation }) =>
      quotation.trim() !== '' &&
      PASSAGES.some((passage) => passage.chunkId === chunkId && passage.content.includes(quotation.trim()));
    expect(data.meta.citationsDropped).toBe(references.filter((reference) => !stands(reference)).length);
    expect(facts.statementsKept).toBe(returned.statements.filter((each) => each.references.some(stands)).length);
  });

  it('fails honestly when the output is cut short', async () => {
    const baseUrl = await serve('evidence');
    await expect(ask(providerFor(baseUrl, 16))).rejects.toMatchObject({ code: 'SYNTHESIS.INVALID_OUTPUT' });
  });

  it('fails honestly when the server ignores the schema', async () => {
    const baseUrl = await serve('none');
    await expect(ask(providerFor(baseUrl, 24))).rejects.toMatchObject({ code: 'SYNTHESIS.INVALID_OUTPUT' });
  });
});

/** The same passages and question through the typed run. */
async function run(answerProvider) {
  const passages = PASSAGES.map(({ content: text, ...passage }) => ({ ...passage, text }));
  let output;
  const response = await reason(
    {
      query: QUESTION,
      tenantId: 'tenant',
      policy: { requireCertifiedEvidence: false },
      providers: {
        retriever: createPassageRetriever('tenant', passages),
        answerProvider: {
          name: answerProvider.name,
          answer: async (prompt, context) => (output = await answerProvider.answer(prompt, context)),
        },
      },
    },
    { answerDeadlineMs: 540_000, countTokens: (text) => Math.ceil(text.length / 4) },
  );
  // Whatever a model wrote, the response is a strict one.
  expect(reasoningResponseFromJson(reasoningResponseToJson(response))).toEqual(response);
  const items = new Map(response.evidence.items.map((item) => [item.chunkId, item]));
  expect(items.size).toBeGreaterThan(0);
  for (const { chunkId, documentId, documentTitle } of response.citations)
    expect(items.get(chunkId)).toMatchObject({ documentId, documentTitle });
  expect(response.outcome === 'answered').toBe(response.citations.length > 0);
  return { response, output };
}

const malformed = {
  outcome: 'abstained',
  refusalReason: 'provider_failure',
  answer: null,
  citations: [],
  providerFailures: [{ provider: 'answer_provider', kind: 'malformed_output' }],
  diagnostics: { answerProvider: 'openai-compatible', answerProviderInvoked: true },
};

describe('a real model behind the typed run', () => {
  it('gets its answer through when it cites the evidence', async () => {
    const { response, output } = await run(providerFor(await serve('evidence'), 300));
    const written = JSON.parse(output);
    expect(response.providerFailures).toEqual([]);
    if (written.insufficient_evidence) expect(response.refusalReason).toBe('provider_abstained');
    else {
      expect(response).toMatchObject({ outcome: 'answered', refusalReason: null });
      expect(response.citations.map(({ chunkId }) => chunkId)).toEqual(written.citations);
    }
  });

  it('is held to the ids of the evidence: what it makes up is refused whole', async () => {
    const { response, output } = await run(providerFor(await serve('schema'), 300));
    const { citations, answer, insufficient_evidence: insufficient } = JSON.parse(output);
    const known = citations.every((id) => PASSAGES.some(({ chunkId }) => id.replace(/[[\]\s]/g, '') === chunkId));
    if (!known || (!insufficient && (citations.length === 0 || answer.trim() === '')))
      expect(response).toMatchObject(malformed);
    else expect(response.outcome).toBe(insufficient ? 'abstained' : 'answered');
  });

  it('fails in band when the output is cut short', async () => {
    const { response } = await run(providerFor(await serve('evidence'), 8));
    expect(response).toMatchObject(malformed);
  });

  it('fails in band when the server ignores the schema', async () => {
    const { response, output } = await run(providerFor(await serve('none'), 24));
    expect(response).toMatchObject(malformed);
    // Nothing of it is told; the evidence may say the same.
    const told = JSON.stringify([response.providerFailures, response.trace, response.diagnostics]);
    expect(told).not.toContain(output.trim().slice(0, 20));
  });
});
