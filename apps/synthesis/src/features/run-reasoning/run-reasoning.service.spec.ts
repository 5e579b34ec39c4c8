import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  AppError,
  REASONING_POLICIES,
  RETRIEVAL_METHODS,
  runReasoningJob,
  runReasoningReplySchema,
  type ReasoningBody,
  type RetrievalClient,
  type RetrievalMethod,
  type RunReasoningPayload,
} from '@candor/contracts';
import { reasoningResponseFromJson } from '@candor/reasoning';
import { RunReasoningService } from './run-reasoning.service.js';

const NOW = Date.parse('2026-01-01T12:00:00.000Z');
const TENANT = '44444444-4444-4444-8444-444444444444';
const GENERATION = '99999999-9999-4999-8999-999999999999';
const DOCUMENT = '11111111-1111-4111-8111-111111111111';
const CHUNK = '33333333-3333-4333-8333-333333333333';

const payload = (request: Partial<ReasoningBody> = {}, over: Record<string, unknown> = {}): RunReasoningPayload =>
  runReasoningJob.payload.parse({
    tenantId: TENANT,
    requestId: '55555555-5555-4555-8555-555555555555',
    runId: '66666666-6666-4666-8666-666666666666',
    callerToken: 'signed-scope',
    replyTo: 'replies-1',
    deadline: new Date(NOW + 30_000).toISOString(),
    request: { query: ' What is the limit? ', ...request },
    ...over,
  });

const SERVED = { tenantId: TENANT, generationId: GENERATION, pipelineFingerprint: 'p', corpusFingerprint: 'c' };

const trusted = (query: string) => ({
  query,
  knownAsOf: null,
  hits: [
    {
      chunkId: CHUNK,
      documentId: DOCUMENT,
      documentTitle: 'Limits',
      text: 'The limit is 20 MiB.',
      score: 0.9,
      verdict: 'ok',
      sourceDate: null,
      validFrom: null,
      validUntil: null,
      version: 1,
      contentHash: 'hash',
    },
  ],
  abstained: false,
  stageTimes: [{ stage: 'search', ms: 3 }],
  identity: SERVED,
  trustState: { state: 'trusted', failureCode: null },
  calibration: { status: 'certified', calibrationId: 'cal', querySetDigest: 'q', threshold: 0.5 },
});

describe('RunReasoningService', () => {
  /** Every call, its request checked as the retrieval service checks it. */
  let calls: [method: string, request: unknown][];
  let fail: AppError | null;
  let output: () => Promise<object>;
  let service: RunReasoningService;
  let clock: number;
  /** Of each call of retrieval. */
  let tookMs: number;
  let graph: object;

  beforeEach(() => {
    calls = [];
    clock = NOW;
    tookMs = 0;
    graph = {
      documents: [],
      relations: [],
      cut: null,
      dismissedProposalIds: [],
      approvedProposalIds: [],
      identity: SERVED,
    };
    fail = null;
    output = async () => ({ answer: 'It is 20 MiB.', citations: [CHUNK], insufficient_evidence: false });
    const retrieval = {
      call: async (method: RetrievalMethod, _call: unknown, request: { query?: string }) => {
        calls.push([method, RETRIEVAL_METHODS[method].request.parse(request)]);
        if (fail) throw fail;
        clock += tookMs;
        const result = method === 'trustedSearch' ? trusted(request.query ?? '') : graph;
        return { result: RETRIEVAL_METHODS[method].reply.shape.result.parse(result), facts: { candidates: 1 } };
      },
    } as unknown as RetrievalClient;
    service = new RunReasoningService({
      retrieval,
      providerFor: () => ({ name: 'scripted', answer: () => output() }),
      now: () => clock,
    });
  });

  it('answers in the wire’s form, with facts that hold no text', async () => {
    const reply = runReasoningReplySchema.parse(await service.run(payload()));
    if (!reply.ok) throw new Error(reply.error.message);
    expect(reply.data).toMatchObject({
      outcome: 'answered',
      answer: 'It is 20 MiB.',
      citations: [{ chunk_id: CHUNK }],
    });
    expect(reasoningResponseFromJson(reply.data).outcome).toBe('answered');
    expect(calls).toEqual([['trustedSearch', { query: 'What is the limit?', knownAsOf: null, limit: 20 }]]);
    expect(reply.facts).toMatchObject({
      reasoningOutcome: 'answered',
      trust: 'trusted',
      calibrationId: 'cal',
      citedChunkIds: [CHUNK],
      retrieval: [{ search: { candidates: 1 } }],
    });
    expect(JSON.stringify(reply.facts)).not.toMatch(/MiB|limit\?/);
  });

  it('takes every option of the request over', async () => {
    await service.run(
      payload({
        known_as_of: '2025-01-01T00:00:00Z',
        policy: 'proposal_assisted',
        evidence_policy: { max_items: 3 },
        budget: { max_graph_nodes: 9, max_wall_time_ms: 5_000 },
      }),
    );
    expect(calls[0]).toEqual([
      'trustedSearch',
      expect.objectContaining({ knownAsOf: '2025-01-01T00:00:00Z', limit: 12 }),
    ]);
  });

  it.each(REASONING_POLICIES)(
    'abstains when another generation than the served one is asked for, under %s',
    async (name) => {
      const asked = (id: string) => service.run(payload({ policy: name, generation: { generation_id: id } }));
      for (const other of ['other-generation', '88888888-8888-4888-8888-888888888888'])
        expect(await asked(other)).toMatchObject({
          ok: true,
          data: {
            outcome: 'abstained',
            refusal_reason: 'uncertified_evidence',
            trust_state: { state: 'degraded', failure_code: 'LINEAGE_MISMATCH' },
          },
        });
      expect(await asked(GENERATION)).toMatchObject({ ok: true, data: { trust_state: { state: 'trusted' } } });
    },
  );

  it('reads the relations of the evidence for a policy that plans', async () => {
    const reply = await service.run(
      payload({ policy: { name: 'review_required' }, budget: { max_wall_time_ms: 5_000 } }),
    );
    expect(calls.map(([method]) => method)).toEqual(['trustedSearch', 'relationGraph']);
    expect(calls[1]?.[1]).toEqual({ itemIds: [DOCUMENT], knownAsOf: null, maxDocuments: 32 });
    expect(reply).toMatchObject({ ok: true, data: { outcome: 'answered', provider_failures: [] } });
  });

  it.each([
    ['generationId', '88888888-8888-4888-8888-888888888888'],
    ['tenantId', '77777777-7777-4777-8777-777777777777'],
    ['pipelineFingerprint', 'q'],
    ['corpusFingerprint', 'd'],
  ])('refuses relations that were read of another %s than the evidence', async (field, other) => {
    graph = { ...graph, identity: { ...SERVED, [field]: other } };
    expect(await service.run(payload({ policy: 'proposal_assisted' }))).toMatchObject({
      ok: true,
      data: {
        outcome: 'needs_review',
        refusal_reason: 'provider_failure',
        provider_failures: [
          { provider: 'graph_provider', kind: 'malformed_output', message: expect.stringContaining(field) },
        ],
      },
    });
    // A corpus that only grew in between is worth a second look.
    const twice = field === 'corpusFingerprint' ? 2 : 1;
    expect(calls.filter(([method]) => method === 'relationGraph')).toHaveLength(twice);
  });

  it('tells that relations were left out, and takes none for known', async () => {
    graph = { ...graph, cut: 'standing' };
    expect(await service.run(payload({ policy: 'proposal_assisted' }))).toMatchObject({
      ok: true,
      data: { refusal_reason: 'budget_exhausted', unsupported_gaps: [{ name: 'graph_cut' }] },
    });
  });

  it('tells in band what a slow retrieval left no time for', async () => {
    output = () => new Promise(() => undefined);
    tookMs = 27_990;
    expect(await service.run(payload())).toMatchObject({
      ok: true,
      data: {
        outcome: 'abstained',
        refusal_reason: 'provider_failure',
        provider_failures: [{ provider: 'answer_provider', kind: 'timeout', message: 'No answer within 10 ms.' }],
      },
    });
    tookMs = 28_000;
    clock = NOW;
    expect(await service.run(payload())).toMatchObject({
      ok: true,
      data: { provider_failures: [{ provider: 'answer_provider', kind: 'timeout' }] },
    });
  });

  it('asks nothing for a blank query', async () => {
    expect(await service.run(payload({ query: ' ' }))).toMatchObject({
      ok: true,
      data: { outcome: 'needs_clarification' },
    });
    expect(calls).toEqual([]);
  });

  it('tells of failing providers in band', async () => {
    output = async () => {
      throw new AppError('SYNTHESIS.PROVIDER_ERROR', { message: 'planted' });
    };
    const reply = await service.run(payload());
    expect(reply).toMatchObject({
      ok: true,
      data: {
        outcome: 'abstained',
        refusal_reason: 'provider_failure',
        provider_failures: [{ provider: 'answer_provider' }],
      },
    });
    expect(JSON.stringify(reply)).not.toContain('planted');
    fail = new AppError('DEPENDENCY.INDEX_UNAVAILABLE');
    expect(await service.run(payload())).toMatchObject({
      ok: true,
      data: { trust_state: { failure_code: 'DEPENDENCY_UNAVAILABLE' } },
    });
  });

  it('fails with the caller’s key, not in band', async () => {
    fail = new AppError('AUTH.INVALID_KEY');
    expect(await service.run(payload())).toMatchObject({ ok: false, error: { code: 'AUTH.INVALID_KEY' } });
    // The writer asks for the tenant's consent with the same key, which may be gone by then.
    fail = null;
    output = () => Promise.reject(new AppError('AUTH.INVALID_KEY'));
    expect(await service.run(payload())).toMatchObject({ ok: false, error: { code: 'AUTH.INVALID_KEY' } });
  });

  it('drops a job whose deadline has passed, and ends when the caller hangs up', async () => {
    const late = payload({}, { deadline: new Date(NOW).toISOString() });
    expect(await service.run(late)).toMatchObject({ ok: false, error: { code: 'JOB.DEADLINE_PASSED' } });
    expect(await service.run(payload(), AbortSignal.abort())).toMatchObject({
      ok: false,
      error: { code: 'REQUEST.CANCELLED' },
    });
    expect(calls).toEqual([]);
  });
});
