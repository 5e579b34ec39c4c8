import { z } from 'zod';
import { countSchema, identifierSchema, instantSchema, unitIntervalSchema } from '../schema/primitives.js';

/** Fewest scores of each kind. */
export const FEWEST_SCORES = 20;
/** Lower 95 % bound of the AUC from which a calibration is certified. */
export const CERTIFIED_AUC = 0.9;
/** Share of growth of the corpus, in items, up to which a calibration holds. */
export const DEFAULT_GROWTH_BOUND = 0.2;

export const calibrationSchema = z.strictObject({
  calibrationId: identifierSchema,
  /** Bound to these: with any other it isn't this calibration. */
  tenantId: identifierSchema,
  generationId: identifierSchema,
  pipelineFingerprint: identifierSchema,
  querySetDigest: identifierSchema,
  /** What the corpus was when the scores were made. */
  corpusFingerprint: identifierSchema,
  corpusSize: countSchema,
  /** Stale once the corpus has more than `corpusSize * (1 + growthBound)` items. */
  growthBound: z.number().nonnegative(),
  /** Midpoint of the two quantiles. */
  threshold: z.number(),
  /** 5 % quantile of the scores of answerable queries. */
  answerableQuantile: z.number(),
  /** 95 % quantile of the scores of unanswerable ones. */
  unanswerableQuantile: z.number(),
  answerableCount: countSchema,
  unanswerableCount: countSchema,
  auc: unitIntervalSchema,
  /** Hanley and McNeil, 95 %. */
  aucLowerBound: unitIntervalSchema,
  certified: z.boolean(),
  createdAt: instantSchema,
});
export type Calibration = z.infer<typeof calibrationSchema>;
