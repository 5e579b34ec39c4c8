import { describe, expect, it } from '@jest/globals';
import { reasoningResponseFromJson, reasoningResponseToJson } from '../serialization/reasoning-response-json.js';
import { TRUST_FAILURE_CODES } from '../trust/trust-state.js';
import { VERDICTS } from '../trust/verdict.js';
import { run } from '../testing/run-scripted.js';
import {
  IDENTITY,
  envelope,
  makeDegraded,
  makeGraph,
  makeHit,
  makeProposal,
  makeTrusted,
  scriptAnswers,
  scriptGraph,
  scriptProposals,
  scriptRetriever,
} from '../testing/scripted-ports.js';

/** Evidence, a graph of it and one proposal over it. */
function reviewable() {
  const answerProvider = scriptAnswers(envelope('c1'));
  return {
    answerProvider,
    providers: {
      retriever: scriptRetriever(makeTrusted([makeHit('c1'), makeHit('c2')])),
      graphProvider: scriptGraph(makeGraph(['c1', 'c2'])),
      proposalProvider: scriptProposals([makeProposal('c1', 'c2')]),
      answerProvider,
    },
  };
}

async function answered() {
  const { providers } = reviewable();
  return run({ policy: { name: 'proposal_assisted' }, providers });
}

async function answeredJson() {
  return JSON.parse(JSON.stringify(reasoningResponseToJson(await answered()))) as Record<string, unknown>;
}

/** Sets the value at a path of keys and indices. */
function setAt(json: Record<string, unknown>, path: string, value: unknown): Record<string, unknown> {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const parent = keys.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], json);
  (parent as Record<string, unknown>)[last] = value;
  return json;
}

describe('covered cases of seed 001', () => {
  it('covered case 1: a valid answer requires a trusted citation', async () => {
    const retriever = scriptRetriever(makeTrusted([makeHit('c1')]));
    const cited = await run({ providers: { retriever, answerProvider: scriptAnswers(envelope('c1')) } });
    expect(cited).toMatchObject({ outcome: 'answered', citations: [{ chunkId: 'c1', ordinal: 1 }] });

    const uncited = await run({ providers: { retriever, answerProvider: scriptAnswers(envelope()) } });
    expect(uncited).toMatchObject({
      outcome: 'abstained',
      answer: null,
      refusalReason: 'provider_failure',
      providerFailures: [{ provider: 'answer_provider', kind: 'malformed_output' }],
    });
  });

  it.each(VERDICTS.filter((verdict) => verdict !== 'ok'))(
    'covered case 2: demoted memories cannot be cited: %s',
    async (verdict) => {
      const retriever = scriptRetriever(makeTrusted([makeHit('c1'), makeHit('c2', { verdict })]));
      const answerProvider = scriptAnswers(envelope('c1', 'c2'));
      const response = await run({ providers: { retriever, answerProvider } });
      expect(response).toMatchObject({
        outcome: 'abstained',
        refusalReason: 'provider_failure',
        evidence: { items: [{ chunkId: 'c1' }], excluded: [{ chunkId: 'c2', reason: verdict }] },
        providerFailures: [{ message: expect.stringContaining('citations.1 is not an item of the trusted evidence') }],
      });
      expect(answerProvider.prompts[0]?.user).not.toContain('Text of c2');
    },
  );

  it('covered case 3: unretrieved memories cannot be cited', async () => {
    const retriever = scriptRetriever(makeTrusted([makeHit('c1')]));
    const response = await run({ providers: { retriever, answerProvider: scriptAnswers(envelope('c1', 'c9')) } });
    expect(response).toMatchObject({ outcome: 'abstained', refusalReason: 'provider_failure', citations: [] });
  });

  it('covered case 4: proposal ids cannot satisfy citation requirements', async () => {
    const { providers } = reviewable();
    const response = await run({
      policy: { name: 'proposal_assisted' },
      providers: { ...providers, answerProvider: scriptAnswers(envelope('proposal-1')) },
    });
    expect(response).toMatchObject({
      outcome: 'abstained',
      refusalReason: 'provider_failure',
      proposals: [{ proposalId: 'proposal-1' }],
    });
  });

  it.each([
    ['tenantId', { ...IDENTITY, tenantId: 'tenant-b' }],
    ['generationId', { ...IDENTITY, generationId: 'generation-2' }],
  ])('covered case 5: cross-tenant and cross-generation retrieval is refused: %s', async (_field, identity) => {
    const answerProvider = scriptAnswers(envelope('c1'));
    const response = await run({
      generation: { generationId: 'generation-1' },
      providers: { retriever: scriptRetriever(makeTrusted([makeHit('c1')], { identity })), answerProvider },
    });
    expect(response).toMatchObject({
      outcome: 'abstained',
      refusalReason: 'uncertified_evidence',
      trustState: { state: 'degraded', failureCode: 'LINEAGE_MISMATCH' },
      evidence: { items: [], excluded: [] },
      trace: { steps: [{ kind: 'retrieve', result: 'failed', stopReason: 'lineage_mismatch' }] },
    });
    expect(answerProvider.prompts).toEqual([]);
    expect(JSON.stringify(response)).not.toContain('tenant-b');
    expect(JSON.stringify(response)).not.toContain('c1');
  });

  it.each(TRUST_FAILURE_CODES)(
    'covered case 6: strict policy abstains on degraded trust state before generation: %s',
    async (failureCode) => {
      const answerProvider = scriptAnswers(envelope('c1'));
      const retriever = scriptRetriever(makeDegraded(failureCode, [makeHit('c1')]));
      const response = await run({ providers: { retriever, answerProvider } });
      expect(response).toMatchObject({
        outcome: 'abstained',
        refusalReason: 'uncertified_evidence',
        trustState: { state: 'degraded', failureCode },
        evidence: { items: [], excluded: [{ chunkId: 'c1', reason: 'uncertified' }] },
      });
      expect(answerProvider.prompts).toEqual([]);
      expect(JSON.stringify(response)).not.toContain('Text of c1');
      expect(JSON.stringify(response)).not.toContain('Title of c1');
    },
  );

  it('covered case 7: retrieval_only does not invoke the answer provider', async () => {
    const answerProvider = scriptAnswers(envelope('c1'));
    const retriever = scriptRetriever(makeTrusted([makeHit('c1')]));
    const response = await run({ policy: { name: 'retrieval_only' }, providers: { retriever, answerProvider } });
    expect(answerProvider.prompts).toEqual([]);
    expect(response).toMatchObject({
      outcome: 'abstained',
      refusalReason: 'retrieval_only_policy',
      evidence: { decision: 'answerable', items: [{ chunkId: 'c1', text: 'Text of c1.' }] },
      diagnostics: { answerProviderInvoked: false },
    });
  });

  it('covered case 8: review_required returns needs_review, not a generic failure', async () => {
    const { providers, answerProvider } = reviewable();
    const response = await run({ policy: { name: 'review_required' }, providers });
    expect(response).toMatchObject({
      outcome: 'needs_review',
      refusalReason: 'review_required_policy',
      proposals: [{ proposalId: 'proposal-1' }],
      providerFailures: [],
    });
    expect(answerProvider.prompts).toEqual([]);
  });

  it.each(['', '  \n\t'])(
    'covered case 9: an empty query returns needs_clarification before retrieval: %j',
    async (query) => {
      const retriever = scriptRetriever(makeTrusted([makeHit('c1')]));
      const response = await run({ query, providers: { retriever } });
      expect(retriever.asked).toEqual([]);
      expect(response).toMatchObject({
        outcome: 'needs_clarification',
        refusalReason: 'empty_query',
        clarificationRequest: expect.stringMatching(/\S/),
        evidence: null,
        trustState: null,
        calibrationIdentity: null,
      });
    },
  );

  it.each([
    ['prose', 'The answer is REST.'],
    ['an unknown key', { answer: 'REST', citations: ['c1'], insufficient_evidence: false, confidence: 1 }],
    ['a missing key', { answer: 'REST', citations: ['c1'] }],
    ['a number as citation', { answer: 'REST', citations: [1], insufficient_evidence: false }],
    ['a blank answer', { answer: ' ', citations: ['c1'], insufficient_evidence: false }],
    ['an answer of citation tokens', { answer: '[[c9]]', citations: ['c1'], insufficient_evidence: false }],
    ['nothing', undefined],
  ])('covered case 10: malformed answer provider output is rejected: %s', async (_what, output) => {
    const retriever = scriptRetriever(makeTrusted([makeHit('c1')]));
    const response = await run({ providers: { retriever, answerProvider: scriptAnswers(output) } });
    expect(response).toMatchObject({
      outcome: 'abstained',
      answer: null,
      refusalReason: 'provider_failure',
      providerFailures: [{ provider: 'answer_provider', kind: 'malformed_output' }],
    });
    expect(JSON.stringify(response)).not.toContain('REST');
  });

  it('covered case 11: a response is strict JSON and round trips', async () => {
    const response = await answered();
    const text = JSON.stringify(reasoningResponseToJson(response));
    expect(text).not.toMatch(/[a-z][A-Z][a-z]*":/);
    expect(reasoningResponseFromJson(text)).toEqual(response);
    expect(reasoningResponseFromJson(JSON.parse(text))).toEqual(response);
    expect(() =>
      reasoningResponseToJson({ ...response, diagnostics: { ...response.diagnostics, latencyMs: NaN } }),
    ).toThrow(
      expect.objectContaining({
        code: 'REQUEST.INVALID',
        details: expect.objectContaining({ field: 'diagnostics.latencyMs' }),
      }),
    );
  });

  it.each([
    ['missing', undefined],
    ['mismatched', { state: 'degraded', failure_code: 'CALIBRATION_STALE' }],
    ['unknown', { state: 'trusted', failure_code: 'CALIBRATION_STALE' }],
    ['null', null],
  ])('covered case 12: deserialization rejects a %s nested trust state', async (_what, trustState) => {
    const json = setAt(await answeredJson(), 'evidence.trust_state', trustState);
    expect(() => reasoningResponseFromJson(json)).toThrow(expect.objectContaining({ code: 'REQUEST.INVALID' }));
    // JSON has no undefined: the key itself is gone then.
    expect(() => reasoningResponseFromJson(JSON.stringify(json))).toThrow(
      expect.objectContaining({ code: 'REQUEST.INVALID' }),
    );
  });

  it.each(
    ['NaN', 'Infinity', '-Infinity', '0.5', NaN, Infinity, -Infinity].flatMap((value) =>
      [
        'diagnostics.latency_ms',
        'diagnostics.budget.max_wall_time_ms',
        'diagnostics.budget_used.steps',
        'diagnostics.retrieval_stages.0.ms',
        'trace.steps.0.cost.wall_time_ms',
        'evidence.items.0.score',
        'evidence.items.0.ordinal',
        'evidence.tokens',
        'calibration_identity.threshold',
        'proposals.0.confidence',
        'citations.0.ordinal',
      ].map((path) => [value, path] as const),
    ),
  )('covered case 13: deserialization rejects nonfinite numbers and numeric strings: %p at %s', async (value, path) => {
    const json = await answeredJson();
    expect(() => reasoningResponseFromJson(json)).not.toThrow();
    expect(() => reasoningResponseFromJson(setAt(json, path, value))).toThrow(
      expect.objectContaining({ code: 'REQUEST.INVALID' }),
    );
  });
});
