import { z } from 'zod';
import { finiteSchema, identifierSchema } from '../schema/primitives.js';

const present = {
  calibrationId: identifierSchema,
  /** SHA-256 of the labelled query set. */
  querySetDigest: identifierSchema,
  /** Score from which a hit counts as confident. */
  threshold: finiteSchema,
};

export const certifiedCalibrationSchema = z.strictObject({ status: z.literal('certified'), ...present });

/** Which calibration judged the scores, and whether it holds. */
export const calibrationIdentitySchema = z.discriminatedUnion('status', [
  certifiedCalibrationSchema,
  z.strictObject({ status: z.literal('uncertified'), ...present }),
  z.strictObject({ status: z.literal('stale'), ...present }),
  z.strictObject({
    status: z.literal('missing'),
    calibrationId: z.null(),
    querySetDigest: z.null(),
    threshold: z.null(),
  }),
]);
export type CalibrationIdentity = z.infer<typeof calibrationIdentitySchema>;

export const MISSING_CALIBRATION: CalibrationIdentity = {
  status: 'missing',
  calibrationId: null,
  querySetDigest: null,
  threshold: null,
};
export type CertifiedCalibration = z.infer<typeof certifiedCalibrationSchema>;
