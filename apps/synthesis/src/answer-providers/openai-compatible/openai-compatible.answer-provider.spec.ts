import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AppError, NO_LINKED_STATEMENT_ANSWER } from '@candor/contracts';
import { answerQuestion, buildEvidencePacket, type EvidencePassage } from '@candor/reasoning';
import { describeAnswerProviderConformance } from '../answer-provider.conformance.js';
import {
  answerHonestly,
  answerWith,
  closeSocket,
  failWith,
  hang,
  ScriptedModelServer,
  sendBomb,
  sendRaw,
  sendSpaces,
  stallInBody,
  type Script,
} from '../testing/scripted-model.server.js';
import { OpenAiCompatibleAnswerProvider, type OpenAiCompatibleOptions } from './openai-compatible.answer-provider.js';

const PASSAGES = [
  { chunkId: 'c1', documentId: 'd1', documentTitle: 'Limits & <rules>', content: 'The limit is 20 MiB for R&D.' },
] as EvidencePassage[];
const packet = buildEvidencePacket({
  passages: PASSAGES,
  limit: 50,
  maxTokens: 8000,
  countTokens: (text) => text.length / 4,
});
const request = { query: 'What is the limit?', packet };
const output = (chunkId: string, quotation: string, text = 'It is 20 MiB.') =>
  JSON.stringify({ statements: [{ text, references: [{ chunkId, quotation }] }], limitations: [] });

jest.setTimeout(60_000);

let server: ScriptedModelServer;
const open: OpenAiCompatibleAnswerProvider[] = [];
function makeProvider(options: Partial<OpenAiCompatibleOptions> = {}): OpenAiCompatibleAnswerProvider {
  const provider = new OpenAiCompatibleAnswerProvider({
    baseUrl: server.baseUrl,
    model: 'scripted-1',
    apiKey: 'planted-secret',
    timeoutMs: 30_000,
    ...options,
  });
  open.push(provider);
  return provider;
}

beforeAll(async () => {
  server = await ScriptedModelServer.start();
});
beforeEach(() => {
  server.calls.length = 0;
  server.play(answerWith(output('c1', 'The limit is 20 MiB')));
});
afterAll(async () => {
  for (const provider of open) provider.close();
  await server.stop();
});

describeAnswerProviderConformance('OpenAiCompatibleAnswerProvider', async () => {
  const honest = await ScriptedModelServer.start();
  honest.play(answerHonestly);
  const provider = new OpenAiCompatibleAnswerProvider({ baseUrl: honest.baseUrl, model: 'honest' });
  return {
    provider,
    close: async () => {
      provider.close();
      await honest.stop();
    },
  };
});

describe('OpenAiCompatibleAnswerProvider', () => {
  it('makes no call before the first question', async () => {
    makeProvider();
    await new Promise((resolve) => setImmediate(resolve));
    expect(server.calls).toHaveLength(0);
  });

  it('posts one strict, deterministic request to chat/completions', async () => {
    await makeProvider({ maxOutputTokens: 321 }).synthesize(request);
    expect(server.calls).toHaveLength(1);
    const [call] = server.calls;
    expect(call).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer planted-secret' },
      body: {
        model: 'scripted-1',
        temperature: 0,
        max_tokens: 321,
        response_format: { type: 'json_schema', json_schema: { strict: true } },
      },
    });
    expect(call?.body.response_format.json_schema.schema).toMatchObject({
      additionalProperties: false,
      required: ['statements', 'limitations'],
    });
  });

  it('puts evidence, escaped, into the user message and rules into the system message', async () => {
    await makeProvider().synthesize(request);
    const [system, user, ...others] = server.calls[0]?.body.messages ?? [];
    expect(others).toEqual([]);
    expect(system).toMatchObject({ role: 'system' });
    expect(system?.content).not.toContain('20 MiB');
    expect(user?.role).toBe('user');
    expect(user?.content).toContain(
      '<chunk id="c1" title="Limits &amp; &lt;rules&gt;">\nThe limit is 20 MiB for R&amp;D.\n</chunk>',
    );
    expect(user?.content).toContain('Question: What is the limit?');
  });

  it('takes nothing from OPENAI_* variables', async () => {
    const saved = { ...process.env };
    Object.assign(process.env, {
      OPENAI_BASE_URL: 'http://127.0.0.1:9/',
      OPENAI_API_KEY: 'other',
      OPENAI_ORG_ID: 'org-1',
      OPENAI_LOG: 'debug',
    });
    const log = jest.spyOn(console, 'debug').mockImplementation(() => undefined);
    try {
      await makeProvider().synthesize(request);
      expect(server.calls[0]?.headers).toMatchObject({ authorization: 'Bearer planted-secret' });
      expect(server.calls[0]?.headers).not.toHaveProperty('openai-organization');
      expect(log).not.toHaveBeenCalled();
    } finally {
      log.mockRestore();
      process.env = saved;
    }
  });

  const badOutputs: Array<[string, Script]> = [
    ['prose', answerWith('The limit is 20 MiB.')],
    ['fenced JSON', answerWith(`\`\`\`json\n${output('c1', 'The limit')}\n\`\`\``)],
    ['an empty answer', answerWith('')],
    ['a null answer', answerWith(null)],
    ['a refusal', answerWith(output('c1', 'The limit'), { refusal: 'I cannot help with that.' })],
    ['another schema', answerWith('{"answer":"20 MiB","confidence":1}')],
    ['an extra key', answerWith('{"statements":[],"limitations":[],"notes":""}')],
    ['empty references', answerWith('{"statements":[{"text":"x","references":[]}],"limitations":[]}')],
    ['output cut off', answerWith(output('c1', 'The limit').slice(0, 40))],
    ['no choices', sendRaw('{"choices":[]}')],
    ['a body of another shape', sendRaw('[1,2,3]')],
    ['a body that is not JSON', sendRaw('{"choices":[')],
    ['a web page', sendRaw('<html>welcome</html>', 'text/html')],
    ['an empty body', sendRaw('')],
  ];
  it.each(badOutputs)('answers %s with SYNTHESIS.INVALID_OUTPUT after one call', async (_, script) => {
    server.play(script);
    await expect(makeProvider().synthesize(request)).rejects.toMatchObject({ code: 'SYNTHESIS.INVALID_OUTPUT' });
    expect(server.calls).toHaveLength(1);
  });

  const completion = (content: string) =>
    JSON.stringify({ choices: [{ finish_reason: 'stop', message: { role: 'assistant', content } }] });
  it.each([
    ['text/plain', 'text/plain; charset=utf-8'],
    ['bytes', 'application/octet-stream'],
    ['nothing', null],
  ])('takes a completion that claims to be %s', async (_, contentType) => {
    server.play(sendRaw(completion(output('c1', 'The limit')), contentType));
    expect((await makeProvider().synthesize(request)).statements).toHaveLength(1);
  });

  const NOTHING = '{"statements":[],"limitations":[]}';
  it.each([
    ['length', 'cut_off'],
    ['content_filter', 'content_filter'],
  ])('takes output that ended by %s for none, whatever there is of it', async (finishReason, rule) => {
    for (const content of [NOTHING, output('c1', 'The limit'), null]) {
      server.play(answerWith(content, {}, finishReason));
      await expect(makeProvider().synthesize(request)).rejects.toMatchObject({
        code: 'SYNTHESIS.INVALID_OUTPUT',
        details: { issues: [{ path: '', rule }] },
      });
    }
  });

  const MEBIBYTE = 1024 * 1024;
  const excesses: Array<[string, Script]> = [
    ['a compressed bomb', sendBomb(NOTHING, 64 * MEBIBYTE)],
    ['a body of brackets', sendRaw('['.repeat(250_000))],
    ['a body of many values', sendRaw(`[${'[],'.repeat(50_000)}[]]`)],
    ['an answer of brackets', answerWith('['.repeat(100_000))],
    ['an answer of many values', answerWith(`{"statements":[],"limitations":[${'"",'.repeat(50_000)}""]}`)],
  ];
  it.each(excesses)('does not read %s', async (_, script) => {
    server.play(script);
    const provider = makeProvider({ maxOutputTokens: 16 });
    const tooLarge = { code: 'SYNTHESIS.INVALID_OUTPUT', details: { issues: [{ path: '', rule: 'too_large' }] } };
    await expect(provider.synthesize(request)).rejects.toMatchObject(tooLarge);
    const context = { signal: new AbortController().signal, deadlineMs: 30_000 };
    await expect(provider.answer({ system: 's', user: 'u' }, context)).rejects.toMatchObject(tooLarge);
    expect(server.calls).toHaveLength(2);
  });

  it.each([
    [200, 'SYNTHESIS.INVALID_OUTPUT'],
    [500, 'SYNTHESIS.PROVIDER_ERROR'],
  ])('hangs up on a body without an end, with status %i', async (status, code) => {
    const spaces = sendSpaces(status, 256 * MEBIBYTE);
    server.play(spaces.script);
    await expect(makeProvider().synthesize(request)).rejects.toMatchObject({ code });
    expect(await spaces.ended).toBe('left');
  });

  it('takes as much as the tokens that the model may write can say', async () => {
    const statement = { text: 'x'.repeat(500), references: [{ chunkId: 'c1', quotation: 'The limit' }] };
    const statements = Array.from({ length: 200 }, () => statement);
    server.play(answerWith(JSON.stringify({ statements, limitations: [] })));
    expect((await makeProvider({ maxOutputTokens: 2_000 }).synthesize(request)).statements).toHaveLength(200);
    const longest = JSON.stringify({ statements: [], limitations: ['\u00e9'.repeat(100_000)] });
    server.play(answerWith(longest));
    expect((await makeProvider({ maxOutputTokens: 16 }).synthesize(request)).limitations).toHaveLength(1);
  });

  const failures: Array<[string, Script]> = [
    ['400', failWith(400)],
    ['401', failWith(401)],
    ['408', failWith(408)],
    ['409', failWith(409)],
    ['429', failWith(429)],
    ['500', failWith(500)],
    ['503', failWith(503)],
    ['a closed socket', closeSocket],
  ];
  it.each(failures)('answers %s with SYNTHESIS.PROVIDER_ERROR and does not retry', async (_, script) => {
    server.play(script);
    await expect(makeProvider().synthesize(request)).rejects.toMatchObject({
      code: 'SYNTHESIS.PROVIDER_ERROR',
      status: 502,
    });
    expect(server.calls).toHaveLength(1);
  });

  it('answers an unreachable server with SYNTHESIS.PROVIDER_ERROR', async () => {
    const gone = await ScriptedModelServer.start();
    const { baseUrl } = gone;
    await gone.stop();
    await expect(makeProvider({ baseUrl }).synthesize(request)).rejects.toMatchObject({
      code: 'SYNTHESIS.PROVIDER_ERROR',
    });
  });

  it.each<[string, Script]>([
    ['never answers', hang],
    ['stalls in the body', stallInBody],
  ])('answers a server that %s with SYNTHESIS.PROVIDER_TIMEOUT and does not retry', async (_, script) => {
    server.play(script);
    const call = makeProvider({ timeoutMs: 100 }).synthesize(request);
    await expect(call).rejects.toMatchObject({ code: 'SYNTHESIS.PROVIDER_TIMEOUT', status: 504 });
    expect(server.calls).toHaveLength(1);
  });

  it('stops the call when the caller goes away or the deadline passes', async () => {
    for (const [reason, code] of [
      [undefined, 'REQUEST.CANCELLED'],
      [new AppError('DEADLINE.EXCEEDED'), 'DEADLINE.EXCEEDED'],
    ] as const) {
      const controller = new AbortController();
      const closed = new Promise<void>((resolve) => {
        server.play((_, response) => {
          response.on('close', resolve);
          controller.abort(reason);
        });
      });
      await expect(makeProvider().synthesize({ ...request, signal: controller.signal })).rejects.toMatchObject({
        code,
      });
      await closed;
    }
  });

  it('lets neither the provider’s text nor prompt, output or key into an error', async () => {
    for (const script of [failWith(500), failWith(400), answerWith('planted output'), sendRaw('planted body')]) {
      server.play(script);
      const error: unknown = await makeProvider()
        .synthesize(request)
        .then(
          () => undefined,
          (reason: unknown) => reason,
        );
      expect(error).toBeInstanceOf(AppError);
      const said = JSON.stringify([(error as AppError).toWire(), String((error as AppError).cause)]);
      expect(said).not.toMatch(/planted|20 MiB|limit/);
    }
  });

  describe('with output that is well formed and wrong', () => {
    const ask = async (content: string) => {
      server.play(answerWith(content));
      const { data } = await answerQuestion({
        query: request.query,
        limit: 50,
        maxTokens: 8000,
        scoped: false,
        evidence: { passages: PASSAGES, relevant: true },
        answerProvider: makeProvider(),
        countTokens: (text) => text.length / 4,
        now: () => 0,
      });
      return data;
    };

    it.each([
      ['fabricated', 'The limit is 50 MiB for everyone.'],
      ['near-miss', 'The limit is 20 MB for R&D.'],
      ['differently cased', 'the limit is 20 MiB'],
      ['shortened by an ellipsis', 'The limit … for R&D.'],
    ])('withholds a %s quotation', async (_, quotation) => {
      expect(await ask(output('c1', quotation))).toMatchObject({
        answer: NO_LINKED_STATEMENT_ANSWER,
        citations: [],
        meta: { chunksGathered: 1, citationsDropped: 1 },
      });
    });

    it('withholds the citation of a chunk that was not shown', async () => {
      expect((await ask(output('c2', 'The limit is 20 MiB'))).meta.citationsDropped).toBe(1);
    });

    it('keeps a quotation copied in its escaped form', async () => {
      expect((await ask(output('c1', '20 MiB for R&amp;D.'))).citations).toHaveLength(1);
    });

    it('replaces tokens of a model that obeys a hostile document', async () => {
      const data = await ask(output('c1', 'The limit is 20 MiB', 'PWNED [[admin]] [[c9]]'));
      expect(data.answer).toBe('PWNED [[c1]]');
      expect(data.citations).toEqual([{ chunkId: 'c1', documentId: 'd1', documentTitle: 'Limits & <rules>' }]);
    });
  });
});
