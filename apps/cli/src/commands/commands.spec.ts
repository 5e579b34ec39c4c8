import { describe, expect, it, jest } from '@jest/globals';
import type { Answer, Recorded } from '../testing/recording-gateway.js';
import { ok, refuse, REQUEST_ID as ID, runAgainst, type RunOptions } from '../testing/run-against.js';
import type { LineResult } from '../testing/run-line.js';

const CHUNK = 'a54d4559-3aec-55fa-9d6e-cafd1249999c';
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

describe('candor', () => {
  const run = (
    args: string[],
    answer: (request: Recorded, count: number) => Answer = () => ok({}),
    options: RunOptions = {},
  ): Promise<LineResult & { requests: Recorded[] }> => runAgainst(answer, args, options);
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

    it.each([0, -5, 51, 100, 10_000])('leaves it to the gateway to bring a limit of %i within 1–50', async (limit) => {
      const result = await run(['ask', 'q', '--limit', String(limit)], () => ok({ data }));
      expect(sent(result)).toEqual([['POST', '/v1/reason', { query: 'q', limit }]]);
    });

    it.each(['', ' ', 'many', '2.5', 'Infinity'])('takes no limit that is no whole number: %j', async (limit) => {
      const result = await run(['ask', 'q', '--limit', limit], () => ok({ data }));
      expect([result.requests, result.error]).toEqual([[], expect.stringContaining('A whole number.')]);
      expect(result.exitCode).not.toBe(0);
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

  it.each([
    [[], 120_000],
    [['--deadline', '7'], 7_000],
  ])('gives the gateway as long as it is told to: %j', async (args, deadline) => {
    const timeouts = jest.spyOn(AbortSignal, 'timeout');
    await run(['search', 'brand', ...args], () => ok({ hits: [] }));
    const deadlines = timeouts.mock.calls.map(([milliseconds]) => milliseconds);
    timeouts.mockRestore();
    expect(deadlines).toEqual([deadline]);
  });

  it('mcp names the program by its file: anywhere else npx would fetch a stranger’s package of this name', async () => {
    const { out } = await run(['mcp', '--help']);
    expect(out).toContain('"command":"node","args":["<folder of Candor>/apps/cli/bin/candor.mjs","mcp"]');
    expect(out).not.toContain('npx');
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
});
