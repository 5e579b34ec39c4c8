import { assembleBundle } from '../evidence/build-evidence-bundle.js';
import type { EvidenceBundle } from '../evidence/evidence-bundle.js';
import { mergePasses, type RetrievedPass } from '../expansion/merge-passes.js';
import type { RunState } from './run-state.js';

/** The bundle of all passes of retrieval so far, under the request's policy and budget. */
export function assembleEvidence(run: RunState, passes: readonly [RetrievedPass, ...RetrievedPass[]]): EvidenceBundle {
  const { identity, trustState } = passes[0].result;
  return assembleBundle({
    identity,
    trustState,
    ...mergePasses(passes),
    policy: run.request.evidencePolicy,
    limits: run.limits,
  });
}
