import type { AbstainingBundle, EvidenceBundle } from '../evidence/evidence-bundle.js';
import { expandEvidence } from '../expansion/expand-evidence.js';
import { answerFromEvidence } from './answer-from-evidence.js';
import { assembleEvidence } from './assemble-evidence.js';
import { abstain, askForReview, clarify } from './compose-response.js';
import { noteContradictions, planProposals } from './plan-proposals.js';
import type { ReasoningRequest, ReasoningRuntime } from './reasoning-request.js';
import type { ReasoningResponse } from './reasoning-response.js';
import { retrieveEvidence } from './retrieve-evidence.js';
import { forgetFindings, startRun, type RunState } from './run-state.js';

/**
 * One bounded, fail-closed run over the ports of a request (seed 001): retrieve, certify, assemble, expand, plan, answer. Once
 * more from the start when the corpus changed between evidence and graph. Every provider's failure is in the response. Rejects with REQUEST.INVALID for a request that breaks the contract, and with
 * the signal's AppError, else REQUEST.CANCELLED, when the caller gives up.
 */
export async function reason(request: ReasoningRequest, runtime: ReasoningRuntime = {}): Promise<ReasoningResponse> {
  const run = await startRun(request, runtime);
  if (run.request.query.trim() === '') return clarify(run);
  const first = await attempt(run);
  if (!first.corpusMoved) return first.response;
  forgetFindings(run);
  return (await attempt(run)).response;
}

/** From retrieval to response. `corpusMoved`: something was ingested in between, so that the parts don't fit. */
interface Attempt {
  response: ReasoningResponse;
  corpusMoved: boolean;
}

async function attempt(run: RunState): Promise<Attempt> {
  const { policy, providers } = run.request;
  const settle = (response: ReasoningResponse, corpusMoved = false): Attempt => ({ response, corpusMoved });
  const retrieved = await retrieveEvidence(run);
  if (!retrieved.ok) return settle(retrieved.response);
  const first = { pass: 'initial', result: retrieved.result } as const;
  const startedAt = run.recorder.start();
  const assembled = assembleEvidence(run, [first]);
  run.recorder.record('assemble_evidence', startedAt, {
    count: assembled.items.length,
    cost: { evidenceTokens: assembled.tokens },
    stopReason: assembled.excluded.some(({ reason: left }) => left === 'token_budget') ? 'max_evidence_tokens' : null,
  });
  const { evidence, expanded } = await expandEvidence(run, first, assembled);

  if (policy.name === 'retrieval_only') {
    noteContradictions(run, evidence);
    return settle(abstain(run, evidence, 'retrieval_only_policy'));
  }
  // Declared relations are walked from evidence: without any there is nothing to plan.
  if (evidence.items.length === 0) return settle(await finish(run, evidence, expanded));
  const graphProvider = policy.allowProposalGuidedExpansion ? providers.graphProvider : undefined;
  if (graphProvider === undefined) {
    noteContradictions(run, evidence);
    return settle(await finish(run, evidence, expanded));
  }
  const planned = await planProposals(run, evidence, graphProvider);
  if (!planned.ok) return settle(planned.response, planned.corpusMoved);
  return settle(await finish(run, planned.evidence, expanded));
}

async function finish(run: RunState, evidence: EvidenceBundle, expanded: boolean): Promise<ReasoningResponse> {
  return evidence.decision === 'abstain' ? refuse(run, evidence, expanded) : answerFromEvidence(run, evidence);
}

function refuse(run: RunState, evidence: AbstainingBundle, expanded: boolean): ReasoningResponse {
  const { reasonCode } = evidence;
  if (reasonCode === 'ambiguous_evidence') return askForReview(run, evidence, reasonCode);
  const absent = reasonCode === 'retrieval_abstained' || reasonCode === 'no_trusted_initial_evidence';
  return abstain(run, evidence, expanded && absent ? 'corpus_gap' : reasonCode);
}
