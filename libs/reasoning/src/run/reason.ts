import { assembleBundle } from '../evidence/build-evidence-bundle.js';
import type { EvidenceBundle } from '../evidence/evidence-bundle.js';
import type { TrustedResult } from '../trust/trusted-result.js';
import { answerFromEvidence } from './answer-from-evidence.js';
import { abstain, askForReview, clarify } from './compose-response.js';
import type { ReasoningRequest, ReasoningRuntime } from './reasoning-request.js';
import type { ReasoningResponse } from './reasoning-response.js';
import { retrieveEvidence } from './retrieve-evidence.js';
import { startRun, type RunState } from './run-state.js';

/**
 * One bounded, fail-closed run over the ports of a request (seed 001). Every provider's failure is in the response.
 * Rejects with REQUEST.INVALID for a request that breaks the contract, and with the signal's reason, else
 * REQUEST.CANCELLED, when the caller gives up.
 */
export async function reason(request: ReasoningRequest, runtime: ReasoningRuntime = {}): Promise<ReasoningResponse> {
  const run = await startRun(request, runtime);
  if (run.request.query.trim() === '') return clarify(run);

  const retrieved = await retrieveEvidence(run);
  if (!retrieved.ok) return retrieved.response;
  const evidence = assembleEvidence(run, retrieved.result);
  if (run.request.policy.name === 'retrieval_only') return abstain(run, evidence, 'retrieval_only_policy');
  if (evidence.decision === 'abstain') {
    return evidence.reasonCode === 'ambiguous_evidence'
      ? askForReview(run, evidence, 'ambiguous_evidence')
      : abstain(run, evidence, evidence.reasonCode);
  }
  return answerFromEvidence(run, evidence);
}

function assembleEvidence(run: RunState, result: TrustedResult): EvidenceBundle {
  const startedAt = run.recorder.start();
  const evidence = assembleBundle({
    identity: result.identity,
    trustState: result.trustState,
    abstained: result.abstained,
    hits: result.hits.map((hit) => ({ hit, pass: 'initial' })),
    policy: run.request.evidencePolicy,
    limits: run.limits,
  });
  run.recorder.record('assemble_evidence', startedAt, {
    count: evidence.items.length,
    cost: { evidenceTokens: evidence.tokens },
  });
  return evidence;
}
