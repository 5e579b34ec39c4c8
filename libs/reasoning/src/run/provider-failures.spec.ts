import { describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { run } from '../testing/run-scripted.js';
import {
  envelope,
  makeGraph,
  makeHit,
  makeProposal,
  makeTrusted,
  neverAnswer,
  scriptAnswers,
  scriptGraph,
  scriptProposals,
  scriptRetriever,
} from '../testing/scripted-ports.js';

const evidence = makeTrusted([makeHit('c1'), makeHit('c2')]);

/** What a provider can do wrong, and the kind that it gets. */
const OUTAGES = [
  ['provider_error', new Error('password=hunter2 at 10.0.0.7')],
  ['provider_error', new AppError('DEPENDENCY.DATABASE_UNAVAILABLE')],
  ['timeout', new AppError('DEADLINE.EXCEEDED')],
  ['timeout', neverAnswer],
  ['malformed_output', 'prose'],
  ['malformed_output', undefined],
] as const;

describe('provider failures', () => {
  it.each(OUTAGES)('retriever: %s abstains as a dependency that is unavailable', async (kind, output) => {
    const answerProvider = scriptAnswers(envelope('c1'));
    const response = await run(
      { providers: { retriever: scriptRetriever(output), answerProvider } },
      { retrieverDeadlineMs: 5 },
    );
    expect(response).toMatchObject({
      outcome: 'abstained',
      refusalReason: 'provider_failure',
      trustState: { state: 'degraded', failureCode: 'DEPENDENCY_UNAVAILABLE' },
      providerFailures: [{ provider: 'retriever', kind }],
      calibrationIdentity: null,
    });
    expect(answerProvider.prompts).toEqual([]);
    expect(JSON.stringify(response)).not.toContain('hunter2');
  });

  it.each(OUTAGES)('proposal provider: %s asks for review and calls no answer provider', async (kind, output) => {
    const answerProvider = scriptAnswers(envelope('c1'));
    const response = await run(
      {
        policy: { name: 'proposal_assisted' },
        budget: { maxWallTimeMs: 20 },
        providers: {
          retriever: scriptRetriever(evidence),
          graphProvider: scriptGraph(makeGraph(['c1', 'c2'])),
          proposalProvider: scriptProposals(output),
          answerProvider,
        },
      },
      { now: () => 0 },
    );
    expect(response).toMatchObject({
      outcome: 'needs_review',
      refusalReason: 'provider_failure',
      providerFailures: [{ provider: 'proposal_provider', kind }],
      proposals: [],
    });
    expect(response.trace.steps.at(-1)).toMatchObject({
      kind: 'propose',
      result: 'failed',
      stopReason: 'provider_failure',
    });
    expect(answerProvider.prompts).toEqual([]);
    expect(JSON.stringify(response)).not.toContain('hunter2');
  });

  it.each(OUTAGES)('graph provider: %s is treated as a proposal outage', async (kind, output) => {
    const answerProvider = scriptAnswers(envelope('c1'));
    const response = await run(
      {
        policy: { name: 'proposal_assisted' },
        budget: { maxWallTimeMs: 20 },
        providers: { retriever: scriptRetriever(evidence), graphProvider: scriptGraph(output), answerProvider },
      },
      { now: () => 0 },
    );
    expect(response).toMatchObject({
      outcome: 'needs_review',
      refusalReason: 'provider_failure',
      providerFailures: [{ provider: 'graph_provider', kind }],
    });
    expect(response.trace.steps.at(-1)).toMatchObject({
      kind: 'load_graph',
      result: 'failed',
      stopReason: 'provider_failure',
    });
    expect(answerProvider.prompts).toEqual([]);
  });

  it.each(OUTAGES)('answer provider: %s abstains with the evidence', async (kind, output) => {
    const response = await run(
      { providers: { retriever: scriptRetriever(evidence), answerProvider: scriptAnswers(output) } },
      { answerDeadlineMs: 5 },
    );
    expect(response).toMatchObject({
      outcome: 'abstained',
      refusalReason: 'provider_failure',
      trustState: { state: 'trusted' },
      evidence: { items: [{ chunkId: 'c1' }, { chunkId: 'c2' }] },
      providerFailures: [{ provider: 'answer_provider', kind }],
      diagnostics: { answerProviderInvoked: true },
    });
    expect(response.trace.steps.at(-1)).toMatchObject({
      kind: 'answer',
      result: 'failed',
      stopReason: 'provider_failure',
    });
  });

  it('a report that names failures of its own asks for review and keeps its proposals, not its text', async () => {
    const response = await run({
      policy: { name: 'proposal_assisted' },
      providers: {
        retriever: scriptRetriever(evidence),
        graphProvider: scriptGraph(makeGraph(['c1', 'c2'])),
        proposalProvider: scriptProposals({
          proposals: [makeProposal('c1', 'c2')],
          failures: [{ kind: 'wrong_cardinality', message: 'secret' }],
        }),
        answerProvider: scriptAnswers(envelope('c1')),
      },
    });
    expect(response).toMatchObject({
      outcome: 'needs_review',
      refusalReason: 'provider_failure',
      proposals: [{ proposalId: 'proposal-1' }],
      providerFailures: [{ provider: 'proposal_provider', kind: 'wrong_cardinality' }],
    });
    expect(JSON.stringify(response)).not.toContain('secret');
  });

  it('gives a provider its deadline and a signal that aborts at it', async () => {
    let aborted: unknown;
    const response = await run(
      {
        providers: {
          retriever: scriptRetriever(evidence),
          answerProvider: {
            name: 'slow',
            answer: (_prompt, { signal, deadlineMs }) =>
              new Promise((_resolve, reject) => {
                signal.addEventListener('abort', () => {
                  aborted = deadlineMs;
                  reject(new Error('stopped'));
                });
              }),
          },
        },
      },
      { answerDeadlineMs: 7 },
    );
    expect(aborted).toBe(7);
    expect(response.providerFailures).toMatchObject([{ kind: 'timeout', message: 'No answer within 7 ms.' }]);
  });

  it('rejects with the caller’s reason when the caller gives up, before and during a call', async () => {
    const providers = { retriever: scriptRetriever(evidence), answerProvider: scriptAnswers(envelope('c1')) };
    const reasonGiven = new AppError('DEADLINE.EXCEEDED');
    await expect(run({ signal: AbortSignal.abort(reasonGiven), providers })).rejects.toBe(reasonGiven);

    const controller = new AbortController();
    const leaving = scriptAnswers(() => {
      controller.abort();
      return neverAnswer();
    });
    const request = { signal: controller.signal, providers: { ...providers, answerProvider: leaving } };
    await expect(run(request)).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
  });

  describe('the deadline of the run', () => {
    /** Every port takes `tookMs`; tells what each was given. */
    async function runWithin(deadlineMs: number, tookMs: number) {
      let clock = 0;
      const given: Record<string, number> = {};
      const take = <Output>(name: string, deadline: number, output: Output): Output => {
        given[name] = deadline;
        clock += tookMs;
        return output;
      };
      const response = await run(
        {
          policy: { name: 'proposal_assisted' },
          budget: { maxWallTimeMs: 100_000 },
          providers: {
            retriever: { retrieve: async (_input, context) => take('retriever', context.deadlineMs, evidence) },
            graphProvider: {
              project: async (_input, context) => take('graph', context.deadlineMs, makeGraph(['c1', 'c2'])),
            },
            proposalProvider: {
              modelCalls: 0,
              propose: async (_input, context) => take('proposals', context.deadlineMs, []),
            },
            answerProvider: {
              name: 'slow',
              answer: async (_prompt, context) => take('answer', context.deadlineMs, envelope('c1')),
            },
          },
        },
        { now: () => clock, retrieverDeadlineMs: 400, answerDeadlineMs: 60_000, deadlineMs },
      );
      return { response, given };
    }

    it('leaves each port what the ones before it left, and no more than its own', async () => {
      const { response, given } = await runWithin(1_000, 240);
      expect(response.outcome).toBe('answered');
      expect(given).toEqual({ retriever: 400, graph: 760, proposals: 520, answer: 280 });
    });

    it('ends a run in band: what has no time left is a timeout, and isn’t called', async () => {
      const { response, given } = await runWithin(1_000, 333.5);
      expect(response).toMatchObject({
        outcome: 'abstained',
        refusalReason: 'provider_failure',
        providerFailures: [{ provider: 'answer_provider', kind: 'timeout' }],
      });
      expect(Object.keys(given)).toEqual(['retriever', 'graph', 'proposals']);
    });
  });
});
