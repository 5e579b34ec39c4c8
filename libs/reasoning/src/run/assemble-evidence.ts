import { assembleBundle } from '../evidence/build-evidence-bundle.js';
import type { EvidenceBundle } from '../evidence/evidence-bundle.js';
import { mergePasses, type RetrievedPass } from '../expansion/merge-passes.js';
import type { Verdict } from '../trust/verdict.js';
import type { RunState } from './run-state.js';

/** Verdicts of hits that say what held at another time. */
const OUTDATED: ReadonlySet<Verdict> = new Set(['superseded', 'expired', 'not_yet_valid']);

/** The bundle of all passes of retrieval so far, under the request's policy and budget. */
export function assembleEvidence(run: RunState, passes: readonly [RetrievedPass, ...RetrievedPass[]]): EvidenceBundle {
  const { identity, trustState } = passes[0].result;
  const merged = mergePasses(passes);
  const outdated = merged.hits.filter(({ hit }) => OUTDATED.has(hit.verdict));
  run.outdated = [...new Map(outdated.map(({ hit }) => [hit.chunkId, hit])).values()];
  return assembleBundle({
    identity,
    trustState,
    ...merged,
    policy: run.request.evidencePolicy,
    limits: run.limits,
  });
}
