import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { AppError } from '@candor/contracts';
import { testServerUrl } from '@candor/persistence/testing';
import { GatewayReplicas } from './testing/gateway-replicas.js';
import { answerWithHit } from './testing/scripted-retrieval.js';

const databaseUrl = testServerUrl(process.env);
const redisUrl = process.env['REDIS_URL'];
const withServers = databaseUrl !== null && redisUrl ? describe : describe.skip;

jest.setTimeout(60_000);

const ORIGIN = 'https://console.example';
const MCP_HEADERS = { accept: 'application/json, text/event-stream' };
const callMessage = (id: number | string, name: string, args: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

withServers('the MCP endpoint', () => {
  let gateways: GatewayReplicas;
  let agent: { id: string; key: string };
  let client: Client;

  beforeAll(async () => {
    gateways = await GatewayReplicas.start(
      { databaseUrl: databaseUrl ?? '', redisUrl: redisUrl ?? '' },
      { publicUrl: null, origins: [ORIGIN] },
    );
    agent = await gateways.createKey();
    client = await gateways.connect(agent.key);
  });
  afterAll(() => gateways.stop());
  afterEach(() => {
    gateways.retrieval.script = answerWithHit;
  });

  const call = async (name: string, args: object, caller = client): Promise<CallToolResult> =>
    (await caller.callTool({ name, arguments: { ...args } })) as CallToolResult;
  const errorOf = (result: CallToolResult): { code: number; type: string; message: string; requestId: string } => {
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toBeUndefined();
    const [content] = result.content;
    return (JSON.parse(content?.type === 'text' ? content.text : '{}') as { error: never }).error;
  };
  const textOf = ({ content: [content] }: CallToolResult): string => (content?.type === 'text' ? content.text : '');

  it('stands with signed events alone in reading a request that nobody checked before', () => {
    const own = gateways.routeHandlers().filter(({ readsRequest }) => readsRequest);
    expect(own.map(({ route }) => `${route.method} ${route.path}`).sort()).toEqual([
      ...['DELETE /mcp', 'GET /mcp', 'POST /mcp'],
      'POST /v1/sources/:id/slack-events',
    ]);
  });

  describe('its tools', () => {
    let tools: Tool[];
    beforeAll(async () => {
      ({ tools } = await client.listTools());
    });

    it('are listed for every key, with read-only annotations', async () => {
      const poor = await gateways.connect((await gateways.createKey({ allowedActions: ['audit:read'] })).key);
      expect((await poor.listTools()).tools).toEqual(tools);
      expect(tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['search', 'context', 'reason', 'deep_search', 'deep_read', 'get_source_item']),
      );
      for (const { annotations } of tools) expect(annotations).toMatchObject({ readOnlyHint: true });
    });

    it('have an object at the root of both schemas, without references, and every argument described', () => {
      for (const { inputSchema, outputSchema } of tools) {
        expect(inputSchema.type).toBe('object');
        expect(outputSchema?.type).toBe('object');
        expect(JSON.stringify([inputSchema, outputSchema])).not.toContain('$ref');
        for (const property of Object.values(inputSchema.properties ?? {}))
          expect(property).toMatchObject({ description: expect.stringMatching(/\w/) });
      }
    });

    it('leave the token budget of reason to the REST API', () => {
      const reason = tools.find(({ name }) => name === 'reason');
      expect(Object.keys(reason?.inputSchema.properties ?? {})).toEqual([
        'query',
        'limit',
        'documentId',
        'collectionId',
        'includeQuotations',
      ]);
    });
  });

  it('answers with the body of the REST API, and as Markdown in which sources are quoted', async () => {
    const rest = await gateways.send('POST', '/v1/search', { key: agent.key, body: { query: 'brand', limit: 3 } });
    const result = await call('search', { query: 'brand', limit: 3 });
    expect(result.structuredContent).toEqual(rest.body);
    expect(textOf(result)).toContain('[1] **Brand \\*decisions\\*** (notion, score 0.8432, synced 0.2 h ago)');
    expect(textOf(result)).toContain('> We keep lime-green.\n> # Not a heading of ours');
    expect(gateways.retrieval.requests.at(-1)).toEqual(gateways.retrieval.requests.at(-2));
  });

  it('writes the audit event of the route, under the id that it tells', async () => {
    const { _meta: meta } = await call('search', { query: 'brand' });
    expect(await gateways.events(String(meta?.['candor/requestId']))).toMatchObject([
      {
        action: 'search.query',
        outcome: 'succeeded',
        actorApiKeyId: agent.id,
        metadata: { query: 'brand', via: 'mcp' },
      },
    ]);
  });

  it('refuses at the call what the key may not, and audits it', async () => {
    const { id, key } = await gateways.createKey({ allowedActions: ['documents:read'] });
    const error = errorOf(await call('search', { query: 'brand' }, await gateways.connect(key)));
    expect(error).toMatchObject({ code: 403, type: 'AUTH.ACTION_NOT_ALLOWED', details: { action: 'search' } });
    expect(await gateways.events(error.requestId)).toMatchObject([
      { action: 'access.denied', outcome: 'denied', actorApiKeyId: id, metadata: { attempted: 'search.query' } },
    ]);
  });

  it('shares the rate limit of the action with the REST API', async () => {
    const { key } = await gateways.createKey({ rateLimitPerMinute: 2 });
    const limited = await gateways.connect(key);
    await gateways.send('POST', '/v1/search', { key, body: { query: 'brand' } });
    const { _meta: meta } = await call('search', { query: 'brand' }, limited);
    expect(meta?.['candor/rateLimit']).toMatchObject({ limit: 2, remaining: 0 });
    const refused = await call('search', { query: 'brand' }, limited);
    expect(errorOf(refused)).toMatchObject({ code: 429, type: 'RATE_LIMIT.EXCEEDED' });
    expect(refused._meta?.['candor/retryAfterSeconds']).toEqual(expect.any(Number));
  });

  it.each<[string, string, object, string]>([
    ['a missing argument', 'search', {}, 'query is required'],
    ['an unknown argument', 'search', { query: 'q', queries: [] }, 'unknown field "queries"'],
    ['an argument of the REST API alone', 'reason', { query: 'q', maxTokens: 5 }, 'unknown field "maxTokens"'],
    ['a number out of range', 'search', { query: 'q', limit: 26 }, 'limit must be at most 25'],
    ['a malformed id', 'get_source_item', { id: 'nope' }, 'id must be a UUID'],
    ['a character that nothing can store', 'search', { query: 'a\0b' }, 'query must not contain NUL characters'],
  ])('names %s', async (_what, tool, args, message) => {
    expect(errorOf(await call(tool, args))).toMatchObject({ code: 400, type: 'REQUEST.INVALID', message });
  });

  it('takes lists that come as JSON text', async () => {
    await call('search', { query: 'brand', providers: '["notion","slack"]' });
    expect(gateways.retrieval.requests.at(-1)).toMatchObject({ providers: ['notion', 'slack'] });
    const { message } = errorOf(await call('search', { query: 'brand', providers: 'notion' }));
    expect(message).toBe('providers must be an array');
  });

  it('tells nothing of what broke inside', async () => {
    gateways.retrieval.script = () => Promise.reject(new Error('connect to postgres://secret failed'));
    const result = await call('search', { query: 'brand' });
    expect(errorOf(result)).toMatchObject({ code: 500, type: 'INTERNAL.UNEXPECTED' });
    expect(JSON.stringify(result)).not.toMatch(/secret|\.ts:|\.js:/);
  });

  it('says that there is no such tool', async () => {
    await expect(call('drop_tables', {})).rejects.toThrow('There is no such tool.');
  });

  describe('a long call', () => {
    it('tells its progress to who asks for it', async () => {
      const told: string[] = [];
      const abort = new AbortController();
      const running = client.callTool({ name: 'reason', arguments: { query: 'brand' } }, undefined, {
        onprogress: ({ message }) => {
          told.push(message ?? '');
          abort.abort();
        },
        signal: abort.signal,
      });
      await expect(running).rejects.toThrow();
      expect(told[0]).toBe('Answer with citations: 0 s');
    });

    it('is cancelled by a message that another replica gets', async () => {
      const visitor = await gateways.connect(agent.key, (body) => (body.includes('notifications/cancelled') ? 1 : 0));
      const abort = new AbortController();
      const cancelled = new Promise<unknown>((resolve) => {
        gateways.retrieval.script = (_method, _request, signal) => {
          abort.abort();
          return new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              resolve(signal.reason);
              reject(signal.reason as Error);
            });
          });
        };
      });
      const running = visitor.callTool({ name: 'search', arguments: { query: 'brand' } }, undefined, {
        signal: abort.signal,
      });
      await expect(running).rejects.toThrow();
      await expect(cancelled).resolves.toMatchObject({ code: 'REQUEST.CANCELLED' });
    });

    it('is not cancelled by another client of the same key, whose calls have the same ids', async () => {
      const response = await gateways.send('POST', '/mcp', {
        key: agent.key,
        headers: { ...MCP_HEADERS, 'mcp-session-id': 'one' },
        body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } },
      });
      expect(response.status).toBe(202);
      const other = await gateways.send('POST', '/mcp', {
        key: agent.key,
        headers: { ...MCP_HEADERS, 'mcp-session-id': 'two' },
        body: callMessage(7, 'search', { query: 'brand' }),
      });
      expect(other.body).toContain('"structuredContent"');
    });

    it('ends without a result when the cancellation overtook it', async () => {
      const headers = { ...MCP_HEADERS, 'mcp-session-id': 'three' };
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } };
      await gateways.send('POST', '/mcp', { key: agent.key, headers, body: cancel });
      // The message to all replicas comes back to this one too; until then there is nothing to see.
      for (let text = 'structuredContent'; text.includes('structuredContent');) {
        const { body } = await gateways.send('POST', '/mcp', {
          key: agent.key,
          headers,
          body: callMessage(0, 'search', { query: 'brand' }),
        });
        text = String(body);
      }
    });
  });

  describe('prompts of the library', () => {
    let user: Client;
    let id: string;
    beforeAll(async () => {
      user = await gateways.connect((await gateways.createKey({ allowedActions: ['prompts:*'] })).key);
      const { body } = await gateways.send('POST', '/v1/prompts', {
        body: {
          title: 'Wöchentlicher Bericht!',
          description: 'For Monday.',
          content: 'Report on {{ team }} for ${week}. Not ${ unclosed.',
          variables: [{ name: 'team', description: 'Whose report.' }],
        },
      });
      ({ id } = (body as { data: { id: string } }).data);
    });

    it('are listed with their variables as arguments', async () => {
      expect((await user.listPrompts()).prompts).toEqual([
        {
          name: `wochentlicher-bericht.${id}`,
          title: 'Wöchentlicher Bericht!',
          description: 'For Monday.',
          arguments: [
            { name: 'team', description: 'Whose report.', required: true },
            { name: 'week', required: true },
          ],
        },
      ]);
    });

    it('come filled in, and values are not looked at again', async () => {
      const values = { team: '${week}', week: '23' };
      const { messages, description } = await user.getPrompt({ name: `any.${id}`, arguments: values });
      expect(description).toBe('For Monday.');
      expect(messages).toEqual([
        { role: 'user', content: { type: 'text', text: 'Report on ${week} for 23. Not ${ unclosed.' } },
      ]);
    });

    it('are refused without their arguments, and when there are none', async () => {
      await expect(user.getPrompt({ name: id, arguments: { team: 'a' } })).rejects.toThrow('The prompt needs week.');
      const name = '5d0b7c1e-7a52-4a85-9b6e-0f6c6c1d2e3f';
      await expect(user.getPrompt({ name })).rejects.toMatchObject({ code: -32002, data: { code: 404 } });
      await expect(user.getPrompt({ name: 'weekly' })).rejects.toMatchObject({ code: -32602 });
    });

    it('are not announced to keys that may not use them', () => {
      expect(client.getServerCapabilities()?.prompts).toBeUndefined();
    });
  });

  describe('who may call', () => {
    it.each<[string, string | null, string]>([
      ['no key', null, 'Bearer resource_metadata="<url>/.well-known/oauth-protected-resource/mcp"'],
      [
        'a wrong key',
        'gm_aaaaaaaa_bbbbbbbbbbbbbbbb',
        'Bearer error="invalid_token", resource_metadata="<url>/.well-known/oauth-protected-resource/mcp"',
      ],
    ])('is challenged with the metadata of the endpoint for %s', async (_what, key, challenge) => {
      const { status, headers } = await gateways.send('POST', '/mcp', { key, body: {} });
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe(challenge.replace('<url>', gateways.url()));
    });

    it.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])(
      'finds it at %s',
      async (path) => {
        const { status, body } = await gateways.send('GET', path, { key: null });
        expect(status).toBe(200);
        expect(body).toMatchObject({ resource: `${gateways.url()}/mcp`, bearer_methods_supported: ['header'] });
      },
    );

    it('is a program, or a page of this machine or of an origin that is allowed', async () => {
      const from = async (origin: string, path = '/mcp') =>
        (await gateways.send('POST', path, { key: agent.key, headers: { ...MCP_HEADERS, origin }, body: {} })).status;
      expect(await from('https://evil.example')).toBe(403);
      expect(await from('null')).toBe(403);
      expect(await from('https://evil.example', '/MCP/')).toBe(403);
      expect(await from(ORIGIN)).toBe(400);
      expect(await from('http://localhost:6274')).toBe(400);
    });

    it('is a browser that may ask beforehand without a key, and lets the page read the answer', async () => {
      const ask = (origin: string, path = '/mcp') =>
        gateways.send('OPTIONS', path, {
          key: null,
          headers: {
            origin,
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
          },
        });
      const sharedWith = ({ status, headers }: { status: number; headers: Headers }): unknown[] => [
        status,
        headers.get('access-control-allow-origin'),
      ];
      expect(sharedWith(await ask(ORIGIN))).toEqual([204, ORIGIN]);
      expect(sharedWith(await ask('https://evil.example'))).toEqual([403, null]);
      const metadata = '/.well-known/oauth-protected-resource/mcp';
      expect(sharedWith(await ask(ORIGIN, metadata))).toEqual([204, ORIGIN]);
      expect(sharedWith(await gateways.send('GET', metadata, { key: null, headers: { origin: ORIGIN } }))).toEqual([
        200,
        ORIGIN,
      ]);
      const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
      const headers = { ...MCP_HEADERS, origin: ORIGIN };
      const answer = await gateways.send('POST', '/mcp', { key: agent.key, headers, body });
      expect(sharedWith(answer)).toEqual([200, ORIGIN]);
      expect(answer.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id');
      const unknown = await gateways.send('POST', '/mcp', { key: null, headers, body });
      expect(sharedWith(unknown)).toEqual([401, ORIGIN]);
      expect(unknown.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
    });

    it.each(['GET', 'DELETE'])('gets 405 for %s, since no session is kept', async (method) => {
      const { status, headers, body } = await gateways.send(method, '/mcp', { key: agent.key, headers: MCP_HEADERS });
      expect(status).toBe(405);
      expect(headers.get('allow')).toBe('POST');
      expect(body).toMatchObject({ error: { type: 'REQUEST.METHOD_NOT_ALLOWED' } });
    });
  });

  describe('messages', () => {
    it('that no route answers have an event of their own', async () => {
      const { headers } = await gateways.send('POST', '/mcp', {
        key: agent.key,
        headers: MCP_HEADERS,
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'desk', version: '7' } },
        },
      });
      expect(headers.get('mcp-session-id')).toMatch(/^[\da-f-]{36}$/);
      expect(await gateways.events(headers.get('x-request-id') ?? '')).toMatchObject([
        {
          action: 'mcp.message',
          outcome: 'succeeded',
          metadata: { methods: ['initialize'], client: { name: 'desk', version: '7' } },
        },
      ]);
    });

    it.each<[string, object]>([
      ['are calls whose arguments are no object', { method: 'tools/call', params: { name: 'search', arguments: 'q' } }],
      ['ask for prompts with a key that may not use them', { method: 'prompts/list' }],
    ])('have an event also when they %s', async (_what, message) => {
      const { headers, body } = await gateways.send('POST', '/mcp', {
        key: agent.key,
        headers: MCP_HEADERS,
        body: { jsonrpc: '2.0', id: 1, ...message },
      });
      expect(body).toContain('"error"');
      expect(await gateways.events(headers.get('x-request-id') ?? '')).toMatchObject([
        { action: 'mcp.message', outcome: 'refused', actorApiKeyId: agent.id },
      ]);
    });

    it('may come several at once, each call with an event of its own', async () => {
      const { headers, body } = await gateways.send('POST', '/mcp', {
        key: agent.key,
        headers: { ...MCP_HEADERS, 'mcp-protocol-version': '2025-03-26' },
        body: [callMessage(1, 'search', { query: 'one' }), callMessage(2, 'search', { query: 'two' })],
      });
      const ids = [...String(body).matchAll(/"candor\/requestId":"([^"]+)"/g)].map(([, id]) => id ?? '');
      expect(new Set(ids).size).toBe(2);
      expect(ids).toContain(headers.get('x-request-id'));
      for (const id of ids) expect(await gateways.events(id)).toHaveLength(1);
    });

    it.each<[string, unknown]>([
      ['nothing', []],
      ['no JSON-RPC', { query: 'brand' }],
      ['text', 'hello'],
      ['more than a hundred', Array.from({ length: 101 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))],
    ])('are refused when they are %s', async (_what, body) => {
      const answer = await gateways.send('POST', '/mcp', { key: agent.key, headers: MCP_HEADERS, body });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ error: { type: 'REQUEST.INVALID' } });
    });

    it('have the body limit of the API', async () => {
      const body = callMessage(1, 'search', { query: 'x'.repeat(1024 * 1024) });
      const answer = await gateways.send('POST', '/mcp', { key: agent.key, headers: MCP_HEADERS, body });
      expect(answer).toMatchObject({ status: 413, body: { error: { type: 'REQUEST.TOO_LARGE' } } });
    });
  });

  it('keeps the failure of the caller apart from its own', async () => {
    gateways.retrieval.script = () =>
      Promise.reject(new AppError('DEPENDENCY.INDEX_UNAVAILABLE', { retryAfterSeconds: 3 }));
    const result = await call('search', { query: 'brand' });
    expect(errorOf(result)).toMatchObject({ code: 503, type: 'DEPENDENCY.INDEX_UNAVAILABLE' });
    expect(result._meta?.['candor/retryAfterSeconds']).toBe(3);
  });
});
