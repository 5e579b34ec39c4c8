import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Controller } from '@nestjs/common';
import { defineRoute } from '@candor/contracts';
import { z } from 'zod';
import { createLogger } from '../logging/create-logger.js';
import { Contract } from './contract.decorator.js';
import { ContractInput } from './contract-input.js';
import { createHttpApp } from './create-http-app.js';
import type { ErrorBody } from './error-body.js';
import { listenUntilSignal, type RunningApp } from './listen-until-signal.js';
import type { InputOf } from './parse-route-input.js';

const LIMIT = 4_096;
const echo = z.json();

const createRoute = defineRoute({
  method: 'POST',
  path: '/v1/samples',
  summary: 'Create',
  action: 'search',
  audit: 'search.query',
  body: z.strictObject({
    query: z.string().min(1),
    limit: z.number().int().min(1).max(25).default(8),
    documents: z.array(z.strictObject({ body: z.string() })).optional(),
    metadata: z.record(z.string(), z.json()).optional(),
  }),
  response: echo,
  status: 201,
});
const listRoute = defineRoute({
  method: 'GET',
  path: '/v1/samples',
  summary: 'List',
  action: 'search',
  audit: 'search.query',
  query: z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(20), search: z.string().optional() }),
  response: echo,
  status: 200,
});
const readRoute = defineRoute({
  method: 'GET',
  path: '/v1/samples/:id',
  summary: 'Read',
  action: 'search',
  audit: 'search.query',
  params: z.strictObject({ id: z.uuid({ error: 'must be a UUID' }) }),
  response: echo,
  status: 200,
});
const optionalRoute = defineRoute({
  method: 'POST',
  path: '/v1/samples/:id/retry',
  summary: 'Retry',
  action: 'search',
  audit: 'search.query',
  params: z.strictObject({ id: z.uuid() }),
  body: z.strictObject({ hours: z.number().default(1) }).prefault({}),
  response: echo,
  status: 200,
});
const deleteRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/samples/:id',
  summary: 'Delete',
  action: 'search',
  audit: 'search.query',
  params: z.strictObject({ id: z.uuid() }),
  response: z.null(),
  status: 204,
});

@Controller()
class SampleController {
  @Contract(createRoute)
  create(@ContractInput() input: InputOf<typeof createRoute>): unknown {
    return input.body;
  }
  @Contract(listRoute)
  list(@ContractInput() input: InputOf<typeof listRoute>): unknown {
    return input.query;
  }
  @Contract(readRoute)
  read(@ContractInput() input: InputOf<typeof readRoute>): unknown {
    return input.params;
  }
  @Contract(optionalRoute)
  retry(@ContractInput() input: InputOf<typeof optionalRoute>): unknown {
    return input.body;
  }
  @Contract(deleteRoute)
  remove(@ContractInput() input: InputOf<typeof deleteRoute>): void {
    expect(input.body).toBeUndefined();
  }
}
class SampleModule {}
Reflect.defineMetadata('controllers', [SampleController], SampleModule);

const ID = '11111111-1111-4111-8111-111111111111';
let running: RunningApp;
let logged = '';

beforeAll(async () => {
  const logger = createLogger('sample', { stream: { write: (line) => (logged += line) } });
  const app = await createHttpApp(SampleModule, { service: 'sample', logger, bodyLimits: () => LIMIT });
  running = await listenUntilSignal(app, { port: 0, handleSignals: false, drainMs: 0 });
});
afterAll(async () => {
  await running.stop();
  // Bad input is the caller's affair; a line here would mean that something of ours broke.
  expect(logged).not.toContain('"level":"error"');
});

type Body = string | Uint8Array<ArrayBuffer>;
interface Answer {
  status: number;
  body: ErrorBody;
}

async function send(method: string, path: string, body?: Body, headers: Record<string, string> = {}): Promise<Answer> {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(running.url + path, {
    method,
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : undefined) as ErrorBody };
}

/** For what `fetch` refuses to send. */
function sendRaw(lines: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(running.port, '127.0.0.1', () => socket.end(lines));
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.on('end', () => resolve(received));
    socket.on('error', reject);
  });
}

const nested = (depth: number) => `{"query":"x","metadata":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`;

describe('good input', () => {
  it('gives the handler what the schemas give', async () => {
    expect(await send('POST', '/v1/samples', '{"query":"x"}')).toEqual({ status: 201, body: { query: 'x', limit: 8 } });
    expect(await send('GET', '/v1/samples?limit=5')).toEqual({ status: 200, body: { limit: 5 } });
    expect(await send('GET', `/v1/samples/${ID}`)).toEqual({ status: 200, body: { id: ID } });
    expect((await send('DELETE', `/v1/samples/${ID}`)).status).toBe(204);
    expect((await send('DELETE', `/v1/samples/${ID}`, '{}')).status).toBe(204);
  });

  it('lets an optional body be absent, empty or given', async () => {
    expect((await send('POST', `/v1/samples/${ID}/retry`)).body).toEqual({ hours: 1 });
    expect((await send('POST', `/v1/samples/${ID}/retry`, '')).body).toEqual({ hours: 1 });
    expect((await send('POST', `/v1/samples/${ID}/retry`, '{"hours":2}')).body).toEqual({ hours: 2 });
  });

  it('accepts Unicode beyond the basic plane and nesting up to 100 levels', async () => {
    const body = JSON.stringify({ query: '😀 שלום \u202e \ufeff', metadata: { '😀': 'é' } });
    expect((await send('POST', '/v1/samples', body)).body).toMatchObject(JSON.parse(body) as object);
    expect((await send('POST', '/v1/samples', nested(98))).status).toBe(201);
  });

  it('accepts an upper-case charset and a +json type', async () => {
    expect(
      (await send('POST', '/v1/samples', '{"query":"x"}', { 'content-type': 'application/json; charset=UTF-8' }))
        .status,
    ).toBe(201);
    expect(
      (await send('POST', '/v1/samples', '{"query":"x"}', { 'content-type': 'application/vnd.api+json' })).status,
    ).toBe(201);
  });
});

describe('bad body', () => {
  it.each<[string, Body | undefined, string, string]>([
    ['none', undefined, 'body', 'body is required'],
    ['an empty one', '', 'body', 'body is required'],
    ['null', 'null', 'body', 'body must be an object'],
    ['a list', '[]', 'body', 'body must be an object'],
    ['a string', '"x"', 'body', 'body must be an object'],
    ['a number', '1', 'body', 'body must be an object'],
    ['an empty object', '{}', 'query', 'query is required'],
    ['an unknown field', '{"query":"x","foo":1}', 'foo', 'unknown field "foo"'],
    [
      'an unknown field within',
      '{"query":"x","documents":[{"body":"a"},{"body":"b","x":1}]}',
      'documents[1].x',
      'unknown field "documents[1].x"',
    ],
    ['a misspelt field', '{"qeury":"x"}', 'qeury', 'unknown field "qeury"'],
    ['a wrong type', '{"query":1}', 'query', 'query must be a string'],
    [
      'a wrong type within',
      '{"query":"x","documents":[{"body":"a"},{"body":2}]}',
      'documents[1].body',
      'documents[1].body must be a string',
    ],
    ['a number out of bounds', '{"query":"x","limit":1e9}', 'limit', 'limit must be at most 25'],
    ['a number beyond doubles', '{"query":"x","limit":1e999}', 'limit', 'limit must be a number'],
    ['NUL in a value', '{"query":"a\\u0000b"}', 'query', 'query must not contain NUL characters'],
    [
      'NUL deep within',
      '{"query":"x","documents":[{"body":"a\\u0000"}]}',
      'documents[0].body',
      'documents[0].body must not contain NUL characters',
    ],
    [
      'NUL in a name',
      '{"query":"x","metadata":{"a\\u0000":1}}',
      'metadata.a\ufffd',
      'metadata.a\ufffd must not contain NUL characters',
    ],
    ['a lone high surrogate', '{"query":"\\ud800"}', 'query', 'query must be well-formed Unicode'],
    [
      'a lone low surrogate in free metadata',
      '{"query":"x","metadata":{"k":["\\udc00x"]}}',
      'metadata.k[0]',
      'metadata.k[0] must be well-formed Unicode',
    ],
    [
      '__proto__',
      '{"query":"x","metadata":{"__proto__":{"admin":true}}}',
      'metadata.__proto__',
      'metadata.__proto__ is not an accepted field name',
    ],
    ['nesting beyond 100 levels', nested(99), 'body', 'body must not be nested deeper than 100 levels'],
    [
      'nesting in JSON that never ends',
      '{"query":"x","metadata":'.padEnd(200, '['),
      'body',
      'body must not be nested deeper than 100 levels',
    ],
    ['nesting as deep as the limit allows', nested(2_000), 'body', 'body must not be nested deeper than 100 levels'],
  ])('%s: 400 that names the field', async (_, body, field, message) => {
    const answer = await send('POST', '/v1/samples', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 400, type: 'REQUEST.INVALID', message, details: { field } });
  });

  it.each<[string, Body, Record<string, string>, number, string]>([
    ['broken JSON', '{"query":', {}, 400, 'REQUEST.MALFORMED_JSON'],
    ['blanks only', '   ', {}, 400, 'REQUEST.MALFORMED_JSON'],
    ['NaN', '{"query":NaN}', {}, 400, 'REQUEST.MALFORMED_JSON'],
    ['bytes that are no UTF-8', new Uint8Array([0x22, 0xc3, 0x28, 0x22]), {}, 400, 'REQUEST.MALFORMED_JSON'],
    ['a body over the limit', JSON.stringify({ query: 'x'.repeat(LIMIT) }), {}, 413, 'REQUEST.TOO_LARGE'],
    [
      'a form',
      'query=x',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'REQUEST.UNSUPPORTED_MEDIA_TYPE',
    ],
    ['text', '{"query":"x"}', { 'content-type': 'text/plain' }, 415, 'REQUEST.UNSUPPORTED_MEDIA_TYPE'],
    [
      'another charset',
      '{"query":"x"}',
      { 'content-type': 'application/json; charset=latin1' },
      415,
      'REQUEST.UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'UTF-16',
      '{"query":"x"}',
      { 'content-type': 'application/json; charset=utf-16' },
      415,
      'REQUEST.UNSUPPORTED_MEDIA_TYPE',
    ],
    ['an unknown encoding', '{"query":"x"}', { 'content-encoding': 'planted' }, 415, 'REQUEST.UNSUPPORTED_MEDIA_TYPE'],
    ['a broken gzip stream', 'not gzip', { 'content-encoding': 'gzip' }, 400, 'REQUEST.INVALID'],
  ])('%s: the right refusal', async (_, body, headers, status, type) => {
    const answer = await send('POST', '/v1/samples', body, headers);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({ code: status, type });
    expect(answer.body.error.message).not.toMatch(/planted|token|position|JSON at/);
  });

  it('counts the bytes after decompression, so a small bomb stays outside', async () => {
    const bomb = gzipSync(JSON.stringify({ query: 'x'.repeat(1_000_000) }));
    expect(bomb.length).toBeLessThan(LIMIT);
    const answer = await send('POST', '/v1/samples', new Uint8Array(bomb), { 'content-encoding': 'gzip' });
    expect(answer.body.error.type).toBe('REQUEST.TOO_LARGE');
    expect(answer.status).toBe(413);
  });

  it('lists at most 20 issues', async () => {
    const fields = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field${index}`, 1]));
    const answer = await send('POST', '/v1/samples', JSON.stringify(fields));
    expect(answer.body.error.details?.['issues']).toHaveLength(20);
    expect(answer.body.error.details).toMatchObject({ field: 'field0', rule: 'is not a known field' });
  });

  it('repeats no value', async () => {
    const answer = await send('POST', '/v1/samples', '{"query":["planted"],"limit":"planted","documents":"planted"}');
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).not.toContain('planted');
  });
});

describe('bad query, parameters and URL', () => {
  it.each<[string, string, string, string | undefined, string]>([
    ['an unknown parameter', 'GET', '/v1/samples?foo=1', undefined, 'unknown field "foo"'],
    ['a misspelt parameter', 'GET', '/v1/samples?Limit=1', undefined, 'unknown field "Limit"'],
    ['a parameter given twice', 'GET', '/v1/samples?limit=1&limit=2', undefined, 'limit must be given once'],
    ['a bracketed name', 'GET', '/v1/samples?search[$ne]=1', undefined, 'unknown field "search[$ne]"'],
    ['a value that is no number', 'GET', '/v1/samples?limit=abc', undefined, 'limit must be a number'],
    ['a value out of bounds', 'GET', '/v1/samples?limit=0', undefined, 'limit must be at least 1'],
    ['NUL', 'GET', '/v1/samples?search=a%00b', undefined, 'search must not contain NUL characters'],
    ['any parameter where none is taken', 'POST', '/v1/samples?foo=1', '{"query":"x"}', 'unknown field "foo"'],
    ['any parameter where none is taken', 'GET', `/v1/samples/${ID}?a=1`, undefined, 'unknown field "a"'],
    ['an id that is none', 'GET', '/v1/samples/1', undefined, 'id must be a UUID'],
    ['NUL in the path', 'GET', '/v1/samples/%00', undefined, 'id must not contain NUL characters'],
    [
      'an incomplete escape in the path',
      'GET',
      '/v1/samples/%zz',
      undefined,
      'url must be valid percent-encoded UTF-8',
    ],
    [
      'bytes in the path that are no UTF-8',
      'GET',
      '/v1/samples/%c3%28',
      undefined,
      'url must be valid percent-encoded UTF-8',
    ],
    [
      'an incomplete escape in the query',
      'GET',
      '/v1/samples?search=%',
      undefined,
      'url must be valid percent-encoded UTF-8',
    ],
    [
      'a surrogate in the query',
      'GET',
      '/v1/samples?search=%ed%a0%80',
      undefined,
      'url must be valid percent-encoded UTF-8',
    ],
    [
      'a body where none is taken',
      'DELETE',
      `/v1/samples/${ID}`,
      '{"a":1}',
      'body must be absent: this endpoint takes none',
    ],
    [
      'a list as a body where none is taken',
      'DELETE',
      `/v1/samples/${ID}`,
      '[]',
      'body must be absent: this endpoint takes none',
    ],
  ])('%s: 400', async (_, method, path, body, message) => {
    const answer = await send(method, path, body);
    expect(answer.body.error).toMatchObject({ code: 400, type: 'REQUEST.INVALID', message });
    expect(answer.status).toBe(400);
  });

  it.each([
    ['GET', '/v1/unknown'],
    ['PUT', '/v1/samples'],
    ['GET', '/'],
    ['GET', '/v1/samples/a/b/c'],
  ])('%s %s: 404 in the same shape', async (method, path) => {
    const answer = await send(method, path);
    expect(answer.status).toBe(404);
    expect(answer.body.error).toMatchObject({ code: 404, type: 'REQUEST.UNKNOWN_ROUTE', details: null });
    expect(answer.body.error.message).not.toContain(path.slice(1) || 'GET');
  });

  it('takes a chunked body of no bytes as no body', async () => {
    const answer = await sendRaw(
      'POST /v1/samples HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
    );
    expect(answer).toContain('"message":"body is required"');
  });

  it('never serves a body shorter than announced', async () => {
    const answer = await sendRaw(
      'POST /v1/samples HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\nConnection: close\r\n\r\n{"query":"x"}',
    );
    expect(answer).not.toContain(' 201 ');
  });
});
