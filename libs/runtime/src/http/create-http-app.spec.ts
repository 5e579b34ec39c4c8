import { Controller, Get, Module, Req, Res } from '@nestjs/common';
import { AppError, defineRoute, type HttpMethod } from '@candor/contracts';
import type { Request, Response } from 'express';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { createLogger } from '../logging/create-logger.js';
import { requireRequestContext, type RequestContext } from '../request-context/request-context.js';
import { assertRoutesHandled } from './assert-routes-handled.js';
import { Contract } from './contract.decorator.js';
import { createHttpApp } from './create-http-app.js';
import type { ErrorBody } from './error-body.js';
import { listenUntilSignal, type RunningApp } from './listen-until-signal.js';

const UUID = /^[0-9a-f-]{36}$/;
const failures: Record<string, () => unknown> = {
  unauthenticated: () => new AppError('AUTH.MISSING_KEY'),
  limited: () => new AppError('RATE_LIMIT.EXCEEDED', { retryAfterSeconds: 2.5, details: { limit: 60 } }),
  unexpected: () => Object.assign(new Error('planted driver text'), { query: 'planted statement' }),
  thrown: () => 'planted string',
  conflict: () => new AppError('RESOURCE.CONFLICT', { message: 'The run is active.', details: { id: 'run-1' } }),
};

function sampleRoute(method: HttpMethod, path: string) {
  return defineRoute({
    method,
    path,
    summary: '',
    action: 'search',
    audit: 'search.query',
    response: z.json(),
    status: 200,
  });
}
const contextRoute = sampleRoute('GET', '/v1/context/:id');
const failRoute = sampleRoute('GET', '/v1/fail/:kind');
const waitRoute = sampleRoute('GET', '/v1/wait');
const bodyRoute = { ...sampleRoute('POST', '/v1/large'), body: z.string() };
const uploadRoute = sampleRoute('POST', '/v1/upload');

const aborted: { requestId: string; reason: unknown }[] = [];
let lastSignal: AbortSignal | undefined;
let entered: () => void = () => undefined;

@Controller()
class SampleController {
  @Contract(contextRoute)
  async context(): Promise<unknown> {
    await new Promise((resolve) => setImmediate(resolve));
    const { requestId, route, signal } = requireRequestContext();
    lastSignal = signal;
    return { requestId, route: route?.path };
  }
  @Contract(failRoute)
  fail(@Req() request: Request): never {
    throw failures[String(request.params['kind'])]?.();
  }
  @Contract(waitRoute)
  wait(): Promise<never> {
    const { signal, requestId } = requireRequestContext();
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        aborted.push({ requestId, reason: signal.reason });
        reject(signal.reason as Error);
      });
      entered();
    });
  }
  @Contract(bodyRoute)
  large(@Req() request: Request): unknown {
    return { length: String(request.body).length, requestId: requireRequestContext().requestId };
  }
  @Contract(uploadRoute)
  async upload(@Req() request: Request): Promise<unknown> {
    let bytes = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) bytes += chunk.length;
    return { bytes, parsed: request.body !== undefined };
  }
  @Get('half')
  half(@Res() response: Response): never {
    response.write('{"half":');
    throw new Error('broke off');
  }
}
@Module({ controllers: [SampleController] })
class SampleModule {}

const routes = [contextRoute, failRoute, waitRoute, bodyRoute, uploadRoute];
const metrics = new Registry();
const told: { context: RequestContext; error: AppError }[] = [];
let hook: () => Promise<void> = async () => undefined;
let lines: string[] = [];
let running: RunningApp;

beforeAll(async () => {
  const app = await createHttpApp(SampleModule, {
    service: 'sample',
    logger: createLogger('sample', { stream: { write: (line) => lines.push(line) } }),
    metrics,
    bodyLimits: (_, path) => (path === '/v1/large' ? 200_000 : 1_000),
    streamsBody: (_, path, contentType) => path === '/v1/upload' && contentType === 'multipart/form-data',
    beforeErrorResponse: async (context, error) => {
      told.push({ context, error });
      await hook();
    },
  });
  running = await listenUntilSignal(app, { port: 0, handleSignals: false, drainMs: 0 });
  assertRoutesHandled(app, routes);
});
afterAll(() => running.stop());
beforeEach(() => {
  told.length = 0;
  aborted.length = 0;
  lines = [];
  hook = async () => undefined;
});

async function get(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ response: globalThis.Response; body: ErrorBody }> {
  const response = await fetch(running.url + path, { headers });
  return { response, body: (await response.json()) as ErrorBody };
}

describe('request id', () => {
  it.each([
    'AAAAAAAA-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
    '11111111-1111-1111-1111-111111111111',
    '00000000-0000-0000-0000-000000000000',
  ])(
    "takes the caller's own when it is a UUID, and gives it to the context, the response and the body: %s",
    async (own) => {
      const { response, body } = await get('/v1/context/1', { 'x-request-id': own });
      expect(response.headers.get('x-request-id')).toBe(own.toLowerCase());
      expect(body).toEqual({ requestId: own.toLowerCase(), route: '/v1/context/:id' });
    },
  );

  it.each(['1', 'x'.repeat(5_000), '<script>', 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa; drop'])(
    'replaces any other',
    async (given) => {
      const { response } = await get('/v1/context/1', { 'x-request-id': given });
      expect(response.headers.get('x-request-id')).toMatch(UUID);
    },
  );

  it('is in every error, also of unknown routes and of unreadable bodies', async () => {
    const missing = await get('/v1/none');
    expect(missing.body.error.requestId).toBe(missing.response.headers.get('x-request-id'));
    const malformed = await fetch(`${running.url}/v1/large`, {
      method: 'POST',
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect(((await malformed.json()) as ErrorBody).error.requestId).toBe(malformed.headers.get('x-request-id'));
  });

  it('keeps concurrent requests apart, through a body that comes in pieces', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await fetch(`${running.url}/v1/large`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify('x'.repeat(150_000)),
        });
        return { header: response.headers.get('x-request-id'), body: (await response.json()) as { requestId: string } };
      }),
    );
    for (const { header, body } of answers) expect(body.requestId).toBe(header);
    expect(new Set(answers.map(({ header }) => header)).size).toBe(20);
  });
});

describe('errors', () => {
  it('has one shape, and says how to authenticate', async () => {
    const { response, body } = await get('/v1/fail/unauthenticated');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(body).toEqual({
      error: {
        code: 401,
        type: 'AUTH.MISSING_KEY',
        message: 'Send an API key in the Authorization header.',
        details: null,
        requestId: response.headers.get('x-request-id'),
      },
    });
  });

  it('says when to come back, in whole seconds', async () => {
    const { response, body } = await get('/v1/fail/limited');
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '3']);
    expect(body.error.details).toEqual({ limit: 60 });
  });

  it.each(['unexpected', 'thrown'])('keeps the text of a failure (%s) to our log, without its fields', async (kind) => {
    const { response, body } = await get(`/v1/fail/${kind}`);
    expect(response.status).toBe(500);
    expect(body.error).toMatchObject({
      type: 'INTERNAL.UNEXPECTED',
      message: 'Something went wrong on our side.',
      details: null,
    });
    expect(JSON.stringify(body)).not.toContain('planted');
    const [line] = lines.map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(line).toMatchObject({
      level: 'error',
      requestId: body.error.requestId,
      error: { cause: { message: expect.any(String) } },
    });
    expect(lines.join()).not.toContain('planted statement');
  });

  it('logs only what is our failure', async () => {
    await get('/v1/fail/conflict');
    expect(lines).toEqual([]);
  });

  it('waits for the hook with the error and the context before it answers', async () => {
    let finished = false;
    hook = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      finished = true;
    };
    const { body } = await get('/v1/fail/conflict');
    expect(finished).toBe(true);
    expect(told).toEqual([
      {
        context: expect.objectContaining({ requestId: body.error.requestId, route: failRoute }),
        error: expect.objectContaining({ code: 'RESOURCE.CONFLICT' }),
      },
    ]);
  });

  it("answers the hook's own error when it throws", async () => {
    hook = () => Promise.reject(new AppError('DEPENDENCY.DATABASE_UNAVAILABLE', { retryAfterSeconds: 1 }));
    const { response, body } = await get('/v1/fail/conflict');
    expect([response.status, body.error.type, response.headers.get('retry-after')]).toEqual([
      503,
      'DEPENDENCY.DATABASE_UNAVAILABLE',
      '1',
    ]);
    hook = () => Promise.reject(new Error('planted'));
    expect((await get('/v1/fail/conflict')).body.error.type).toBe('INTERNAL.UNEXPECTED');
  });

  it('breaks the connection off when half an answer is out', async () => {
    await expect(fetch(`${running.url}/half`).then((response) => response.text())).rejects.toThrow();
  });
});

describe('caller hangs up', () => {
  it('aborts the signal of that request only', async () => {
    const client = new AbortController();
    const started = new Promise<void>((resolve) => (entered = resolve));
    const answer = fetch(`${running.url}/v1/wait`, { signal: client.signal }).catch(() => undefined);
    await started;
    expect((await get('/v1/context/1')).response.status).toBe(200);
    expect(aborted).toEqual([]);
    client.abort();
    await answer;
    while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(aborted).toEqual([
      { requestId: expect.stringMatching(UUID), reason: expect.objectContaining({ code: 'REQUEST.CANCELLED' }) },
    ]);
    expect(told[0]?.error.code).toBe('REQUEST.CANCELLED');
  });

  it('leaves the signal of an answered request alone', async () => {
    await fetch(`${running.url}/v1/context/1`, { headers: { connection: 'close' } }).then((response) =>
      response.text(),
    );
    // A later request has been served whole, so the close of the first one has been seen.
    await get('/v1/fail/conflict');
    expect(lastSignal?.aborted).toBe(false);
  });
});

describe('headers, limits and metrics', () => {
  it('sends the security headers on success and error and tells nothing of the framework', async () => {
    for (const path of ['/v1/context/1', '/v1/fail/conflict', '/v1/none']) {
      const { headers } = await fetch(running.url + path, { headers: { origin: 'https://example.org' } });
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      for (const name of ['x-powered-by', 'etag', 'access-control-allow-origin']) expect(headers.get(name)).toBeNull();
    }
  });

  it('has a body limit for each route', async () => {
    const post = (path: string, bytes: number) =>
      fetch(running.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify('x'.repeat(bytes)),
      });
    expect((await post('/v1/large', 150_000)).status).toBe(200);
    expect((await post('/v1/large', 250_000)).status).toBe(413);
    expect((await post('/v1/none', 2_000)).status).toBe(413);
  });

  it('leaves a streamed body to its handler', async () => {
    const form = new FormData();
    form.set('file', new Blob(['x'.repeat(500_000)]), 'file.txt');
    const response = await fetch(`${running.url}/v1/upload`, { method: 'POST', body: form });
    const body = (await response.json()) as { bytes: number; parsed: boolean };
    expect(body.parsed).toBe(false);
    expect(body.bytes).toBeGreaterThan(500_000);
  });

  it('counts by route template, never by path', async () => {
    await get('/v1/context/some-id');
    await get('/v1/none-such');
    const text = await metrics.metrics();
    expect(text).toMatch(
      /candor_http_requests_total\{method="GET",route="\/v1\/context\/:id",status="200",app="[a-z]+"\} \d+/,
    );
    expect(text).toMatch(/candor_http_requests_total\{method="GET",route="unmatched",status="404",app="[a-z]+"\} \d+/);
    expect(text).toContain('candor_http_request_duration_seconds_bucket');
    expect(text).not.toMatch(/some-id|none-such/);
  });
});

describe('assertRoutesHandled', () => {
  it('names routes without a handler, with two, and handlers of unlisted routes', async () => {
    @Controller()
    class TwinController {
      @Contract(failRoute)
      first(): void {}
      @Contract(failRoute)
      second(): void {}
      @Contract(waitRoute)
      unlisted(): void {}
    }
    @Module({ controllers: [TwinController] })
    class TwinModule {}
    const app = await createHttpApp(TwinModule, {
      service: 'twin',
      logger: createLogger('twin', { level: 'silent' }),
      bodyLimits: () => 1,
    });
    expect(() => assertRoutesHandled(app, [contextRoute, failRoute])).toThrow(
      [
        'Routes and handlers do not match:',
        'GET /v1/context/:id has no handler: add @Contract(route) to a controller method',
        'GET /v1/fail/:kind has 2 handlers: TwinController.first, TwinController.second',
        'GET /v1/wait (TwinController.unlisted) is not in the list of routes',
      ].join('\n'),
    );
    await app.close();
  });
});
