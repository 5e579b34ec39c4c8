import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AppError } from '@candor/contracts';
import { EmbeddingServer, sendJson } from '../conformance/embedding-server.js';
import { describeEmbedder, dot } from '../conformance/embedder.conformance.js';
import { OpenAiCompatibleEmbedder, type OpenAiCompatibleEmbedderOptions } from './openai-compatible-embedder.js';
import { packBatches } from './pack-batches.js';

describe('OpenAiCompatibleEmbedder', () => {
  describe('against a lawful server', () => {
    const server = new EmbeddingServer();
    let baseUrl: string;

    beforeAll(async () => {
      baseUrl = await server.start();
    });

    afterAll(async () => {
      await server.stop();
    });

    describeEmbedder(() => OpenAiCompatibleEmbedder.load({ baseUrl, model: 'hashed' }), { determinism: 1e-6 });
  });

  let server: EmbeddingServer;
  let baseUrl: string;
  const load = (options: Partial<OpenAiCompatibleEmbedderOptions> = {}): Promise<OpenAiCompatibleEmbedder> =>
    OpenAiCompatibleEmbedder.load({ baseUrl, model: 'hashed', dimensions: 64, maxRetries: 2, ...options });

  beforeEach(async () => {
    server = new EmbeddingServer();
    baseUrl = await server.start();
  });

  afterEach(async () => {
    await server.stop();
  });

  it('learns the dimensions by one probe, or takes them as given', async () => {
    expect((await load({ dimensions: undefined as never })).profile.dimensions).toBe(64);
    expect(server.requests).toHaveLength(1);
    expect((await load()).profile).toMatchObject({ model: 'hashed', dimensions: 64, revision: 'unversioned' });
    expect(server.requests).toHaveLength(1);
  });

  it('sends the key, the model, floats and the prefixes, and nothing from the environment', async () => {
    process.env['OPENAI_ORG_ID'] = 'org-from-elsewhere';
    try {
      const embedder = await load({ apiKey: 'key-1', queryPrefix: 'query: ', passagePrefix: 'passage: ' });
      await embedder.embedQuery('a');
      await embedder.embedPassages(['b']);
      expect(server.requests).toEqual([
        { authorization: 'Bearer key-1', body: { model: 'hashed', input: ['query: a'], encoding_format: 'float' } },
        { authorization: 'Bearer key-1', body: { model: 'hashed', input: ['passage: b'], encoding_format: 'float' } },
      ]);
    } finally {
      delete process.env['OPENAI_ORG_ID'];
    }
  });

  it('sends bounded batches with bounded concurrency and keeps the order', async () => {
    server.script = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return false;
    };
    const embedder = await load({ batch: { texts: 10 }, concurrency: 2 });
    const texts = Array.from({ length: 95 }, (_, index) => `text ${index}`);
    const vectors = await embedder.embedPassages(texts);
    expect(server.requests.map(({ body }) => body.input.length).toSorted((a, b) => a - b)).toEqual([
      5,
      ...Array.from({ length: 9 }, () => 10),
    ]);
    expect(server.mostUnderway).toBeLessThanOrEqual(2);
    const [expected] = await embedder.embedPassages(['text 57']);
    expect(dot(vectors[57]!, expected!)).toBeGreaterThan(0.9999);
  });

  it('gathers the queries that come while every request is under way', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let arrive = (): void => undefined;
    const arrival = (): Promise<void> => new Promise((resolve) => (arrive = resolve));
    server.script = () => (arrive(), released.then(() => false));
    const embedder = await load({ concurrency: 2 });
    const texts = Array.from({ length: 9 }, (_, index) => `query ${index}`);
    const abort = new AbortController();
    let arrived = arrival();
    const gone = embedder.embedQuery('gone', abort.signal);
    await arrived;
    arrived = arrival();
    const first = embedder.embedQuery(texts[0]!);
    await arrived;
    const others = texts.slice(1).map((text) => embedder.embedQuery(text));
    abort.abort();
    await expect(gone).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
    release();
    const vectors = await Promise.all([first, ...others]);
    expect(server.requests.map(({ body }) => body.input.length).toSorted()).toEqual([1, 1, 8]);
    const [expected] = await embedder.embedPassages(['query 5']);
    expect(dot(vectors[5]!, expected!)).toBeGreaterThan(0.9999);
  });

  it.each([429, 500, 503])('tries again after %i', async (status) => {
    server.script = (_, response, attempt) => {
      if (attempt > 1) return false;
      sendJson(response, status, { error: { message: 'later' } }, { 'retry-after-ms': '5' });
      return true;
    };
    await expect((await load()).embedQuery('a')).resolves.toHaveLength(64);
    expect(server.requests).toHaveLength(2);
  });

  it('waits as long as Retry-After says', async () => {
    let firstAt = 0;
    let secondAt = 0;
    server.script = (_, response, attempt) => {
      if (attempt > 1) {
        secondAt = Date.now();
        return false;
      }
      firstAt = Date.now();
      sendJson(response, 429, {}, { 'retry-after': '1' });
      return true;
    };
    await (await load()).embedQuery('a');
    expect(secondAt - firstAt).toBeGreaterThanOrEqual(950);
  });

  it.each([
    [429, true, 7],
    [503, true, 7],
    [401, true, 7],
    [400, false, 7],
  ])('gives up on a lasting %i with what the caller needs to know', async (status, retryable, retryAfterSeconds) => {
    server.script = (_, response) => {
      sendJson(
        response,
        status,
        { error: { message: 'secret detail' } },
        { 'retry-after': '7', 'x-should-retry': 'false' },
      );
      return true;
    };
    const error = await (await load()).embedQuery('a').catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'DEPENDENCY.EMBEDDINGS_UNAVAILABLE',
      retryable,
      retryAfterSeconds,
      details: { status },
    });
    expect((error as AppError).message).not.toContain('secret');
  });

  it('says so when nobody listens', async () => {
    await server.stop();
    const embedder = await load({ maxRetries: 0 });
    await expect(embedder.embedQuery('a')).rejects.toMatchObject({
      code: 'DEPENDENCY.EMBEDDINGS_UNAVAILABLE',
      retryable: true,
    });
    server = new EmbeddingServer();
    await server.start();
  });

  it('gives up on a server that does not answer in time', async () => {
    server.script = () => true;
    const embedder = await load({ maxRetries: 0, timeoutMs: 50 });
    await expect(embedder.embedQuery('a')).rejects.toMatchObject({ code: 'DEPENDENCY.EMBEDDINGS_UNAVAILABLE' });
  });

  it('cancels the request under way', async () => {
    const abort = new AbortController();
    let closed: Promise<unknown> = Promise.resolve();
    server.script = (_, response) => {
      closed = new Promise((resolve) => response.once('close', resolve));
      abort.abort();
      return true;
    };
    await expect((await load()).embedQuery('a', abort.signal)).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
    await closed;
    expect(server.requests).toHaveLength(1);
  });

  it('cancels a shared request when all who share it are gone', async () => {
    let arrive = (): void => undefined;
    const arrived = (): Promise<void> => new Promise((resolve) => (arrive = resolve));
    let release = (): void => undefined;
    let closed: Promise<unknown> = Promise.resolve();
    server.script = (_, response, attempt) => {
      if (attempt === 1) release = () => sendJson(response, 503, {}, { 'x-should-retry': 'false' });
      else closed = new Promise((resolve) => response.once('close', resolve));
      arrive();
      return true;
    };
    const embedder = await load({ concurrency: 1, maxRetries: 0 });
    let request = arrived();
    const first = embedder.embedQuery('first').catch((error: unknown) => error);
    await request;
    request = arrived();
    const aborts = [new AbortController(), new AbortController()];
    const gone = Promise.allSettled(aborts.map(({ signal }, index) => embedder.embedQuery(`query ${index}`, signal)));
    release();
    await first;
    await request;
    expect(server.requests[1]?.body.input).toHaveLength(2);
    for (const abort of aborts) abort.abort();
    for (const outcome of await gone) expect(outcome).toMatchObject({ reason: { code: 'REQUEST.CANCELLED' } });
    await closed;
    expect(server.requests).toHaveLength(2);
  });

  it('refuses other dimensions than its profile has', async () => {
    const embedder = await load({ dimensions: 384 });
    await expect(embedder.embedPassages(['a'])).rejects.toMatchObject({
      code: 'EMBEDDINGS.PROFILE_MISMATCH',
      details: { expected: 384, actual: 64 },
    });
  });

  it.each([
    ['too few', { data: [] }],
    [
      'a repeated index',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 0, embedding: [1] },
        ],
      },
    ],
    [
      'an index out of range',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 2, embedding: [1] },
        ],
      },
    ],
    [
      'a vector of zeros',
      {
        data: [
          { index: 0, embedding: [0] },
          { index: 1, embedding: [1] },
        ],
      },
    ],
    [
      'text for numbers',
      {
        data: [
          { index: 0, embedding: ['x'] },
          { index: 1, embedding: [1] },
        ],
      },
    ],
    ['no list', { error: 'none' }],
  ])('refuses an answer with %s', async (_, body) => {
    server.script = (__, response) => {
      sendJson(response, 200, body);
      return true;
    };
    const embedder = await load({ dimensions: 1 });
    await expect(embedder.embedPassages(['a', 'b'])).rejects.toMatchObject({
      code: 'DEPENDENCY.EMBEDDINGS_UNAVAILABLE',
    });
  });
});

describe('packBatches', () => {
  it('keeps order and both bounds, and lets one long text stand alone', () => {
    const texts = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(400), 'd'.repeat(4), 'e', 'f', 'g'];
    const batches = packBatches(texts, { texts: 3, tokens: 20 });
    expect(batches.map((batch) => batch.map((text) => text[0]))).toEqual([['a', 'b'], ['c'], ['d', 'e', 'f'], ['g']]);
    expect(packBatches([], { texts: 3, tokens: 20 })).toEqual([]);
  });
});
