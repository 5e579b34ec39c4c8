/** Cosines of an embedding model that stand for "about something else" and for "answers it". */
export interface MeaningScale {
  unrelated: number;
  answering: number;
}

/**
 * Medians of the best sentence's cosine, by whether the paragraph with the answer was among ten shown or its whole
 * article was missing (SQuAD 2.0, 300 questions each; sentences embedded with their title).
 */
const MEASURED_SCALES: Record<string, MeaningScale> = {
  'bge-small-en-v1.5-q': { unrelated: 0.56, answering: 0.76 },
  'all-minilm-l6-v2-q': { unrelated: 0.29, answering: 0.68 },
};

/** null for a model that hasn't been measured: its cosines order sentences, but only words decide whether one answers. */
export function findMeaningScale(model: string): MeaningScale | null {
  return Object.hasOwn(MEASURED_SCALES, model) ? (MEASURED_SCALES[model] ?? null) : null;
}

/** 0 for unrelated, 1 for answering; unmeasured models are stretched between their own worst and best candidate. */
export function toMeaningScores(cosines: readonly number[], scale: MeaningScale | null): number[] {
  const unrelated = scale?.unrelated ?? Math.min(...cosines);
  const answering = scale?.answering ?? Math.max(...cosines);
  const spread = Math.max(answering - unrelated, Number.EPSILON);
  return cosines.map((cosine) => (cosine - unrelated) / spread);
}
