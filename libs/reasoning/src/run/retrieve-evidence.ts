import { emptyBundle } from '../evidence/build-evidence-bundle.js';
import { unknownIdentity } from '../trust/generation-identity.js';
import { degraded } from '../trust/trust-state.js';
import type { TrustedResult } from '../trust/trusted-result.js';
import { callPort } from './call-port.js';
import { checkLineage } from './check-lineage.js';
import { abstain } from './compose-response.js';
import { parseRetrieval } from './parse-retrieval.js';
import type { ReasoningResponse } from './reasoning-response.js';
import type { RunState } from './run-state.js';

/** Hits asked for a place in the bundle: some are demoted. */
const HITS_PER_ITEM = 4;

export type RetrievedEvidence = { ok: true; result: TrustedResult } | { ok: false; response: ReasoningResponse };

/** The first round of retrieval, held to tenant, generation, fingerprints and certification before anything else sees it. */
export async function retrieveEvidence(run: RunState): Promise<RetrievedEvidence> {
  const { request, recorder } = run;
  const { query, tenantId, generation, knownAsOf, policy } = request;
  const unknown = unknownIdentity(tenantId);
  const startedAt = recorder.start();
  const retrieved = await callPort({
    provider: 'retriever',
    deadlineMs: run.within(run.retrieverDeadlineMs),
    signal: request.signal,
    call: (context) =>
      request.providers.retriever.retrieve({ query, tenantId, generation, knownAsOf, limit: firstLimit(run) }, context),
    parse: (output) => parseRetrieval(output, knownAsOf),
  });
  run.retrievalRounds += 1;
  if (!retrieved.ok) {
    recorder.record('retrieve', startedAt, { result: 'failed', stopReason: 'provider_failure' });
    run.failures.push(retrieved.failure);
    const evidence = emptyBundle(unknown, degraded('DEPENDENCY_UNAVAILABLE'), 'uncertified_evidence');
    return { ok: false, response: abstain(run, evidence, 'provider_failure') };
  }
  const result = retrieved.output;
  const { mismatched, unchecked } = checkLineage(request, result.identity);
  run.uncheckedIdentity = unchecked;
  if (mismatched.length > 0) {
    recorder.record('retrieve', startedAt, { result: 'failed', stopReason: 'lineage_mismatch' });
    // Another tenant's identity isn't told.
    const identity = mismatched.includes('tenantId') ? unknown : result.identity;
    const evidence = emptyBundle(identity, degraded('LINEAGE_MISMATCH'), 'uncertified_evidence');
    return { ok: false, response: abstain(run, evidence, 'uncertified_evidence') };
  }
  recorder.record('retrieve', startedAt, { count: result.hits.length });
  run.calibration = result.calibration;
  run.stages.push(...result.stageTimes);
  if (policy.requireCertifiedEvidence && result.trustState.state === 'degraded') {
    const excluded = result.hits.map(({ chunkId }) => ({ chunkId, reason: 'uncertified' as const }));
    const evidence = emptyBundle(result.identity, result.trustState, 'uncertified_evidence', excluded);
    return { ok: false, response: abstain(run, evidence, 'uncertified_evidence') };
  }
  return { ok: true, result };
}

export function firstLimit(run: RunState): number {
  return run.request.evidencePolicy.maxItems * HITS_PER_ITEM;
}
