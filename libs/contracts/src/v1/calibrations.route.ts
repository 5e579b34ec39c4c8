import { z } from 'zod';
import { generationIdSchema } from '../ids.js';
import { defineRoute } from './define-route.js';
import { pageOf, paginationQuery } from './pagination.js';

/** Fewest labelled queries of each kind (reasoning.md, Calibration). */
export const LEAST_CALIBRATION_QUERIES = 20;
/** Share of the allowed growth from which the alarm is raised. */
export const CALIBRATION_GROWTH_ALARM = 0.8;

/**
 * `certified`: answers may be trusted by it. `stale`: it was, and the corpus has grown past its bound, or the generation is
 * no longer the live one or built otherwise. `uncertified`: the scores don't tell answerable from unanswerable well enough.
 */
export const CALIBRATION_STATES = ['certified', 'stale', 'uncertified'] as const;
export type CalibrationState = (typeof CALIBRATION_STATES)[number];

const count = z.number().int().nonnegative();

export const calibrationSchema = z
  .strictObject({
    /** SHA-256 of what it says. */
    id: z.string(),
    state: z.enum(CALIBRATION_STATES),
    generationId: z.guid(),
    pipelineFingerprint: z.string(),
    /** SHA-256 of the labelled queries. */
    querySetDigest: z.string(),
    answerable: count,
    unanswerable: count,
    /** Least score of a hit that counts as evidence: midway between the 5 % quantile of answerable and the 95 % quantile of unanswerable queries. */
    threshold: z.number(),
    answerableQuantile: z.number(),
    unanswerableQuantile: z.number(),
    /** Area under the ROC curve. */
    auc: z.number(),
    /** Lower end of its 95 % interval (Hanley–McNeil); certified from 0.90. */
    aucLowerBound: z.number(),
    /** When it was made. */
    corpusFingerprint: z.string(),
    corpusSize: count,
    /** Share by which the corpus may grow until it is stale. */
    growthBound: z.number().nonnegative(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Calibration' });
export type Calibration = z.infer<typeof calibrationSchema>;

/** What holds for the live generation now, and how near the corpus is to outgrowing its calibration. */
export const calibrationStatusSchema = z
  .strictObject({
    state: z.enum([...CALIBRATION_STATES, 'missing']),
    calibrationId: z.string().nullable(),
    generationId: z.guid().nullable(),
    corpusSize: count,
    /** Items up to which the calibration holds. */
    corpusSizeBound: z.number().nonnegative().nullable(),
    /** Of the growth that it allows, how much is used up, 0 and up; an alarm from 0.8. */
    growth: z.number().nonnegative().nullable(),
    alarm: z.boolean(),
  })
  .meta({ id: 'CalibrationStatus' });
export type CalibrationStatus = z.infer<typeof calibrationStatusSchema>;

export const createCalibrationBodySchema = z
  .strictObject({
    /** Must be the live one; default: whichever is. */
    generationId: generationIdSchema.optional(),
    queries: z
      .array(z.strictObject({ query: z.string().trim().min(1).max(2000), answerable: z.boolean() }))
      .max(1000)
      .default([]),
    /** Share by which the corpus may grow until the calibration is stale. */
    growthBound: z.number().min(0).max(1).default(0.2),
    /** Adds the questions that feedback has labelled, as far as their text was kept. */
    includeFeedback: z.boolean().default(false),
  })
  .meta({ id: 'CreateCalibration' });
export type CreateCalibrationBody = z.infer<typeof createCalibrationBodySchema>;

export const listCalibrationsRoute = defineRoute({
  method: 'GET',
  path: '/v1/calibrations',
  summary: 'List calibrations, newest first, and what holds now',
  action: 'generations:manage',
  audit: 'calibration.read',
  query: z.strictObject(paginationQuery),
  response: pageOf(calibrationSchema).extend({ current: calibrationStatusSchema }),
  status: 200,
});

export const createCalibrationRoute = defineRoute({
  method: 'POST',
  path: '/v1/calibrations',
  summary: 'Calibrate the live generation with labelled queries',
  description: `Takes at least ${LEAST_CALIBRATION_QUERIES} answerable and ${LEAST_CALIBRATION_QUERIES} unanswerable queries, and runs each through retrieval as the caller. 409 when the generation is not the live one.`,
  action: 'generations:manage',
  audit: 'calibration.create',
  body: createCalibrationBodySchema,
  response: z.strictObject({ data: calibrationSchema }),
  status: 201,
  idempotent: true,
});
