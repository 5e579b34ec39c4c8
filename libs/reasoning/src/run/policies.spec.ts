import { describe, expect, it } from '@jest/globals';
import { buildEvidenceBundle } from '../evidence/build-evidence-bundle.js';
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
import { POLICY_NAMES, resolvePolicy } from './reasoning-policy.js';

describe('resolvePolicy', () => {
  it('requires certified evidence and allows nothing else by default', () => {
    expect(resolvePolicy({})).toEqual({
      name: 'evidence_assembly',
      requireCertifiedEvidence: true,
      allowProposalGuidedExpansion: false,
      allowRetrievalExpansion: false,
      requireHumanReviewOnProposals: false,
    });
  });

  it('sets the flags of the two proposal policies, whatever was given', () => {
    const off = { allowProposalGuidedExpansion: false, requireHumanReviewOnProposals: false };
    expect(resolvePolicy({ name: 'proposal_assisted', ...off })).toMatchObject({
      allowProposalGuidedExpansion: true,
      requireHumanReviewOnProposals: false,
    });
    expect(resolvePolicy({ name: 'review_required', ...off })).toMatchObject({
      allowProposalGuidedExpansion: true,
      requireHumanReviewOnProposals: true,
    });
  });
});

describe('policies', () => {
  it.each(POLICY_NAMES)('%s abstains with the original trust failure when certification fails', async (name) => {
    const retriever = scriptRetriever(makeDegraded('CALIBRATION_STALE', [makeHit('c1')]));
    const graphProvider = scriptGraph(makeGraph(['c1']));
    const response = await run({ policy: { name }, providers: { retriever, graphProvider } });
    expect(response).toMatchObject({
      outcome: 'abstained',
      refusalReason: 'uncertified_evidence',
      trustState: { failureCode: 'CALIBRATION_STALE' },
    });
    expect(graphProvider.asked).toEqual([]);
  });

  it('evidence_assembly abstains with no_answer_provider and the evidence when there is none', async () => {
    const response = await run({ providers: { retriever: scriptRetriever(makeTrusted([makeHit('c1')])) } });
    expect(response).toMatchObject({
      outcome: 'abstained',
      refusalReason: 'no_answer_provider',
      evidence: { items: [{ chunkId: 'c1' }] },
    });
    expect(response.trace.steps.at(-1)).toMatchObject({
      kind: 'answer',
      result: 'skipped',
      stopReason: 'no_provider',
      count: 0,
    });
  });

  it('shows the very bundle that buildEvidenceBundle makes', async () => {
    const trusted = makeTrusted([makeHit('c1'), makeHit('c2', { verdict: 'expired' }), makeHit('c3'), makeHit('c4')]);
    const evidencePolicy = { maxItems: 2, answerSlots: [{ name: 'last', terms: ['c4'] }] };
    const response = await run({
      policy: { name: 'retrieval_only' },
      evidencePolicy,
      providers: { retriever: scriptRetriever(trusted) },
    });
    const limits = { maxEvidenceTokens: 2048, countTokens: (text: string) => Math.ceil(text.length / 4) };
    expect(response.evidence).toEqual(buildEvidenceBundle(trusted, limits, evidencePolicy));
    expect(response.evidence?.items.map((item) => item.chunkId)).toEqual(['c1', 'c4']);
  });

  it('evidence_assembly never asks the graph', async () => {
    const graphProvider = scriptGraph(makeGraph(['c1']));
    const retriever = scriptRetriever(makeTrusted([makeHit('c1')]));
    const answerProvider = scriptAnswers(envelope('c1'));
    await run({ providers: { retriever, graphProvider, answerProvider } });
    expect(graphProvider.asked).toEqual([]);
  });

  it('proposal_assisted records proposals, plans and answers', async () => {
    const response = await run({
      policy: { name: 'proposal_assisted' },
      providers: {
        retriever: scriptRetriever(makeTrusted([makeHit('c1'), makeHit('c2')])),
        graphProvider: scriptGraph(makeGraph(['c1', 'c2'])),
        proposalProvider: scriptProposals([makeProposal('c1', 'c2')]),
        answerProvider: scriptAnswers(envelope('c2')),
      },
    });
    expect(response).toMatchObject({ outcome: 'answered', proposals: [{ proposalId: 'proposal-1' }] });
    expect(response.contradictions).toMatchObject([{ proposalId: 'proposal-1', settledBy: null }]);
    expect(response.trace.steps.slice(0, 2)).toMatchObject([{ count: 2 }, { count: 2 }]);
    expect(response.trace.steps.at(-1)).toMatchObject({ kind: 'answer', result: 'completed', count: 1 });
    expect(response.trace.steps.map(({ kind }) => kind)).toEqual([
      'retrieve',
      'assemble_evidence',
      'load_graph',
      'propose',
      'visit_node',
      'visit_node',
      'answer',
    ]);
  });

  it('proposal_assisted tells its providers whose evidence to look at, and plans over a slot gap too', async () => {
    const graphProvider = scriptGraph(makeGraph(['c1']));
    const proposalProvider = scriptProposals([]);
    const response = await run({
      policy: { name: 'proposal_assisted' },
      evidencePolicy: { answerSlots: [{ name: 'owner', terms: ['owner'] }] },
      providers: { retriever: scriptRetriever(makeTrusted([makeHit('c1')])), graphProvider, proposalProvider },
    });
    expect(response.refusalReason).toBe('answer_slot_gap');
    expect(graphProvider.asked).toMatchObject([
      { tenantId: 'tenant-a', identity: IDENTITY, knownAsOf: null, maxNodes: 32, evidence: [{ chunkId: 'c1' }] },
    ]);
    expect(proposalProvider.asked).toMatchObject([
      {
        query: 'Which interface is required?',
        tenantId: 'tenant-a',
        graph: { identity: IDENTITY },
        evidence: [{ chunkId: 'c1' }],
      },
    ]);
  });

  it('proposal_assisted goes on without a proposal provider, and says so', async () => {
    const response = await run({
      policy: { name: 'proposal_assisted' },
      providers: {
        retriever: scriptRetriever(makeTrusted([makeHit('c1')])),
        graphProvider: scriptGraph(makeGraph(['c1'])),
        answerProvider: scriptAnswers(envelope('c1')),
      },
    });
    expect(response).toMatchObject({ outcome: 'answered', proposals: [] });
    expect(response.trace.steps).toContainEqual(
      expect.objectContaining({ kind: 'propose', result: 'skipped', stopReason: 'no_provider' }),
    );
  });

  it.each(['retrieval_only', 'evidence_assembly'] as const)(
    '%s names contradictions, none of them settled',
    async (name) => {
      const hits = [
        makeHit('c1', { text: 'The rate limit of the API is 100 requests.' }),
        makeHit('c2', { text: 'The rate limit of the API is 120 requests.' }),
      ];
      const response = await run({
        policy: { name },
        providers: { retriever: scriptRetriever(makeTrusted(hits)), answerProvider: scriptAnswers(envelope('c1')) },
      });
      expect(response.contradictions).toMatchObject([
        { left: { chunkId: 'c1' }, right: { chunkId: 'c2' }, settledBy: null, proposalId: null },
      ]);
    },
  );

  it('a provider that finds the evidence insufficient leaves a gap', async () => {
    const answerProvider = scriptAnswers({ answer: '', citations: [], insufficient_evidence: true });
    const response = await run({
      providers: { retriever: scriptRetriever(makeTrusted([makeHit('c1')])), answerProvider },
    });
    expect(response).toMatchObject({
      refusalReason: 'provider_abstained',
      unsupportedGaps: [{ kind: 'no_evidence', name: null, detail: expect.stringContaining('insufficient') }],
    });
  });

  it('review_required answers when there is no proposal', async () => {
    const response = await run({
      policy: { name: 'review_required' },
      providers: {
        retriever: scriptRetriever(makeTrusted([makeHit('c1')])),
        graphProvider: scriptGraph(makeGraph(['c1'])),
        proposalProvider: scriptProposals([]),
        answerProvider: scriptAnswers(envelope('c1')),
      },
    });
    expect(response.outcome).toBe('answered');
  });

  it.each(['proposal_assisted', 'review_required'])('%s needs a graph provider', async (name) => {
    const retriever = scriptRetriever(makeTrusted([makeHit('c1')]));
    await expect(run({ policy: { name } as never, providers: { retriever } })).rejects.toMatchObject({
      code: 'REQUEST.INVALID',
      details: { field: 'providers.graphProvider' },
    });
    expect(retriever.asked).toEqual([]);
  });

  it('without certification required, uncalibrated evidence is answered from and called degraded', async () => {
    const response = await run({
      policy: { requireCertifiedEvidence: false },
      providers: {
        retriever: scriptRetriever(makeDegraded('CALIBRATION_MISSING', [makeHit('c1')])),
        answerProvider: scriptAnswers(envelope('c1')),
      },
    });
    expect(response).toMatchObject({
      outcome: 'answered',
      trustState: { state: 'degraded', failureCode: 'CALIBRATION_MISSING' },
      calibrationIdentity: { status: 'missing' },
    });
  });

  it.each([
    ['retrieval_abstained', makeTrusted([makeHit('c1', { verdict: 'low_confidence' })], { abstained: true })],
    ['no_trusted_initial_evidence', makeTrusted([makeHit('c1', { verdict: 'superseded' })])],
  ])('abstains with %s', async (refusalReason, retrieval) => {
    const answerProvider = scriptAnswers(envelope('c1'));
    const graphProvider = scriptGraph(makeGraph([]));
    for (const name of ['evidence_assembly', 'proposal_assisted'] as const) {
      const providers = { retriever: scriptRetriever(retrieval), answerProvider, graphProvider };
      const response = await run({ policy: { name }, providers });
      expect(response).toMatchObject({
        outcome: 'abstained',
        refusalReason,
        unsupportedGaps: [{ kind: 'no_evidence' }],
        trace: { stopReason: refusalReason },
      });
    }
    expect(answerProvider.prompts).toEqual([]);
    expect(graphProvider.asked).toEqual([]);
  });

  it('a retrieval that abstained has no item, even when it calls a hit ok', async () => {
    const retriever = scriptRetriever(makeTrusted([makeHit('c1')], { abstained: true }));
    const response = await run({ providers: { retriever, answerProvider: scriptAnswers(envelope('c1')) } });
    expect(response).toMatchObject({
      refusalReason: 'retrieval_abstained',
      evidence: { items: [], excluded: [{ chunkId: 'c1', reason: 'retrieval_abstained' }] },
    });
  });

  it('asks for review when only ambiguous evidence was found', async () => {
    const retriever = scriptRetriever(makeTrusted([makeHit('c1', { verdict: 'ambiguous_supersession' })]));
    const response = await run({ providers: { retriever, answerProvider: scriptAnswers(envelope('c1')) } });
    expect(response).toMatchObject({ outcome: 'needs_review', refusalReason: 'ambiguous_evidence' });
  });

  it('abstains with answer_slot_gap, naming the slot, and shows the evidence', async () => {
    const response = await run({
      evidencePolicy: { answerSlots: [{ name: 'owner', terms: ['owned by'] }] },
      providers: {
        retriever: scriptRetriever(makeTrusted([makeHit('c1')])),
        answerProvider: scriptAnswers(envelope('c1')),
      },
    });
    expect(response).toMatchObject({
      outcome: 'abstained',
      refusalReason: 'answer_slot_gap',
      evidence: { items: [{ chunkId: 'c1' }], missingSlots: ['owner'] },
      unsupportedGaps: [{ kind: 'answer_slot', name: 'owner' }],
    });
  });
});

describe('request', () => {
  const providers = { retriever: scriptRetriever(makeTrusted([makeHit('c1')])) };

  it.each([
    ['an unknown policy', { policy: { name: 'creative' } }, 'policy.name'],
    ['an unknown policy field', { policy: { name: 'retrieval_only', temperature: 1 } }, 'policy.temperature'],
    ['an unknown field', { limit: 3 }, 'limit'],
    ['a negative budget', { budget: { maxSteps: -1 } }, 'budget.maxSteps'],
    ['an infinite budget', { budget: { maxWallTimeMs: Infinity } }, 'budget.maxWallTimeMs'],
    ['a budget that is no number', { budget: { maxGraphNodes: NaN } }, 'budget.maxGraphNodes'],
    ['a fraction of a token', { budget: { maxEvidenceTokens: 1.5 } }, 'budget.maxEvidenceTokens'],
    ['negative model calls', { budget: { maxModelCalls: -1 } }, 'budget.maxModelCalls'],
    ['no items', { evidencePolicy: { maxItems: 0 } }, 'evidencePolicy.maxItems'],
    ['a transaction time that is none', { knownAsOf: 'yesterday' }, 'knownAsOf'],
    ['a blank tenant', { tenantId: '' }, 'tenantId'],
  ])('is refused with %s', async (_what, over, field) => {
    await expect(run({ ...(over as object), providers })).rejects.toMatchObject({
      code: 'REQUEST.INVALID',
      details: { field },
    });
    expect(providers.retriever.asked).toEqual([]);
  });

  it('has the seed’s defaults', async () => {
    const response = await run({ providers });
    expect(response.diagnostics.budget).toEqual({
      maxSteps: 12,
      maxGraphNodes: 32,
      maxModelCalls: 0,
      maxEvidenceTokens: 2048,
      maxWallTimeMs: 1000,
    });
  });

  it('passes the transaction time on to the retriever, and refuses a result that was not held to it', async () => {
    const knownAsOf = '2026-03-01T00:00:00Z';
    const held = scriptRetriever(makeTrusted([makeHit('c1')], { knownAsOf: '2026-03-01T01:00:00+01:00' }));
    expect((await run({ knownAsOf, providers: { retriever: held } })).refusalReason).toBe('no_answer_provider');
    expect(held.asked).toMatchObject([{ knownAsOf, tenantId: 'tenant-a' }]);

    for (const other of [null, '2026-03-02T00:00:00Z']) {
      const retriever = scriptRetriever(makeTrusted([makeHit('c1')], { knownAsOf: other }));
      expect(await run({ knownAsOf, providers: { retriever } })).toMatchObject({
        outcome: 'abstained',
        refusalReason: 'provider_failure',
        evidence: { items: [] },
        trace: { steps: [{ kind: 'retrieve', result: 'failed', stopReason: 'provider_failure' }] },
      });
    }
  });
});
