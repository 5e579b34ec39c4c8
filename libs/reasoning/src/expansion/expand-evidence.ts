import type { EvidenceBundle } from '../evidence/evidence-bundle.js';
import { findMissingSlots } from '../evidence/find-missing-slots.js';
import type { StepStop } from '../planning/reasoning-trace.js';
import { callPort } from '../run/call-port.js';
import { assembleEvidence } from '../run/assemble-evidence.js';
import { firstLimit } from '../run/retrieve-evidence.js';
import type { RunState } from '../run/run-state.js';
import { boundExpansionInput } from './bound-expansion-input.js';
import type { RetrievalProposal } from './expansion.js';
import type { RetrievedPass } from './merge-passes.js';
import { parseExpansionResults, parseQueries } from './parse-expansion.js';

/** How much deeper the depth pass looks. */
const DEPTH_FACTOR = 3;
/** Of one run, also of one that starts once more. */
const MOST_ROUNDS = 2;
/** Gaps that more retrieval can close. */
const CLOSABLE = new Set(['retrieval_abstained', 'no_trusted_initial_evidence', 'answer_slot_gap']);

type Passes = [RetrievedPass, ...RetrievedPass[]];

export interface ExpandedEvidence {
  evidence: EvidenceBundle;
  /** At least one more round of retrieval was made. */
  expanded: boolean;
}

/**
 * Two more rounds of retrieval at most, for evidence with a gap: the same query deeper, and, when that didn't close the gap,
 * up to three queries of one provider call. Only hits that trusted retrieval calls `ok` count. A failure is recorded and
 * ends the expansion, not the run.
 */
export async function expandEvidence(
  run: RunState,
  first: RetrievedPass,
  evidence: EvidenceBundle,
): Promise<ExpandedEvidence> {
  if (!run.request.policy.allowRetrievalExpansion || !hasClosableGap(evidence)) return { evidence, expanded: false };
  const { query } = run.request;
  const passes: Passes = [first];
  const depth: RetrievalProposal = { kind: 'depth', query, limit: firstLimit(run) * DEPTH_FACTOR };
  const deeper = await retrieveRound(run, passes, 'expand_depth', [depth], evidence);
  if (!deeper.retrieved || !hasClosableGap(deeper.evidence)) {
    return { evidence: deeper.evidence, expanded: deeper.retrieved };
  }
  const queries = await proposeQueries(run, deeper.evidence);
  if (queries.length === 0) return { evidence: deeper.evidence, expanded: true };
  const proposals = queries.map((text): RetrievalProposal => ({ kind: 'query', query: text, limit: firstLimit(run) }));
  const wider = await retrieveRound(run, passes, 'expand_queries', proposals, deeper.evidence);
  return { evidence: wider.evidence, expanded: true };
}

function hasClosableGap(evidence: EvidenceBundle): boolean {
  return evidence.reasonCode !== null && CLOSABLE.has(evidence.reasonCode);
}

async function retrieveRound(
  run: RunState,
  passes: Passes,
  kind: 'expand_depth' | 'expand_queries',
  proposals: RetrievalProposal[],
  evidence: EvidenceBundle,
): Promise<{ retrieved: boolean; evidence: EvidenceBundle }> {
  const { recorder, request } = run;
  const { expansionRetriever } = request.providers;
  const startedAt = recorder.start();
  const first = passes[0].result;
  const spent = run.expansionRounds >= MOST_ROUNDS ? 'gap_remains' : recorder.findBound({ steps: 1 });
  const bound: StepStop | null = expansionRetriever === undefined ? 'no_provider' : spent;
  if (expansionRetriever === undefined || bound !== null) {
    recorder.record(kind, startedAt, { result: 'skipped', stopReason: bound });
    return { retrieved: false, evidence };
  }
  const { tenantId, generation, knownAsOf } = request;
  const retrieved = await callPort({
    provider: 'expansion_retriever',
    deadlineMs: run.within(recorder.planningTimeLeft),
    signal: request.signal,
    call: (context) =>
      expansionRetriever.retrieve({ tenantId, generation, knownAsOf, identity: first.identity, proposals }, context),
    parse: (output) => parseExpansionResults(output, proposals.length, first, knownAsOf),
  });
  run.retrievalRounds += 1;
  run.expansionRounds += 1;
  if (!retrieved.ok) {
    run.failures.push(retrieved.failure);
    recorder.record(kind, startedAt, { result: 'failed', stopReason: 'provider_failure', cost: { steps: 1 } });
    return { retrieved: false, evidence };
  }
  const pass = kind === 'expand_depth' ? 'depth' : 'expansion';
  for (const result of retrieved.output) {
    passes.push({ pass, result });
    run.stages.push(...result.stageTimes);
  }
  const count = retrieved.output.reduce((hits, result) => hits + result.hits.length, 0);
  const expanded = assembleEvidence(run, passes);
  recorder.record(kind, startedAt, {
    count,
    cost: { steps: 1, evidenceTokens: expanded.tokens },
    stopReason: hasClosableGap(expanded) ? 'gap_remains' : 'gap_closed',
  });
  return { retrieved: true, evidence: expanded };
}

async function proposeQueries(run: RunState, evidence: EvidenceBundle): Promise<string[]> {
  const { recorder, request } = run;
  const { expansionProvider } = request.providers;
  const startedAt = recorder.start();
  const modelCalls = expansionProvider?.modelCalls ?? 0;
  const spent = run.expansionProviderInvoked ? 'gap_remains' : recorder.findBound({ steps: 1, modelCalls });
  const bound = expansionProvider === undefined ? 'no_provider' : spent;
  if (expansionProvider === undefined || bound !== null) {
    recorder.record('propose_queries', startedAt, { result: 'skipped', stopReason: bound });
    return [];
  }
  run.expansionProviderInvoked = true;
  const missing = findMissingSlots(request.evidencePolicy.answerSlots, evidence.items);
  const input = boundExpansionInput(request.query, evidence.reasonCode ?? '', missing, evidence.items);
  const proposed = await callPort({
    provider: 'expansion_provider',
    deadlineMs: run.within(recorder.planningTimeLeft),
    signal: request.signal,
    call: (context) => expansionProvider.expand(input, context),
    parse: (output) => parseQueries(output, request.query),
  });
  const cost = { steps: 1, modelCalls };
  if (!proposed.ok) {
    run.failures.push(proposed.failure);
    recorder.record('propose_queries', startedAt, { result: 'failed', stopReason: 'provider_failure', cost });
    return [];
  }
  const count = proposed.output.length;
  recorder.record('propose_queries', startedAt, { count, cost, stopReason: count === 0 ? 'no_queries' : null });
  return proposed.output;
}
