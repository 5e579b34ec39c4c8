import type { PassedHit } from '../evidence/build-evidence-bundle.js';
import type { RetrievalPass } from '../evidence/evidence-bundle.js';
import type { TrustedResult } from '../trust/trusted-result.js';

export interface RetrievedPass {
  pass: RetrievalPass;
  result: TrustedResult;
}

/**
 * Hits of all passes, first pass first. A later pass may find confident what an earlier one found too weak; what was demoted
 * for any other reason stays demoted. A pass that abstained brings no item as long as another one didn't.
 */
export function mergePasses(passes: readonly RetrievedPass[]): { hits: PassedHit[]; abstained: boolean } {
  const abstained = passes.every(({ result }) => result.abstained);
  const all = passes.flatMap(({ pass, result }) =>
    result.hits
      .filter((hit) => abstained || !result.abstained || hit.verdict !== 'ok')
      .map((hit): PassedHit => ({ hit, pass })),
  );
  const confident = new Set(all.filter(({ hit }) => hit.verdict === 'ok').map(({ hit }) => hit.chunkId));
  const hits = all.filter(({ hit }) => hit.verdict !== 'low_confidence' || !confident.has(hit.chunkId));
  return { hits, abstained };
}
