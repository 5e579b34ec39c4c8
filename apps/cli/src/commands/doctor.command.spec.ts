import { describe, expect, it, jest } from '@jest/globals';
import type { Answer } from '../testing/recording-gateway.js';
import { ok, refuse, REQUEST_ID as ID, runAgainst } from '../testing/run-against.js';

const PAGE_END = { cursor: null, hasMore: false };

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
  const examine = async (
    changed: Record<string, Answer> = {},
    environment: Record<string, string> = {},
    args: string[] = [],
  ) => {
    const result = await runAgainst(
      ({ path }) => {
        const name = path.split('?')[0] ?? '';
        return changed[name] ?? answers[name] ?? refuse(404, 'REQUEST.UNKNOWN_ROUTE', 'There is no such endpoint.');
      },
      ['doctor', '--json', ...args],
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
      /LLM_TIMEOUT_MS .* REASON_DEADLINE_MS .* --deadline/,
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

  it.each([
    ['DATABASE_UNAVAILABLE', /Postgres.*DATABASE_URL of the gateway and of retrieval/],
    ['DATABASE_TIMEOUT', /Postgres/],
    ['INDEX_UNAVAILABLE', /Elasticsearch.*ELASTICSEARCH_URL of retrieval/],
    ['QUEUE_UNAVAILABLE', /Redis.*REDIS_URL/],
    ['RETRIEVAL_UNAVAILABLE', /RETRIEVAL_URL of the gateway/],
    ['EMBEDDINGS_UNAVAILABLE', /EMBEDDINGS_BASE_URL of retrieval.*CANDOR_MODEL_DIR/],
  ])(
    'names the service and the setting behind DEPENDENCY.%s, which the gateway may not look at',
    async (name, mend) => {
      const away = refuse(503, `DEPENDENCY.${name}`, 'It cannot be reached.');
      const { exitCode, troubled } = await examine({ '/v1/search': away });
      expect(troubled).toMatchObject([{ what: 'search', state: 'broken', mend: expect.stringMatching(mend) }]);
      expect(exitCode).toBe(1);
    },
  );

  it.each([
    ['RATE_LIMIT.EXCEEDED', '42', 'Try again in 42 s, or give the key a higher rate limit.'],
    ['QUOTA.RATE_EXCEEDED', '300', 'Try again in 5 minutes, or have the tenant’s quota raised (PUT /v1/quotas).'],
    ['QUOTA.RATE_EXCEEDED', '43201', 'Try again in 13 hours, or have the tenant’s quota raised (PUT /v1/quotas).'],
    ['QUOTA.QUEUE_FULL', '', 'Try again later, or have the tenant’s quota raised (PUT /v1/quotas).'],
  ])('says of %s when there is room again: after %j', async (type, retryAfter, mend) => {
    const headers: Record<string, string> = retryAfter === '' ? {} : { 'retry-after': retryAfter };
    const { troubled } = await examine({ '/v1/search': refuse(429, type, 'It is used up.', headers) });
    expect(troubled).toMatchObject([{ what: 'search', message: `It is used up. (${type})`, mend }]);
  });

  it('names the request of what it doesn’t know, or the proxy that answers without one', async () => {
    const busy = await examine({ '/v1/search': refuse(503, 'RETRIEVAL.BUSY', 'Busy.', { 'retry-after': '2' }) });
    expect(busy.troubled[0]?.mend).toBe(`Try again in 2 s; if it stays so, look for the request ${ID} in the logs.`);
    const proxy = await examine({ '/v1/search': ok('Service Unavailable', 503) });
    expect(proxy.troubled[0]?.mend).toBe('Try again later; if it stays so, see the log of the proxy in front.');
  });

  it.each([
    [[], 120_000],
    [['--deadline', '200'], 200_000],
  ])('gives a question its deadline, and everything else ten seconds: %j', async (args, deadline) => {
    const timeouts = jest.spyOn(AbortSignal, 'timeout');
    await examine({}, {}, args);
    const deadlines = timeouts.mock.calls.map(([milliseconds]) => milliseconds);
    timeouts.mockRestore();
    expect([...new Set(deadlines)].sort((a, b) => a - b)).toEqual([10_000, deadline]);
    expect(deadlines.filter((milliseconds) => milliseconds === deadline)).toHaveLength(1);
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
