import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { RecordingGateway, type Answer, type Recorded } from '../testing/recording-gateway.js';
import { runLine, type LineResult } from '../testing/run-line.js';

const CHUNK = 'a54d4559-3aec-55fa-9d6e-cafd1249999c';
const ID = '354913f5-0631-49e7-8420-a577a1819e13';
const KEY = 'gm_abcdefgh_abcdefghijklmnop';
const HIT = {
  sourceItemId: ID,
  title: 'Brand decisions',
  content: 'We keep lime-green.',
  url: 'https://notion.example/brand',
  provider: 'notion',
  score: 0.84,
  freshness: { syncedAt: '2026-05-30T20:00:00Z', ageHours: 0.2 },
  accessPolicy: null,
};
const PAGE_END = { cursor: null, hasMore: false };
const ok = (body: unknown, status = 200): Answer => ({ status, body });
const refuse = (status: number, type: string, message: string): Answer =>
  ok({ error: { code: status, type, message, details: null, requestId: ID } }, status);

describe('candor', () => {
  let gateway: RecordingGateway | undefined;
  afterEach(async () => {
    await gateway?.stop();
    gateway = undefined;
  });

  async function run(
    args: string[],
    answer: (request: Recorded, count: number) => Answer = () => ok({}),
    options: { environment?: Record<string, string>; input?: string; isTTY?: boolean } = {},
  ): Promise<LineResult & { requests: Recorded[] }> {
    await gateway?.stop();
    gateway = await RecordingGateway.start(answer);
    const environment = { CANDOR_URL: gateway.url, CANDOR_API_KEY: KEY, ...options.environment };
    return { ...(await runLine(args, environment, options)), requests: gateway.requests };
  }
  const sent = ({ requests }: { requests: Recorded[] }): unknown[] =>
    requests.map(({ method, path, body }) => [method, path, ...(body === '' ? [] : [JSON.parse(body) as unknown])]);

  it.each([
    ...['keys', 'ingest', 'import', 'sync', 'ask', 'context', 'search', 'read'],
    ...['expand', 'audit', 'verify', 'generations', 'mcp', 'doctor', 'tenants', 'erase'],
  ])('%s has help with examples', async (command) => {
    const nested = {
      keys: ['keys', 'create'],
      generations: ['generations', 'create'],
      tenants: ['tenants', 'set'],
      erase: ['erase', 'person'],
    }[command] ?? [command];
    const { exitCode, out } = await run([...nested, '--help']);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/Examples:\n {2}\$ .*candor/);
    expect((await run(['--help'])).out).toContain(`\n  ${command}`);
  });

  describe('ask', () => {
    const data = {
      answer: `Lime-green. [[${CHUNK}]]`,
      citations: [{ chunkId: CHUNK, documentId: ID, documentTitle: 'Brand decisions' }],
      gaps: ['No date is given.'],
      meta: { chunksGathered: 3, citationsDropped: 0, latencyMs: 12 },
    };

    it('shows the answer with numbered sources and limitations', async () => {
      const result = await run(['ask', 'Which', 'color?', '--limit', '5'], () => ok({ data }));
      expect(sent(result)).toEqual([['POST', '/v1/reason', { query: 'Which color?', limit: 5 }]]);
      expect(result.out).toBe(
        `Lime-green. [1]\n\nSources\n[1] Brand decisions ${CHUNK}\n\nLimitations\n- No date is given.\n\n3 chunks, 0 citations dropped, 12 ms\n`,
      );
    });

    it('tells a refusal once', async () => {
      const none = { ...data, answer: 'No evidence.', citations: [], gaps: ['No evidence.'] };
      expect((await run(['ask', 'q'], () => ok({ data: none }))).out).toBe(
        'No evidence.\n\n3 chunks, 0 citations dropped, 12 ms\n',
      );
    });

    it('prints the body of the API with --json, and colors on a terminal alone', async () => {
      expect(JSON.parse((await run(['ask', 'q', '--json'], () => ok({ data }))).out)).toEqual({ data });
      expect((await run(['ask', 'q'], () => ok({ data }), { isTTY: true })).out).toContain('\u001b[');
      const environment = { NO_COLOR: '1' };
      expect((await run(['ask', 'q'], () => ok({ data }), { isTTY: true, environment })).out).not.toContain('\u001b[');
    });

    it('says what the gateway refuses, with exit code 2', async () => {
      const refusal = refuse(403, 'AUTH.ACTION_NOT_ALLOWED', 'The API key does not allow the action "reason".');
      const text = await run(['ask', 'q'], () => refusal);
      expect([text.exitCode, text.error]).toEqual([2, 'The API key does not allow the action "reason".\n']);
      const json = await run(['ask', 'q', '--json'], () => refusal);
      expect(JSON.parse(json.error)).toMatchObject({ error: { type: 'AUTH.ACTION_NOT_ALLOWED' } });
    });
  });

  it('search narrows by what it is told', async () => {
    const args = [
      'search',
      'brand',
      'color',
      '--provider',
      'notion',
      'slack',
      '--limit',
      '3',
      '--as-of',
      '2026-01-01T00:00:00Z',
    ];
    const result = await run(args, () => ok({ query: 'brand color', hits: [HIT] }));
    expect(sent(result)).toEqual([
      [
        'POST',
        '/v1/search',
        { query: 'brand color', limit: 3, providers: ['notion', 'slack'], knownAsOf: '2026-01-01T00:00:00Z' },
      ],
    ]);
    expect(result.out).toContain('[1] Brand decisions notion, score 0.84, 0.2 h old');
  });

  it('context shows what was left out', async () => {
    const contract = {
      contract: { version: '1.1', requestId: ID },
      hits: [],
      exclusions: [{ type: 'superseded', provider: 'notion', reason: 'A newer version exists.', count: 2 }],
      limitations: [{ code: 'no_context', message: 'Nothing matches.' }],
    };
    const { out } = await run(['context', 'brand'], () => ok(contract));
    expect(out).toContain('Nothing was found.');
    expect(out).toContain('superseded notion ×2: A newer version exists.');
    expect(out).toContain(`no_context: Nothing matches.\n\ncontract 1.1, request ${ID}`);
  });

  it('expand looks around by default', async () => {
    const result = await run(['expand', CHUNK], () => ok({ data: { chunks: [] } }));
    expect(sent(result)).toEqual([['POST', '/v1/pd/expand', { chunkId: CHUNK, direction: 'surrounding' }]]);
    expect(result.out).toBe('There is nothing there.\n');
    expect((await run(['expand', CHUNK, 'sideways'])).exitCode).toBe(2);
  });

  describe('verify', () => {
    it('fails when a quotation is rejected', async () => {
      const results = [
        { chunkId: CHUNK, status: 'repaired', quotation: 'We keep “lime”.' },
        { chunkId: CHUNK, status: 'rejected', reason: 'not_found' },
      ];
      const input = JSON.stringify([{ chunkId: CHUNK, quotation: 'We keep "lime".' }]);
      const result = await run(['verify', '--file', '-'], () => ok({ data: { results } }), { input });
      expect(result.exitCode).toBe(1);
      expect(result.out).toBe(`repaired ${CHUNK}\n  We keep “lime”.\nrejected ${CHUNK} (not_found)\n`);
    });

    it.each([[['verify', CHUNK]], [['verify', '--file', '/nowhere.json']]])(
      'needs something to check: %j',
      async (args) => {
        const { exitCode, requests } = await run(args);
        expect([exitCode, requests]).toEqual([2, []]);
      },
    );
  });

  describe('keys', () => {
    it('create sends what was asked for, and shows the secret once', async () => {
      const args = ['keys', 'create', 'Agent', '--action', 'search', '--principal', 'user:ada@x.example', '--no-limit'];
      const result = await run(args, () => ok({ data: { id: ID, key: KEY } }, 201));
      expect(sent(result)).toEqual([
        [
          'POST',
          '/v1/api-keys',
          {
            name: 'Agent',
            actorType: 'agent',
            allowedActions: ['search'],
            allowedProviders: null,
            principals: ['user:ada@x.example'],
            rateLimitPerMinute: null,
          },
        ],
      ]);
      expect(result.out.split('\n')[0]).toBe(KEY);
    });

    it('list follows the pages', async () => {
      const key = { id: ID, actorType: 'agent', allowedActions: ['search'], revokedAt: null, expiresAt: null };
      const { out } = await run(['keys', 'list'], ({ path }) =>
        path.includes('cursor')
          ? ok({ data: [{ ...key, name: 'Second', revokedAt: '2026-01-01T00:00:00Z' }], pagination: PAGE_END })
          : ok({ data: [{ ...key, name: 'First' }], pagination: { cursor: 'c', hasMore: true } }),
      );
      expect(out).toMatch(/^id +name +actor +state +actions\n.*First +agent +active +search\n.*Second +agent +revoked/);
    });
  });

  describe('ingest', () => {
    it('pushes one text', async () => {
      const answer = { requestId: ID, items: [{ externalId: 'Brand', status: 'accepted' }] };
      const result = await run(['ingest', 'We keep lime.', '--title', 'Brand', '--tag', 'x'], () => ok(answer, 202));
      expect(sent(result)).toEqual([
        [
          'POST',
          '/v1/ingest',
          {
            documents: [
              {
                provider: 'upload',
                sourceKind: 'document',
                externalId: 'Brand',
                title: 'Brand',
                body: 'We keep lime.',
                mimeType: 'text/plain',
                tags: ['x'],
              },
            ],
          },
        ],
      ]);
      expect(result.out).toBe('1 accepted, 0 unchanged, 0 failed\n');
    });

    it('follows with --wait, and fails with what failed', async () => {
      const items = [
        {
          externalId: 'Brand',
          status: 'failed',
          error: { type: 'EXTRACT.EMPTY', message: 'The document has no text.' },
        },
      ];
      const result = await run(['ingest', 'x', '--title', 'Brand', '--wait', '--json'], ({ method }) =>
        method === 'POST'
          ? ok({ requestId: ID, items: [{ externalId: 'Brand', status: 'accepted' }] }, 202)
          : ok({ done: true, items }),
      );
      expect(result.exitCode).toBe(1);
      expect(JSON.parse(result.out)).toMatchObject({
        failed: [{ externalId: 'Brand', message: 'The document has no text.' }],
      });
    });
  });

  describe('sync', () => {
    const counts = {
      listed: 4,
      accepted: 3,
      unchanged: 0,
      metadata: 0,
      deleted: 0,
      failed: 1,
      withheld: 0,
      suppressed: 0,
    };
    const sync = { id: ID, state: 'succeeded_with_errors', counts, error: null, waiting: null };

    it('follows the run to its end', async () => {
      const result = await run(['sync', ID], ({ method }) => ok({ data: sync }, method === 'POST' ? 202 : 200));
      expect(result.exitCode).toBe(1);
      expect(result.out).toBe(`succeeded_with_errors ${ID}\n4 listed, 3 accepted, 1 failed\n`);
    });

    it('lists the sources when none is named', async () => {
      const source = { id: ID, provider: 'slack', state: 'active', name: 'Acme' };
      const { out } = await run(['sync'], () => ok({ data: [source], pagination: PAGE_END }));
      expect(out).toContain(`${ID}  slack     active  Acme`);
    });
  });

  it('audit shows who did what', async () => {
    const event = {
      createdAt: '2026-05-30T20:14:00Z',
      action: 'reason.answer',
      outcome: 'succeeded',
      actorType: 'agent',
      requestId: ID,
      targetId: null,
      metadata: { query: 'Which color?' },
      seal: { state: 'sealed', batch: 3, position: 1, sealedAt: '2026-05-30T20:14:08Z', keyId: 'one' },
      erased: false,
    };
    const result = await run(['audit', '--request', ID], () => ok({ data: [event, event], pagination: PAGE_END }));
    expect(sent(result)).toEqual([['GET', `/v1/audit-events?requestId=${ID}&limit=50`]]);
    expect(result.out.split('\n')[0]).toBe(
      `2026-05-30T20:14:00Z reason.answer succeeded by agent “Which color?” ${ID}, sealed in batch 3`,
    );
  });

  it('generations are built and followed', async () => {
    const progress = { itemsDone: 2, itemsTotal: 2 };
    const result = await run(['generations', 'create', '--wait'], ({ method }) =>
      ok({
        data: { id: ID, state: method === 'POST' ? 'building' : 'failed', progress, error: { message: 'No model.' } },
      }),
    );
    expect([result.exitCode, result.out]).toEqual([1, `failed ${ID}: No model.\n`]);
  });

  describe('doctor', () => {
    const answers: Record<string, Answer> = {
      '/readyz': ok({ status: 'ok', checks: { database: 'ok', queue: 'ok' } }),
      '/v1/user/me': ok({ data: { name: 'Agent', permissions: ['admin'] } }),
      '/mcp': { status: 200, body: { result: {} } },
      '/v1/search': ok({ query: 'doctor', hits: [] }),
      '/v1/documents': ok({ data: [{ id: ID, status: 'ready' }], pagination: PAGE_END }),
      '/v1/reason': ok({ data: {} }),
      '/v1/dead-letters': ok({ data: [], pagination: PAGE_END }),
      '/v1/sources': ok({ data: [], pagination: PAGE_END }),
      '/v1/generations': ok({ data: [{ state: 'live', drift: [] }], pagination: PAGE_END }),
    };
    const examine = async (changed: Record<string, Answer> = {}, environment: Record<string, string> = {}) => {
      const result = await run(
        ['doctor', '--json'],
        ({ path }) => {
          const name = path.split('?')[0] ?? '';
          return changed[name] ?? answers[name] ?? refuse(404, 'REQUEST.UNKNOWN_ROUTE', 'There is no such endpoint.');
        },
        { environment },
      );
      const { findings } = JSON.parse(result.out) as {
        findings: { what: string; state: string; message: string; mend?: string }[];
      };
      return { ...result, findings, troubled: findings.filter(({ state }) => state !== 'ok') };
    };

    it('finds nothing where nothing is broken', async () => {
      const { exitCode, findings, troubled } = await examine();
      expect(troubled).toEqual([]);
      expect(findings.map(({ what }) => what)).toEqual([
        ...['node', 'settings', 'gateway', 'database', 'queue', 'key', 'mcp'],
        ...['search', 'answers', 'dead letters', 'sources', 'generations'],
      ]);
      expect(exitCode).toBe(0);
    });

    it.each<[string, Record<string, Answer>, Record<string, string>, string, RegExp]>([
      ['no key', {}, { CANDOR_API_KEY: '' }, 'settings', /\.candor\/admin-key/],
      ['what is no address', {}, { CANDOR_URL: 'nonsense' }, 'settings', /gateway's address/],
      ['a key that is none', {}, { CANDOR_API_KEY: 'secret' }, 'settings', /begins with gm_/],
      ['a gateway that is not there', {}, { CANDOR_URL: 'http://127.0.0.1:9' }, 'gateway', /npm start/],
      ['something else at the address', { '/readyz': ok('hello') }, {}, 'gateway', /CANDOR_URL/],
      ['a lost queue', { '/readyz': ok({ checks: { queue: 'failed' } }, 503) }, {}, 'queue', /REDIS_URL/],
      ['missing workers', { '/readyz': ok({ checks: { 'workers:index': 'failed' } }) }, {}, 'workers:index', /worker/],
      ['a revoked key', { '/v1/user/me': refuse(401, 'AUTH.INVALID_KEY', 'Unknown.') }, {}, 'key', /new one/],
      ['MCP held back by a proxy', { '/mcp': refuse(404, 'X', 'No.') }, {}, 'mcp', /proxy/],
      [
        'an index that is down',
        { '/v1/search': refuse(503, 'DEPENDENCY.INDEX_UNAVAILABLE', 'The search index cannot be reached.') },
        {},
        'search',
        /Start what it names/,
      ],
      [
        'a language model that fails',
        { '/v1/reason': refuse(502, 'SYNTHESIS.PROVIDER_ERROR', 'The model provider failed.') },
        {},
        'answers',
        /LLM_BASE_URL/,
      ],
      [
        'a language model that takes too long',
        { '/v1/reason': refuse(504, 'DEADLINE.EXCEEDED', 'The request could not be finished in time.') },
        {},
        'answers',
        /LLM_TIMEOUT_MS .* REASON_DEADLINE_MS/,
      ],
      [
        'drift',
        { '/v1/generations': ok({ data: [{ state: 'live', drift: ['chunker'] }], pagination: PAGE_END }) },
        {},
        'generations',
        /generations create/,
      ],
      ['failed items', { '/v1/dead-letters': ok({ data: [{}], pagination: PAGE_END }) }, {}, 'dead letters', /retry/],
    ])('finds %s and says how to mend it', async (_what, changed, environment, what, mend) => {
      const { exitCode, troubled } = await examine(changed, environment);
      const found = troubled.find((finding) => finding.what === what);
      expect(found?.mend).toMatch(mend);
      expect(exitCode).toBe(found?.state === 'warning' ? 0 : 1);
      expect(JSON.stringify(troubled)).not.toContain('abcdefghijklmnop');
    });

    it('gives a question longer than the gateway does, and everything else ten seconds', async () => {
      const timeouts = jest.spyOn(AbortSignal, 'timeout');
      await examine();
      const deadlines = timeouts.mock.calls.map(([milliseconds]) => milliseconds);
      timeouts.mockRestore();
      expect([...new Set(deadlines)].sort((a, b) => a - b)).toEqual([10_000, 70_000]);
      expect(deadlines.filter((milliseconds) => milliseconds === 70_000)).toHaveLength(1);
    });

    it.each([
      [[], 'There is no document yet that could be asked about.'],
      [[{ id: ID, status: 'pending' }], 'None of the newest 1 documents is ready, so nothing was asked.'],
    ])('asks nothing about documents %j', async (data, message) => {
      const { findings } = await examine({
        '/v1/documents': ok({ data, pagination: PAGE_END }),
        '/v1/reason': refuse(500, 'INTERNAL.UNEXPECTED', 'It was asked.'),
      });
      expect(findings.find(({ what }) => what === 'answers')).toMatchObject({ state: 'ok', message });
    });

    it('skips what the key may not look at', async () => {
      const me = ok({ data: { name: 'Agent', permissions: ['search'] } });
      const { exitCode, troubled } = await examine({ '/v1/user/me': me });
      expect(troubled.map(({ what, state }) => [what, state])).toEqual([
        ['answers', 'skipped'],
        ['dead letters', 'skipped'],
        ['sources', 'skipped'],
        ['generations', 'skipped'],
      ]);
      expect(exitCode).toBe(0);
    });
  });
});
