import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { buildEvidencePacket, type EvidencePassage } from '@candor/reasoning';
import {
  answerWith,
  closeSocket,
  failWith,
  hang,
  ScriptedModelServer,
  type Script,
} from '../testing/scripted-model.server.js';
import { OpenAiCompatibleAnswerProvider } from './openai-compatible.answer-provider.js';
import { FAILURES_UNTIL_OPEN } from './transport-breaker.js';

const packet = buildEvidencePacket({
  passages: [
    { chunkId: 'c1', documentId: 'd1', documentTitle: 'T', content: 'The limit is 20 MiB.' },
  ] as EvidencePassage[],
  limit: 50,
  maxTokens: 8000,
  countTokens: (text) => text.length / 4,
});
const GOOD = answerWith('{"statements":[],"limitations":[]}');
const NEVER_RESETS = 3_600_000;

// Dozens of real calls a test; a busy machine takes its time.
jest.setTimeout(60_000);

let server: ScriptedModelServer;
let provider: OpenAiCompatibleAnswerProvider;
afterEach(async () => {
  provider.close();
  await server.stop();
});

async function start(circuitResetMs = NEVER_RESETS, timeoutMs = 30_000): Promise<void> {
  server = await ScriptedModelServer.start();
  provider = new OpenAiCompatibleAnswerProvider({ baseUrl: server.baseUrl, model: 'm', timeoutMs, circuitResetMs });
}

/** The code of the failure, or `ok`. */
async function ask(script: Script, signal?: AbortSignal): Promise<string> {
  server.play(script);
  try {
    await provider.synthesize({ query: 'q', packet, ...(signal === undefined ? {} : { signal }) });
    return 'ok';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

async function askTimes(times: number, script: Script): Promise<void> {
  for (let count = 0; count < times; count += 1) await ask(script);
}

async function waitUntil(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it never held');
}

describe('the circuit of the answer provider', () => {
  it.each<[string, Script]>([
    ['5xx', failWith(503)],
    ['closed connections', closeSocket],
    ['time-outs', hang],
  ])('opens at 10 in a row of %s, and then makes no call', async (_, script) => {
    await start(NEVER_RESETS, script === hang ? 200 : 30_000);
    await askTimes(FAILURES_UNTIL_OPEN - 1, script);
    expect(await ask(GOOD)).toBe('ok');
    await askTimes(FAILURES_UNTIL_OPEN, script);
    const calls = server.calls.length;
    expect(await ask(GOOD)).toBe('SYNTHESIS.CIRCUIT_OPEN');
    expect(server.calls).toHaveLength(calls);
  });

  it('says when to come back', async () => {
    await start(90_000);
    await askTimes(FAILURES_UNTIL_OPEN, failWith(500));
    await expect(provider.synthesize({ query: 'q', packet })).rejects.toMatchObject({
      status: 503,
      retryAfterSeconds: 90,
    });
  });

  it.each<[string, Script]>([
    ['4xx', failWith(429)],
    ['invalid output', answerWith('prose')],
    ['bodies that are not JSON', sendGarbage()],
  ])('does not count %s, which end a row of failures', async (_, script) => {
    await start();
    await askTimes(2 * FAILURES_UNTIL_OPEN, script);
    expect(await ask(GOOD)).toBe('ok');
    await askTimes(FAILURES_UNTIL_OPEN - 1, failWith(500));
    await ask(script);
    await askTimes(FAILURES_UNTIL_OPEN - 1, failWith(500));
    expect(await ask(GOOD)).toBe('ok');
  });

  it('takes calls that their callers gave up for no sign of anything', async () => {
    await start();
    const giveUp = () => {
      const controller = new AbortController();
      return ask(() => controller.abort(), controller.signal);
    };
    for (let count = 0; count < 2 * FAILURES_UNTIL_OPEN; count += 1) expect(await giveUp()).toBe('REQUEST.CANCELLED');
    expect(await ask(GOOD)).toBe('ok');
    await askTimes(FAILURES_UNTIL_OPEN - 1, failWith(500));
    await giveUp();
    expect(await ask(failWith(500))).toBe('SYNTHESIS.PROVIDER_ERROR');
    expect(await ask(GOOD)).toBe('SYNTHESIS.CIRCUIT_OPEN');
  });

  it('closes after a half-open try that succeeds', async () => {
    await start(50);
    await askTimes(FAILURES_UNTIL_OPEN, failWith(500));
    await waitUntil(async () => (await ask(GOOD)) === 'ok');
    await askTimes(FAILURES_UNTIL_OPEN - 1, failWith(500));
    expect(await ask(GOOD)).toBe('ok');
  });

  it.each<[string, Script]>([
    ['fails', failWith(500)],
    ['its caller gives up', hang],
  ])('opens again at once when the half-open try %s', async (_, script) => {
    await start(400);
    await askTimes(FAILURES_UNTIL_OPEN, failWith(500));
    const calls = server.calls.length;
    await waitUntil(async () => {
      const controller = new AbortController();
      const abortOnArrival: Script = (call, response) => {
        script(call, response);
        if (script === hang) controller.abort();
      };
      return (await ask(abortOnArrival, controller.signal)) !== 'SYNTHESIS.CIRCUIT_OPEN';
    });
    expect(server.calls).toHaveLength(calls + 1);
    expect(await ask(GOOD)).toBe('SYNTHESIS.CIRCUIT_OPEN');
  });
});

function sendGarbage(): Script {
  return (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":');
}
