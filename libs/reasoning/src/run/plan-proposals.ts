import { detectContradictions } from '../contradictions/detect-contradictions.js';
import { demoteItems } from '../evidence/demote-items.js';
import type { EvidenceBundle } from '../evidence/evidence-bundle.js';
import type { GraphProjection } from '../graph/graph-projection.js';
import { CorpusMovedError, parseGraph } from '../graph/parse-graph.js';
import { planEvidence } from '../planning/plan-evidence.js';
import { parseProposals, type ParsedProposals } from '../proposals/parse-proposals.js';
import { callPort } from './call-port.js';
import { abstain, askForReview } from './compose-response.js';
import type { GraphProvider } from './reasoning-ports.js';
import type { ReasoningResponse } from './reasoning-response.js';
import type { RunState } from './run-state.js';

export type PlannedEvidence =
  | { ok: true; evidence: EvidenceBundle }
  /** `corpusMoved`: evidence and graph are of two moments; a run over what the corpus is now may do better. */
  | { ok: false; response: ReasoningResponse; corpusMoved?: boolean };

/**
 * Graph, proposals and planning over evidence that has items. Whatever fails here ends the run before the answer provider:
 * an answer that skipped a check isn't given.
 */
export async function planProposals(
  run: RunState,
  evidence: EvidenceBundle,
  graphProvider: GraphProvider,
): Promise<PlannedEvidence> {
  noteContradictions(run, evidence);
  const graph = await loadGraph(run, evidence, graphProvider);
  if (!graph.ok) return graph;
  const proposed = await loadProposals(run, evidence, graph.value);
  if (!proposed.ok) return proposed;
  run.proposals = proposed.value;
  noteContradictions(run, evidence, graph.value);
  const { items } = evidence;
  const plan = planEvidence({ items, graph: graph.value, at: findMoment(run), recorder: run.recorder });
  run.gaps.push(...plan.gaps);
  if (plan.unread !== null) return { ok: false, response: abstain(run, evidence, 'budget_exhausted') };
  const planned = demoteItems(evidence, plan.demoted, run.request.evidencePolicy, run.limits.countTokens);
  if (plan.demoted.some(({ reason }) => reason === 'declared_ambiguous')) {
    return { ok: false, response: askForReview(run, planned, 'ambiguous_evidence') };
  }
  if (run.request.policy.requireHumanReviewOnProposals && run.proposals.length > 0) {
    return { ok: false, response: askForReview(run, planned, 'review_required_policy') };
  }
  return { ok: true, evidence: planned };
}

/** Milliseconds: validity is judged at the asked transaction time, else now. */
export function findMoment(run: RunState): number {
  return run.request.knownAsOf === null ? run.now() : Date.parse(run.request.knownAsOf);
}

/** Without a graph nothing is settled, and what is outdated isn't shown. */
export function noteContradictions(
  run: RunState,
  { items }: EvidenceBundle,
  graph: GraphProjection | null = null,
): void {
  const { outdated, proposals } = run;
  run.contradictions = detectContradictions({ items, outdated, graph, proposals, at: findMoment(run) });
}

type Loaded<Value> = { ok: true; value: Value } | { ok: false; response: ReasoningResponse; corpusMoved?: boolean };

async function loadGraph(
  run: RunState,
  evidence: EvidenceBundle,
  graphProvider: GraphProvider,
): Promise<Loaded<GraphProjection>> {
  const { recorder, request } = run;
  const startedAt = recorder.start();
  const bound = recorder.findBound({});
  if (bound !== null) {
    recorder.record('load_graph', startedAt, { result: 'skipped', stopReason: bound });
    return { ok: false, response: abstain(run, evidence, 'budget_exhausted') };
  }
  const { tenantId, knownAsOf } = request;
  const { identity } = evidence;
  const maxNodes = recorder.budget.maxGraphNodes;
  const projected = await callPort({
    provider: 'graph_provider',
    deadlineMs: run.within(recorder.planningTimeLeft),
    signal: request.signal,
    call: (context) =>
      graphProvider.project({ tenantId, identity, knownAsOf, evidence: evidence.items, maxNodes }, context),
    parse: (output) => parseGraph(output, request, identity),
  });
  if (!projected.ok) {
    run.failures.push(projected.failure);
    const corpusMoved = projected.refused instanceof CorpusMovedError;
    recorder.record('load_graph', startedAt, {
      result: 'failed',
      stopReason: corpusMoved ? 'corpus_moved' : 'provider_failure',
    });
    return { ok: false, response: askForReview(run, evidence, 'provider_failure'), corpusMoved };
  }
  const { nodes, cut } = projected.output;
  recorder.record('load_graph', startedAt, { count: nodes.length, stopReason: cut === null ? null : 'graph_cut' });
  return { ok: true, value: projected.output };
}

async function loadProposals(
  run: RunState,
  evidence: EvidenceBundle,
  graph: GraphProjection,
): Promise<Loaded<ParsedProposals['proposals']>> {
  const { recorder, request } = run;
  const { proposalProvider } = request.providers;
  const startedAt = recorder.start();
  if (proposalProvider === undefined) {
    recorder.record('propose', startedAt, { result: 'skipped', stopReason: 'no_provider' });
    return { ok: true, value: [] };
  }
  const { modelCalls } = proposalProvider;
  const bound = recorder.findBound({ modelCalls });
  if (bound !== null) {
    recorder.record('propose', startedAt, { result: 'skipped', stopReason: bound });
    return { ok: false, response: abstain(run, evidence, 'budget_exhausted') };
  }
  const { query, tenantId } = request;
  const proposed = await callPort({
    provider: 'proposal_provider',
    deadlineMs: run.within(recorder.planningTimeLeft),
    signal: request.signal,
    call: (context) => proposalProvider.propose({ query, tenantId, graph, evidence: evidence.items }, context),
    parse: (output) => parseProposals(output, graph, evidence.items),
  });
  const cost = { modelCalls };
  const reported = proposed.ok ? proposed.output.reported : [];
  if (!proposed.ok) run.failures.push(proposed.failure);
  for (const kind of reported) {
    run.failures.push({ provider: 'proposal_provider', kind, message: 'The provider reported a failure of its own.' });
  }
  if (!proposed.ok || reported.length > 0) {
    recorder.record('propose', startedAt, { result: 'failed', stopReason: 'provider_failure', cost });
    if (proposed.ok) run.proposals = proposed.output.proposals;
    return { ok: false, response: askForReview(run, evidence, 'provider_failure') };
  }
  recorder.record('propose', startedAt, { count: proposed.output.proposals.length, cost });
  return { ok: true, value: proposed.output.proposals };
}
