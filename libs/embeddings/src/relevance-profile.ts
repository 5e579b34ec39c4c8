import type { EmbeddingProfile } from './embedder.port.js';

/** Constants of `judgeRelevance` (`@candor/reasoning/relevance`) for one model: cosines mean nothing across models. */
export interface RelevanceProfile {
  /** Cosine below which a passage alone isn't shown: about 5 % of the passages that hold the answer lie lower. */
  relevanceFloor: number;
  /** Best cosine at which a query passes whose words can't be judged, as in another language: about 5 % wrong refusals. */
  cosineGuard: number;
  /** What holding all of the query's words is worth, as an addition to the cosine. */
  wordWeight: number;
  /** Cosine and words of one passage, added, at which a query passes: about 4 % wrong refusals. */
  evidenceGuard: number;
  /** False = nothing was measured for this model: nothing is left out, and every query passes that finds something. */
  calibrated: boolean;
}

/**
 * From `tools/bench/calibrate-relevance.mjs` on SQuAD 2.0 (titles before the paragraphs), rounded down;
 * `docs/reference/relevance-floor.md` has the run. A new model or a new form of the embedded text needs a new run.
 */
const MEASURED: Readonly<Record<string, Omit<RelevanceProfile, 'calibrated'>>> = {
  'bge-small-en-v1.5-q': { relevanceFloor: 0.58, cosineGuard: 0.59, wordWeight: 0.3, evidenceGuard: 0.75 },
  'all-minilm-l6-v2-q': { relevanceFloor: 0.28, cosineGuard: 0.32, wordWeight: 0.5, evidenceGuard: 0.6 },
};

const UNMEASURED: RelevanceProfile = {
  relevanceFloor: 0,
  cosineGuard: 0,
  wordWeight: 0,
  evidenceGuard: 0,
  calibrated: false,
};

export function findRelevanceProfile(profile: Pick<EmbeddingProfile, 'model'>): RelevanceProfile {
  const measured = Object.hasOwn(MEASURED, profile.model) ? MEASURED[profile.model] : undefined;
  return measured ? { ...measured, calibrated: true } : UNMEASURED;
}
