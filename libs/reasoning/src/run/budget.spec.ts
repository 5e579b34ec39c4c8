import { describe, expect, it } from '@jest/globals';
import { run } from '../testing/run-scripted.js';
import {
  envelope,
  makeGraph,
  makeHit,
  makeProposal,
  makeTrusted,
  scriptAnswers,
  scriptGraph,
  scriptProposals,
  scriptRetriever,
} from '../testing/scripted-ports.js';
import { reason } from './reason.js';
import type { ReasoningRequest, ReasoningRuntime } from './reasoning-request.js';

const countTokens = (text: string): number => text.length;
const hits = [makeHit('c1'), makeHit('c2')];

async function plan(budget: ReasoningRequest['budget'], runtime: ReasoningRuntime = {}, modelCalls = 0) {
  const answerProvider = scriptAnswers(envelope('c1'));
  const proposalProvider = scriptProposals([makeProposal('c1', 'c2')], modelCalls);
  const response = await run(
    {
      policy: { name: 'proposal_assisted' },
      ...(budget === undefined ? {} : { budget }),
      providers: {
        retriever: scriptRetriever(makeTrusted(hits)),
        graphProvider: scriptGraph(makeGraph(['c1', 'c2'])),
        proposalProvider,
        answerProvider,
      },
    },
    { countTokens, now: () => 0, ...runtime },
  );
  return { response, answerProvider, proposalProvider };
}

describe('budget', () => {
  it.each([
    ['max_steps', { maxSteps: 1 }],
    ['max_graph_nodes', { maxGraphNodes: 1 }],
  ])('abstains with budget_exhausted when %s keeps the standing of an item unread', async (bound, budget) => {
    const { response, answerProvider } = await plan(budget);
    expect(response).toMatchObject({
      outcome: 'abstained',
      refusalReason: 'budget_exhausted',
      unsupportedGaps: [{ kind: 'unfinished_planning', name: bound }],
    });
    expect(response.trace.steps.at(-1)).toMatchObject({ kind: 'visit_node', result: 'skipped', stopReason: bound });
    expect(response.diagnostics.budgetUsed).toMatchObject({ steps: 1, graphNodes: 1 });
    expect(answerProvider.prompts).toEqual([]);
  });

  it('counts what was used and what each step cost', async () => {
    const { response } = await plan({});
    expect(response.outcome).toBe('answered');
    const tokens = 'Title of c1\nText of c1.'.length + 'Title of c2\nText of c2.'.length;
    expect(response.diagnostics.budgetUsed).toEqual({
      steps: 2,
      graphNodes: 2,
      modelCalls: 0,
      evidenceTokens: tokens,
      wallTimeMs: 0,
    });
    expect(response.trace.steps.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('never starts a proposal provider whose model calls are more than the budget, and fails closed', async () => {
    const refused = await plan({}, {}, 1);
    expect(refused.proposalProvider.asked).toEqual([]);
    expect(refused.response).toMatchObject({ outcome: 'abstained', refusalReason: 'budget_exhausted' });
    expect(refused.response.trace.steps.at(-1)).toMatchObject({ kind: 'propose', stopReason: 'max_model_calls' });
    expect(refused.answerProvider.prompts).toEqual([]);

    const allowed = await plan({ maxModelCalls: 1 }, {}, 1);
    expect(allowed.response.outcome).toBe('answered');
    expect(allowed.response.diagnostics.budgetUsed.modelCalls).toBe(1);
  });

  it('stops planning when its wall time is used up, whatever the answer provider takes', async () => {
    let time = 0;
    const { response } = await plan({ maxWallTimeMs: 5 }, { now: () => (time += 3) });
    expect(response).toMatchObject({ outcome: 'abstained', refusalReason: 'budget_exhausted' });
    expect(response.trace.steps.at(-1)).toMatchObject({ result: 'skipped', stopReason: 'max_wall_time_ms' });

    const without = await plan({ maxWallTimeMs: 0 });
    expect(without.response.trace.steps.at(-1)).toMatchObject({ kind: 'load_graph', stopReason: 'max_wall_time_ms' });
  });

  it('does not bound the answer provider by model calls or planning time', async () => {
    let time = 0;
    const response = await reason(
      {
        query: 'Which interface is required?',
        tenantId: 'tenant-a',
        budget: { maxModelCalls: 0, maxWallTimeMs: 0, maxSteps: 0, maxGraphNodes: 0 },
        providers: {
          retriever: scriptRetriever(makeTrusted(hits)),
          answerProvider: scriptAnswers(envelope('c1')),
        },
      },
      { countTokens, now: () => (time += 1000) },
    );
    expect(response.outcome).toBe('answered');
  });

  it('leaves out what does not fit the evidence tokens, and abstains when nothing fits', async () => {
    const one = 'Title of c1\nText of c1.'.length;
    const fitting = await plan({ maxEvidenceTokens: one });
    expect(fitting.response.evidence).toMatchObject({
      items: [{ chunkId: 'c1' }],
      excluded: [{ chunkId: 'c2', reason: 'token_budget' }],
      tokens: one,
    });
    const stops = fitting.response.trace.steps.map(({ kind, stopReason }) => `${kind} ${stopReason}`);
    expect(stops.slice(0, 2)).toEqual(['retrieve null', 'assemble_evidence max_evidence_tokens']);
    const weak = { ...makeHit('c2'), verdict: 'low_confidence' as const };
    const { trace } = await run({ providers: { retriever: scriptRetriever(makeTrusted([makeHit('c1'), weak])) } });
    expect(trace.steps[1]).toMatchObject({ kind: 'assemble_evidence', stopReason: null });
    const nothing = await plan({ maxEvidenceTokens: one - 1 });
    expect(nothing.response).toMatchObject({ outcome: 'abstained', refusalReason: 'budget_exhausted' });
  });
});
