import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { openFilter, unitVector } from '../conformance/chunk-builder.js';
import type { CandidateQuery } from '../search-index.port.js';
import { ElasticsearchReader } from './elasticsearch-reader.js';
import { FAILURES_UNTIL_OPEN } from './search-circuit.js';

jest.setTimeout(60_000);

const NEVER_RESETS = 3_600_000;
const tenantId = randomUUID();
const address = { tenantId, generation: 'g1' };
const query: CandidateQuery = { filter: openFilter(tenantId), vector: unitVector(1), text: 'words', k: 5 };
const part = {
  took: 1,
  timed_out: false,
  _shards: { total: 1, successful: 1, failed: 0 },
  hits: { hits: [] },
  status: 200,
};

type Script = (response: ServerResponse) => void;
const answerWith =
  (status: number, body: unknown): Script =>
  (response) => {
    response.writeHead(status, {
      'content-type': 'application/vnd.elasticsearch+json;compatible-with=9',
      'x-elastic-product': 'Elasticsearch',
    });
    response.end(JSON.stringify(body));
  };
const whole = answerWith(200, { took: 1, responses: [part, part] });
const partial = answerWith(200, {
  took: 1,
  responses: [part, { ...part, _shards: { total: 2, successful: 1, failed: 1 } }],
});
const failWith = (status: number): Script => answerWith(status, { error: { type: 'x', reason: 'x' }, status });
const closeSocket: Script = (response) => void response.socket?.destroy();
const hang: Script = () => undefined;

let server: Server;
let reader: ElasticsearchReader;
let script: Script;
let requests: number;

async function start(circuitResetMs = NEVER_RESETS, searchTimeoutMs = 30_000): Promise<void> {
  requests = 0;
  server = createServer((request, response) => {
    requests += 1;
    request.resume().on('end', () => script(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  reader = new ElasticsearchReader({ url, circuitResetMs, searchTimeoutMs });
}
afterEach(async () => {
  server.closeAllConnections();
  await reader.close();
  await new Promise((resolve) => server.close(resolve));
});

/** The code of the failure, or `ok`. */
const outcomeOf = (asked: CandidateQuery): Promise<string> =>
  reader.findCandidates(address, asked).then(
    () => 'ok',
    (error: unknown) => (error as AppError).code,
  );
async function ask(played: Script, signal?: AbortSignal): Promise<string> {
  script = played;
  return outcomeOf({ ...query, ...(signal ? { signal } : {}) });
}
async function askTimes(times: number, played: Script): Promise<void> {
  await Promise.all(Array.from({ length: times }, () => ask(played)));
}
const RESET_MS = 50;
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
/** The one search that goes to the server while the circuit is half open, once the server has it. */
async function beginTry(asked: CandidateQuery): Promise<{ outcome: Promise<string> }> {
  await pause(RESET_MS + 1);
  const before = requests;
  const outcome = outcomeOf(asked);
  while (requests === before) await pause(5);
  return { outcome };
}
async function untilAsked(played: Script): Promise<string> {
  const before = requests;
  for (;;) {
    const outcome = await ask(played);
    if (requests > before) return outcome;
    await pause(5);
  }
}

it.each<[string, Script]>([
  ['5xx', failWith(503)],
  ['closed connections', closeSocket],
  ['silence', hang],
])('opens at so many in a row of %s, and sends nothing then', async (_, failure) => {
  await start(NEVER_RESETS, failure === hang ? 100 : 30_000);
  await askTimes(FAILURES_UNTIL_OPEN - 1, failure);
  expect(await ask(whole)).toBe('ok');
  await askTimes(FAILURES_UNTIL_OPEN, failure);
  const sent = requests;
  await expect(reader.findCandidates(address, query)).rejects.toMatchObject({
    code: 'DEPENDENCY.INDEX_UNAVAILABLE',
    status: 503,
    retryAfterSeconds: NEVER_RESETS / 1000,
  });
  expect(requests).toBe(sent);
});

it.each<[string, Script]>([
  ['4xx', failWith(429)],
  ['refused credentials', failWith(401)],
  ['answers with a part missing, which are refused all the same', partial],
])('stays closed at %s', async (_, refusal) => {
  await start();
  await askTimes(2 * FAILURES_UNTIL_OPEN, refusal);
  expect(await ask(refusal)).toBe('DEPENDENCY.INDEX_UNAVAILABLE');
  expect(await ask(whole)).toBe('ok');
});

it.each<[string, Error | undefined]>([
  ['without a word', undefined],
  ['as retrieval says it', new AppError('REQUEST.CANCELLED')],
  ['for a reason of their own', new Error('gone')],
])('stays closed when callers go away %s', async (_, reason) => {
  await start();
  for (let count = 0; count < 2 * FAILURES_UNTIL_OPEN; count += 1) {
    const controller = new AbortController();
    expect(await ask(() => controller.abort(reason), controller.signal)).toBe('REQUEST.CANCELLED');
  }
  expect(await ask(whole)).toBe('ok');
});

it('counts deadlines that a silent server let pass, and not those that came at once', async () => {
  await start();
  const untilDeadline = (milliseconds: number): Promise<string> => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new AppError('DEADLINE.EXCEEDED')), milliseconds);
    return ask(hang, controller.signal);
  };
  for (let count = 0; count < 2 * FAILURES_UNTIL_OPEN; count += 1) await untilDeadline(1);
  expect(await ask(whole)).toBe('ok');
  await Promise.all(Array.from({ length: FAILURES_UNTIL_OPEN }, () => untilDeadline(1_200)));
  const sent = requests;
  expect(await ask(whole)).toBe('DEPENDENCY.INDEX_UNAVAILABLE');
  expect(requests).toBe(sent);
});

it('tries again by itself: opens at the next failure, closes at the next answer', async () => {
  await start(RESET_MS);
  await askTimes(FAILURES_UNTIL_OPEN, failWith(503));
  expect(await untilAsked(closeSocket)).toBe('DEPENDENCY.INDEX_UNAVAILABLE');
  expect(await untilAsked(whole)).toBe('ok');
  await askTimes(FAILURES_UNTIL_OPEN - 1, failWith(503));
  expect(await ask(whole)).toBe('ok');
});

it('keeps one search waiting for a server that stays silent, and refuses the others at once', async () => {
  await start(RESET_MS);
  await askTimes(FAILURES_UNTIL_OPEN, failWith(503));
  script = hang;
  const controller = new AbortController();
  const { outcome } = await beginTry({ ...query, signal: controller.signal });
  const sent = requests;
  const other = { ...query, signal: new AbortController().signal };
  expect(await Promise.all([other, other, query].map(outcomeOf))).toEqual(
    Array.from({ length: 3 }, () => 'DEPENDENCY.INDEX_UNAVAILABLE'),
  );
  await expect(reader.findCandidates(address, other)).rejects.toMatchObject({ status: 503, retryAfterSeconds: 1 });
  expect(requests).toBe(sent);
  controller.abort();
  expect(await outcome).toBe('REQUEST.CANCELLED');
});

it.each<[string, Script, string]>([
  ['is answered', answerWith(200, { took: 1, responses: [part] }), 'ok'],
  ['fails', closeSocket, 'DEPENDENCY.INDEX_UNAVAILABLE'],
])('answers the search that tries whole or not at all: its words go first, and the try %s', async (_, end, outcome) => {
  await start(RESET_MS);
  await askTimes(FAILURES_UNTIL_OPEN, failWith(503));
  let tried: ServerResponse | undefined;
  script = (response) => (tried ??= response);
  let setVector: (vector: Float32Array) => void = () => undefined;
  const vector = new Promise<Float32Array>((resolve) => (setVector = resolve));
  const search = await beginTry({ ...query, vector, signal: new AbortController().signal });
  const sent = requests;
  script = end;
  setVector(unitVector(1));
  await vector;
  if (tried) end(tried);
  expect(await search.outcome).toBe(outcome);
  expect(requests).toBe(outcome === 'ok' ? sent + 1 : sent);
});

it('is not in the way of health checks', async () => {
  await start();
  await askTimes(FAILURES_UNTIL_OPEN, failWith(503));
  script = answerWith(200, { status: 'green' });
  await reader.ping();
});
