import type { EmbeddingProfile } from './embedder.port.js';

/** Cosines of a query and a passage; they mean nothing across models. */
export interface RelevanceProfile {
  /** A passage below it is not shown: about 5 % of the passages that hold the answer lie lower. */
  relevanceFloor: number;
  /** An unscoped question whose best passage lies below it is not reasoned about: about 5 % wrong refusals. */
  reasoningGuard: number;
  /** False = nothing was measured for this model, and the floor lets everything pass. */
  calibrated: boolean;
}

/**
 * From `tools/bench/calibrate-relevance.mjs` on SQuAD 2.0 (titles before the paragraphs), rounded down;
 * `docs/reference/relevance-floor.md` has the run. A new model or a new form of the embedded text needs a new run.
 */
const MEASURED: Readonly<Record<string, Omit<RelevanceProfile, 'calibrated'>>> = {
  'bge-small-en-v1.5-q': { relevanceFloor: 0.58, reasoningGuard: 0.59 },
  'all-minilm-l6-v2-q': { relevanceFloor: 0.28, reasoningGuard: 0.33 },
};

export function findRelevanceProfile(profile: Pick<EmbeddingProfile, 'model'>): RelevanceProfile {
  const measured = Object.hasOwn(MEASURED, profile.model) ? MEASURED[profile.model] : undefined;
  return measured ? { ...measured, calibrated: true } : { relevanceFloor: 0, reasoningGuard: 0, calibrated: false };
}
