import { afterEach, describe, expect, it } from '@jest/globals';
import { ROUTES, type RouteContract } from '@candor/contracts';
import * as contracts from '@candor/contracts';
import { createCandorClient, listAll, type CandorClient } from './create-client.js';
import { ENDPOINTS } from './endpoints.js';
import { ApiError, ConnectionError, DeadlineError } from './errors.js';
import type { ClientOptions } from './send-request.js';
import { refusal, ScriptedApi, type Script } from './testing/scripted-api.server.js';

const HITS = { query: 'q', hits: [] };

describe('the client', () => {
  let api: ScriptedApi | undefined;
  afterEach(async () => {
    await api?.stop();
    api = undefined;
  });

  async function open(script: Script, options: Partial<ClientOptions> = {}) {
    api = await ScriptedApi.start(script);
    const client = createCandorClient({ url: `${api.url}/`, apiKey: 'gm_a_b', ...options });
    return { client, requests: api.requests };
  }

  it('has every route of the contracts, at its method and path', () => {
    const routes = Object.entries<unknown>(contracts)
      .filter(([, value]) => ROUTES.includes(value as RouteContract) && (value as RouteContract).action !== 'signed')
      .map(([name, route]) => {
        const { method, path, idempotent = false } = route as RouteContract;
        return [name.replace(/Route$/, ''), { method, path, takesIdempotencyKey: idempotent }];
      });
    const known = Object.entries(ENDPOINTS).map(([name, { method, path, takesIdempotencyKey }]) => [
      name,
      { method, path, takesIdempotencyKey },
    ]);
    expect(Object.fromEntries(known)).toEqual(Object.fromEntries(routes));
  });

  it('puts each field where its route has it', async () => {
    const { client, requests } = await open(() => ({ body: {} }));
    await client.search({ query: 'lime', providers: ['notion'] });
    await client.findItems({ q: 'a&b', semantic: false, tags: ['x', 'y'], limit: 3 });
    await client.readChunk({ chunkId: 'a/b' });
    await client.updateDocument({ id: 'd', title: 'New' });
    await client.caller();
    await client.cancelSync({ id: 'r' });
    await client.createGeneration({});
    expect(requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/v1/search', '{"query":"lime","providers":["notion"]}'],
      ['GET', '/v1/search?q=a%26b&semantic=false&tags=x%2Cy&limit=3', ''],
      ['GET', '/v1/pd/read/a%2Fb', ''],
      ['PATCH', '/v1/documents/d', '{"title":"New"}'],
      ['GET', '/v1/user/me', ''],
      ['POST', '/v1/sync-runs/r/cancel', '{}'],
      ['POST', '/v1/generations', '{}'],
    ]);
    expect(requests[0]?.headers).toMatchObject({ authorization: 'API-Key gm_a_b', 'content-type': 'application/json' });
    await expect(client.getDocument({ id: '' })).rejects.toThrow('id must be given');
  });

  it('uploads a file as a form, its fields before it', async () => {
    const { client, requests } = await open(() => ({ status: 202, body: { data: { id: 'd' } } }));
    const upload = { fileName: 'a.md', content: new TextEncoder().encode('# A'), fields: { title: 'A', tags: ['x'] } };
    expect(await client.uploadDocument(upload)).toEqual({ data: { id: 'd' } });
    expect(requests[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(requests[0]?.body).toMatch(/name="title"\r\n\r\nA\r\n[\s\S]*\["x"\][\s\S]*filename="a\.md"[\s\S]*# A/);
  });

  it('gives null for a response without a body, and tells the id of the request', async () => {
    const { client } = await open(() => ({ status: 204, headers: { 'x-request-id': 'r7' } }));
    const ids: string[] = [];
    expect(await client.deletePrompt({ id: 'p' }, { onResponse: ({ requestId }) => ids.push(requestId) })).toBeNull();
    expect(ids).toEqual(['r7']);
  });

  describe('tries again', () => {
    it.each([429, 503])('after %d, when the server says', async (status) => {
      const { client, requests } = await open((_, count) =>
        count < 3 ? refusal(status, 'RATE_LIMIT.EXCEEDED', { 'retry-after': '0' }) : { body: HITS },
      );
      expect(await client.search({ query: 'q' })).toEqual(HITS);
      expect(requests).toHaveLength(3);
    });

    it('a write under the same key, also while its first attempt is at work', async () => {
      const { client, requests } = await open((_, count) =>
        count === 1 ? refusal(409, 'IDEMPOTENCY.IN_PROGRESS') : { status: 202, body: {} },
      );
      await client.ingest({ documents: [] });
      expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
      expect(requests).toHaveLength(2);
    });

    it('what can be sent twice when the connection breaks', async () => {
      const { client, requests } = await open((_, count) => (count === 1 ? 'drop' : { body: HITS }));
      expect(await client.search({ query: 'q' })).toEqual(HITS);
      expect(requests).toHaveLength(2);
    });

    it('never what must not happen twice, when nobody knows whether it has', async () => {
      const { client, requests } = await open(() => 'drop');
      const key = {
        name: 'k',
        actorType: 'agent' as const,
        allowedActions: [],
        allowedProviders: null,
        principals: null,
      };
      await expect(client.createApiKey(key)).rejects.toBeInstanceOf(ConnectionError);
      expect(requests).toHaveLength(1);
    });

    it.each([400, 403, 404, 502])('not after %d', async (status) => {
      const { client, requests } = await open(() => refusal(status, 'SYNTHESIS.PROVIDER_ERROR'));
      await expect(client.reason({ query: 'q' })).rejects.toBeInstanceOf(ApiError);
      expect(requests).toHaveLength(1);
    });

    it('as often as it may', async () => {
      const { client, requests } = await open(() => refusal(503, 'DEADLINE.EXCEEDED', { 'retry-after': '0' }), {
        retries: { limit: 1 },
      });
      await expect(client.search({ query: 'q' })).rejects.toMatchObject({ status: 503, retryAfterSeconds: 0 });
      expect(requests).toHaveLength(2);
    });
  });

  describe('throws', () => {
    it('the error of the API, typed', async () => {
      const { client } = await open(() => refusal(400, 'REQUEST.INVALID'));
      const error = await client.search({ query: '' }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({
        status: 400,
        type: 'REQUEST.INVALID',
        message: 'It is REQUEST.INVALID.',
        details: { field: 'query' },
        requestId: 'r',
      });
    });

    it('nothing of what a proxy says', async () => {
      const { client } = await open(() => ({ status: 500, body: '<html>secret</html>' }));
      await expect(client.caller()).rejects.toMatchObject({ type: null, message: 'The server answered 500.' });
    });

    it('an error of its own when it isn’t the API that answers', async () => {
      const { client } = await open(() => ({ body: '<html>' }));
      await expect(client.caller()).rejects.toThrow(/is no Candor gateway/);
    });

    it('a DeadlineError, retries included', async () => {
      const answers = [refusal(503, 'DEADLINE.EXCEEDED', { 'retry-after': '0' }), 'hang' as const];
      const { client, requests } = await open((_request, count) => answers[count - 1] ?? 'hang', { deadlineMs: 500 });
      await expect(client.search({ query: 'q' })).rejects.toBeInstanceOf(DeadlineError);
      expect(requests).toHaveLength(2);
    });

    it.each([
      ['than the deadline leaves', { deadlineMs: 5_000 }],
      ['than it was told to', { deadlineMs: 600_000, retries: { longestPauseMs: 20_000 } }],
    ])('the refusal itself when it would have to wait longer %s', async (_what, options) => {
      const spent = refusal(429, 'QUOTA.EXCEEDED', { 'retry-after': '30' });
      const { client, requests } = await open(() => spent, options);
      await expect(client.search({ query: 'q' })).rejects.toMatchObject({
        type: 'QUOTA.EXCEEDED',
        retryAfterSeconds: 30,
      });
      expect(requests).toHaveLength(1);
    });

    it('the caller’s own reason when it gives up', async () => {
      const abort = new AbortController();
      const reason = new Error('enough');
      const { client } = await open(() => {
        abort.abort(reason);
        return 'hang';
      });
      await expect(client.search({ query: 'q' }, { signal: abort.signal })).rejects.toBe(reason);
      await expect(client.search({ query: 'q' }, { signal: abort.signal })).rejects.toBe(reason);
    });

    it('a ConnectionError when nobody listens, without the key', async () => {
      const { client } = await open(() => 'hang', { retries: { limit: 0 } });
      await api?.stop();
      const error = await client.caller().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConnectionError);
      expect(String(error)).not.toContain('gm_a_b');
    });

    it('at once for what is no address', () => {
      expect(() => createCandorClient({ url: 'ftp://x', apiKey: 'k' })).toThrow('http or https');
    });
  });

  it('lists page after page', async () => {
    const { client, requests } = await open(({ path }) => {
      const isFirst = !path.includes('cursor');
      const pagination = { cursor: isFirst ? 'c 2' : null, hasMore: isFirst };
      return { body: { data: isFirst ? [{ id: 1 }, { id: 2 }] : [{ id: 3 }], pagination } };
    });
    const ids: unknown[] = [];
    for await (const { id } of listAll(client, 'listSources', { limit: 2 })) ids.push(id);
    expect(ids).toEqual([1, 2, 3]);
    expect(requests.map(({ path }) => path)).toEqual(['/v1/sources?limit=2', '/v1/sources?limit=2&cursor=c+2']);
  });

  it('is typed by the contracts', () => {
    const check = (client: CandorClient): void => {
      // @ts-expect-error a query is needed
      void client.search({ limit: 3 });
      // @ts-expect-error there is no such field
      void client.search({ query: 'q', colour: 'red' });
      // @ts-expect-error there is no such provider
      void client.search({ query: 'q', providers: ['jira'] });
      void client.search({ query: 'q' }).then(({ hits }) => hits[0]?.freshness?.ageHours.toFixed(1));
    };
    expect(check).toBeDefined();
  });
});
