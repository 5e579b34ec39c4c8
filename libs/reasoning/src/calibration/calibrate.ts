import { AppError } from '@candor/contracts';
import { computeDigest } from '../compute-digest.js';
import { computeAuc, computeAucLowerBound } from './auc.js';
import { CERTIFIED_AUC, DEFAULT_GROWTH_BOUND, FEWEST_SCORES, type Calibration } from './calibration.js';
import { computeQuantile } from './quantile.js';

export interface LabelledScores {
  /** Best score of each query that the corpus answers. */
  answerable: readonly number[];
  /** Best score of each query that it doesn't. */
  unanswerable: readonly number[];
}

export interface CalibrationBinding {
  tenantId: string;
  generationId: string;
  pipelineFingerprint: string;
  querySetDigest: string;
  corpusFingerprint: string;
  /** Items. */
  corpusSize: number;
  growthBound?: number;
  createdAt: string;
}

/**
 * Threshold and certificate from labelled scores: midpoint of the 5 % quantile of answerable and the 95 % quantile of
 * unanswerable scores; certified when the lower 95 % bound of the AUC is at least 0.90.
 * Throws REQUEST.INVALID for fewer than 20 of a kind and for scores that aren't finite.
 */
export function calibrate(scores: LabelledScores, binding: CalibrationBinding): Calibration {
  for (const kind of ['answerable', 'unanswerable'] as const) checkScores(kind, scores[kind]);
  const { answerable, unanswerable } = scores;
  const answerableQuantile = computeQuantile(answerable, 0.05);
  const unanswerableQuantile = computeQuantile(unanswerable, 0.95);
  const auc = computeAuc(answerable, unanswerable);
  const aucLowerBound = computeAucLowerBound(auc, answerable.length, unanswerable.length);
  const facts = {
    ...binding,
    growthBound: binding.growthBound ?? DEFAULT_GROWTH_BOUND,
    threshold: (answerableQuantile + unanswerableQuantile) / 2,
    answerableQuantile,
    unanswerableQuantile,
    answerableCount: answerable.length,
    unanswerableCount: unanswerable.length,
    auc,
    aucLowerBound,
    certified: aucLowerBound >= CERTIFIED_AUC,
  };
  const { createdAt: _createdAt, ...identifying } = facts;
  return { calibrationId: computeDigest(JSON.stringify(Object.entries(identifying).sort(byKey))), ...facts };
}

function checkScores(field: string, scores: readonly number[]): void {
  const refuse = (rule: string): never => {
    throw new AppError('REQUEST.INVALID', { message: `${field} ${rule}`, details: { field, rule } });
  };
  if (scores.length < FEWEST_SCORES) refuse(`needs at least ${FEWEST_SCORES} scores`);
  if (!scores.every(Number.isFinite)) refuse('must hold finite scores only');
}

function byKey([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}
