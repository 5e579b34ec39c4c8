import { describe, expect, it } from '@jest/globals';
import { reason } from '../run/reason.js';
import type { ReasoningRequest, ReasoningRuntime } from '../run/reasoning-request.js';
import {
  IDENTITY,
  envelope,
  makeDegraded,
  makeHit,
  makeTrusted,
  scriptAnswers,
  scriptExpansion,
  scriptQueries,
  scriptRetriever,
} from '../testing/scripted-ports.js';
import { boundExpansionInput } from './bound-expansion-input.js';
import { createRuleBasedExpansionProvider, expandByRules } from './expand-by-rules.js';
import { parseQueries } from './parse-expansion.js';

const QUERY = 'Which interface is required?';
const nothing = makeTrusted([], { abstained: true });

async function expand(
  rounds: unknown[],
  over: {
    queries?: unknown;
    modelCalls?: number;
    first?: unknown;
    runtime?: ReasoningRuntime;
  } & Partial<ReasoningRequest> = {},
) {
  const expansionRetriever = scriptExpansion(...rounds);
  const expansionProvider = scriptQueries(over.queries ?? { queries: ['interface REST'] }, over.modelCalls ?? 0);
  const answerProvider = scriptAnswers(envelope('c1'));
  const { queries: _queries, modelCalls: _modelCalls, first, runtime, ...request } = over;
  const response = await reason(
    {
      query: QUERY,
      tenantId: 'tenant-a',
      policy: { allowRetrievalExpansion: true },
      ...request,
      providers: {
        retriever: scriptRetriever(first ?? nothing),
        answerProvider,
        expansionRetriever,
        expansionProvider,
      },
    } as ReasoningRequest,
    { countTokens: (text) => text.length, now: () => 0, ...runtime },
  );
  const stops = response.trace.steps
    .filter((step) => step.kind.startsWith('expand') || step.kind === 'propose_queries')
    .map((step) => [step.kind, step.stopReason]);
  return { response, expansionRetriever, expansionProvider, answerProvider, stops };
}

describe('retrieval expansion', () => {
  it('is off unless the policy allows it, and when there is no gap', async () => {
    const off = await expand([[makeTrusted([makeHit('c1')])]], { policy: {} });
    expect(off.expansionRetriever.asked).toEqual([]);
    expect(off.response.refusalReason).toBe('retrieval_abstained');
    const complete = await expand([[nothing]], { first: makeTrusted([makeHit('c1')]) });
    expect(complete.expansionRetriever.asked).toEqual([]);
    expect(complete.response.outcome).toBe('answered');
  });

  it('looks deeper first; a depth pass that closes the gap skips the provider', async () => {
    const { response, expansionRetriever, expansionProvider, stops } = await expand([[makeTrusted([makeHit('c1')])]]);
    expect(expansionRetriever.asked).toMatchObject([
      { tenantId: 'tenant-a', identity: IDENTITY, proposals: [{ kind: 'depth', query: QUERY, limit: 60 }] },
    ]);
    expect(expansionProvider.asked).toEqual([]);
    expect(response).toMatchObject({
      outcome: 'answered',
      evidence: { items: [{ chunkId: 'c1', retrievedBy: 'depth' }] },
      diagnostics: { retrievalRounds: 2, expansionProviderInvoked: false },
    });
    expect(stops).toEqual([['expand_depth', 'gap_closed']]);
  });

  it('then makes one provider call and one more round, and no third', async () => {
    const queries = { queries: ['a', 'b', 'c'] };
    const results = [nothing, makeTrusted([makeHit('c1')]), nothing];
    const { response, expansionRetriever, expansionProvider, stops } = await expand([[nothing], results], { queries });
    expect(expansionProvider.asked).toHaveLength(1);
    expect(expansionRetriever.asked[1]?.proposals.map(({ kind, query }) => [kind, query])).toEqual([
      ['query', 'a'],
      ['query', 'b'],
      ['query', 'c'],
    ]);
    expect(response).toMatchObject({
      outcome: 'answered',
      evidence: { items: [{ chunkId: 'c1', retrievedBy: 'expansion' }] },
      diagnostics: { retrievalRounds: 3, expansionProviderInvoked: true, budgetUsed: { steps: 3 } },
    });
    expect(stops).toEqual([
      ['expand_depth', 'gap_remains'],
      ['propose_queries', null],
      ['expand_queries', 'gap_closed'],
    ]);
  });

  it('abstains with corpus_gap when two rounds found nothing', async () => {
    const { response, expansionRetriever } = await expand([[nothing], [nothing]]);
    expect(response).toMatchObject({ outcome: 'abstained', refusalReason: 'corpus_gap' });
    expect(expansionRetriever.asked).toHaveLength(2);
  });

  it('closes a missing slot, and keeps answer_slot_gap when it can’t', async () => {
    const first = makeTrusted([makeHit('c1')]);
    const evidencePolicy = { answerSlots: [{ name: 'owner', terms: ['owner'] }] };
    const found = makeTrusted([makeHit('c2', { text: 'The owner is Ada.' })]);
    const closed = await expand([[first], [found]], { first, evidencePolicy });
    expect(closed.response).toMatchObject({
      outcome: 'answered',
      evidence: { items: [{ chunkId: 'c1' }, { chunkId: 'c2' }] },
    });
    expect(closed.expansionProvider.asked).toMatchObject([
      {
        gap: { reason: 'answer_slot_gap', missingSlots: [{ name: 'owner', terms: ['owner'] }] },
        items: [{ chunkId: 'c1' }],
      },
    ]);
    const open = await expand([[first], [first]], { first, evidencePolicy });
    expect(open.response.refusalReason).toBe('answer_slot_gap');
  });

  it('counts only what trusted retrieval calls ok; queries are no evidence', async () => {
    const weak = makeTrusted([makeHit('c1', { verdict: 'low_confidence' })], { abstained: true });
    const { response } = await expand([[weak], [weak]]);
    expect(response).toMatchObject({ refusalReason: 'corpus_gap', evidence: { items: [] } });
    expect(JSON.stringify(response)).not.toContain('interface REST');
  });

  it('lets a later pass find confident what was too weak, but never what was demoted otherwise', async () => {
    const weak = makeTrusted([makeHit('c1', { verdict: 'low_confidence' })], { abstained: true });
    const lifted = await expand([[makeTrusted([makeHit('c1')])]], { first: weak });
    expect(lifted.response.outcome).toBe('answered');
    const gone = makeTrusted([makeHit('c1', { verdict: 'superseded' })]);
    const demoted = await expand([[makeTrusted([makeHit('c1')])], [makeTrusted([makeHit('c1')])]], { first: gone });
    expect(demoted.response).toMatchObject({
      refusalReason: 'corpus_gap',
      evidence: { excluded: [{ chunkId: 'c1', reason: 'superseded' }] },
    });
  });

  it.each<[string, unknown]>([
    ['tenantId', makeTrusted([makeHit('c1')], { identity: { ...IDENTITY, tenantId: 'tenant-b' } })],
    ['generationId', makeTrusted([makeHit('c1')], { identity: { ...IDENTITY, generationId: 'generation-2' } })],
    ['pipelineFingerprint', makeTrusted([makeHit('c1')], { identity: { ...IDENTITY, pipelineFingerprint: 'x' } })],
    ['corpusFingerprint', makeTrusted([makeHit('c1')], { identity: { ...IDENTITY, corpusFingerprint: null } })],
    ['trustState', makeDegraded('CALIBRATION_STALE', [makeHit('c1')])],
    ...['calibrationId', 'querySetDigest', 'threshold'].map((field): [string, unknown] => [
      'calibration',
      {
        ...makeTrusted([makeHit('c1')]),
        calibration: { ...nothing.calibration, [field]: field === 'threshold' ? 0.1 : 'x' },
      },
    ]),
    ['knownAsOf', makeTrusted([makeHit('c1')], { knownAsOf: '2026-01-01T00:00:00Z' })],
  ])('uses nothing of a round with another %s, and goes on', async (field, result) => {
    const { response, expansionProvider } = await expand([[result]]);
    expect(response).toMatchObject({
      outcome: 'abstained',
      refusalReason: 'retrieval_abstained',
      evidence: { items: [] },
      providerFailures: [
        { provider: 'expansion_retriever', kind: 'malformed_output', message: expect.stringContaining(field) },
      ],
    });
    expect(expansionProvider.asked).toEqual([]);
    expect(JSON.stringify(response)).not.toContain('Text of c1');
  });

  it('refuses a calibration of another status under a degraded trust', async () => {
    const { calibrationId, querySetDigest, threshold } = nothing.calibration;
    const held = { calibrationId, querySetDigest, threshold };
    const first = {
      ...makeDegraded('CALIBRATION_STALE', []),
      calibration: { status: 'stale', ...held },
      abstained: true,
    };
    const stale = { status: 'uncertified', ...held };
    const { response } = await expand(
      [[{ ...makeDegraded('CALIBRATION_STALE', [makeHit('c1')]), calibration: stale }]],
      {
        first,
        policy: { requireCertifiedEvidence: false, allowRetrievalExpansion: true },
      },
    );
    expect(response.evidence?.items).toEqual([]);
    expect(response.providerFailures).toMatchObject([
      { provider: 'expansion_retriever', message: expect.stringContaining('calibration') },
    ]);
  });

  it.each([
    ['no list', nothing, 'malformed_output'],
    ['no result', [], 'wrong_cardinality'],
    ['two results for one search', [nothing, nothing], 'wrong_cardinality'],
    ['something else', ['x'], 'malformed_output'],
    ['an outage', new Error('down'), 'provider_error'],
  ])('records %s of the retriever and goes on', async (_what, round, kind) => {
    const { response, stops } = await expand([round]);
    expect(response).toMatchObject({
      outcome: 'abstained',
      refusalReason: 'retrieval_abstained',
      providerFailures: [{ provider: 'expansion_retriever', kind }],
    });
    expect(stops).toEqual([['expand_depth', 'provider_failure']]);
  });

  it.each([
    ['four queries', { queries: ['a', 'b', 'c', 'd'] }, 'wrong_cardinality'],
    ['a query too long', { queries: ['x'.repeat(2001)] }, 'malformed_output'],
    ['a blank query', { queries: [' '] }, 'malformed_output'],
    ['an unknown key', { queries: ['a'], answer: 'x' }, 'malformed_output'],
    ['prose', 'try REST', 'malformed_output'],
    ['nothing', null, 'malformed_output'],
    ['an outage', new Error('down'), 'provider_error'],
  ])('records %s of the provider and makes no second round', async (_what, queries, kind) => {
    const { response, expansionRetriever } = await expand([[nothing]], {
      queries: queries === null ? () => null : queries,
    });
    expect(response).toMatchObject({
      outcome: 'abstained',
      refusalReason: 'corpus_gap',
      providerFailures: [{ provider: 'expansion_provider', kind }],
    });
    expect(expansionRetriever.asked).toHaveLength(1);
  });

  it('asks nothing twice', async () => {
    const { stops, expansionRetriever } = await expand([[nothing]], { queries: { queries: [QUERY, ` ${QUERY} `] } });
    expect(stops.at(-1)).toEqual(['propose_queries', 'no_queries']);
    expect(expansionRetriever.asked).toHaveLength(1);
    expect(parseQueries({ queries: ['a', 'a ', 'b'] }, QUERY)).toEqual(['a', 'b']);
    expect(parseQueries({ queries: ['a'] }, ' a ')).toEqual([]);
    for (const output of [null, undefined, 'a']) {
      expect(() => parseQueries(output, '')).toThrow(expect.objectContaining({ kind: 'malformed_output' }));
    }
    expect(parseQueries({ queries: ['x'.repeat(2000), 'b', 'c'] }, '')).toHaveLength(3);
  });

  it.each([
    ['max_steps', { budget: { maxSteps: 0 } }, [['expand_depth', 'max_steps']]],
    [
      'max_steps',
      { budget: { maxSteps: 1 } },
      [
        ['expand_depth', 'gap_remains'],
        ['propose_queries', 'max_steps'],
      ],
    ],
    [
      'max_model_calls',
      { modelCalls: 1 },
      [
        ['expand_depth', 'gap_remains'],
        ['propose_queries', 'max_model_calls'],
      ],
    ],
    ['max_wall_time_ms', { budget: { maxWallTimeMs: 0 } }, [['expand_depth', 'max_wall_time_ms']]],
  ])('stops at %s', async (_bound, over, expected) => {
    expect((await expand([[nothing], [nothing]], over)).stops).toEqual(expected);
  });

  it('says which provider was missing', async () => {
    const providers = { retriever: scriptRetriever(nothing) };
    const base = { query: QUERY, tenantId: 'tenant-a', policy: { allowRetrievalExpansion: true } };
    const without = await reason({ ...base, providers });
    expect(without.trace.steps.at(-1)).toMatchObject({ kind: 'expand_depth', stopReason: 'no_provider' });
    const expansionRetriever = scriptExpansion([nothing]);
    const half = await reason({ ...base, providers: { ...providers, expansionRetriever } });
    expect(half.trace.steps.at(-1)).toMatchObject({ kind: 'propose_queries', stopReason: 'no_provider' });
  });
});

describe('boundExpansionInput', () => {
  const item = (chunkId: string, text: string) => ({ chunkId, documentTitle: 'T', text });
  const count = (value: unknown): number =>
    typeof value === 'string'
      ? value.length
      : Object.values(value as object).reduce((sum: number, part) => sum + count(part), 0);

  it('shows at most five items', () => {
    const items = Array.from({ length: 9 }, (_, index) => item(`c${index}`, 'x'));
    expect(boundExpansionInput('q', 'r', [], items).items).toHaveLength(5);
  });

  it('holds at most 12,000 characters before serialization, whatever is long', () => {
    const long = 'x'.repeat(20_000);
    const slots = [{ name: 's', terms: [long, long] }];
    expect(count(boundExpansionInput(long, 'r', slots, [item('c', long)]))).toBe(12_000);
    expect(count(boundExpansionInput('q', 'r', slots, [item('c', long)]))).toBe(12_000);
    const bounded = boundExpansionInput('q', 'r', [], [item('c1', long), item('c2', long)]);
    expect(count(bounded)).toBe(12_000);
    expect(bounded.items.map(({ chunkId }) => chunkId)).toEqual(['c1']);
  });
});

describe('expandByRules', () => {
  const input = { query: 'Who owns the billing service?', gap: { reason: 'x', missingSlots: [] }, items: [] };

  it('asks with the content words', () => {
    expect(expandByRules(input)).toEqual({ queries: ['owns billing service'] });
  });

  it('asks for each missing slot first, and with the best item’s title', () => {
    const missingSlots = [{ name: 'owner', terms: ['responsible team'] }];
    const items = [{ chunkId: 'c', documentTitle: 'Services', text: '' }];
    expect(expandByRules({ ...input, gap: { reason: 'x', missingSlots }, items })).toEqual({
      queries: ['owns billing service responsible team', 'owns billing service', 'Services owns billing service'],
    });
  });

  it('stays within its bounds and gives no query that was asked', () => {
    const missingSlots = Array.from({ length: 9 }, (_, index) => ({ name: `s${index}`, terms: [`t${index}`] }));
    expect(expandByRules({ ...input, gap: { reason: 'x', missingSlots } }).queries).toHaveLength(3);
    expect(expandByRules({ ...input, query: 'Billing' }).queries).toEqual([]);
    expect(expandByRules({ ...input, query: 'x'.repeat(5000) }).queries.every((query) => query.length <= 2000)).toBe(
      true,
    );
    expect(createRuleBasedExpansionProvider().modelCalls).toBe(0);
  });
});
