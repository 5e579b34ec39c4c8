import { z } from 'zod';

/** Why evidence is not certified. */
export const TRUST_FAILURE_CODES = [
  'INDEX_NOT_READY',
  'LINEAGE_MISMATCH',
  'CALIBRATION_MISSING',
  'CALIBRATION_UNCERTIFIED',
  'CALIBRATION_STALE',
  'DEPENDENCY_UNAVAILABLE',
] as const;
export type TrustFailureCode = (typeof TRUST_FAILURE_CODES)[number];

export const trustedStateSchema = z.strictObject({ state: z.literal('trusted'), failureCode: z.null() });
export const degradedStateSchema = z.strictObject({
  state: z.literal('degraded'),
  failureCode: z.enum(TRUST_FAILURE_CODES),
});
export const trustStateSchema = z.discriminatedUnion('state', [trustedStateSchema, degradedStateSchema]);

/** Trusted, or degraded for exactly one stated reason. */
export type TrustState = z.infer<typeof trustStateSchema>;

export type TrustedState = z.infer<typeof trustedStateSchema>;
export type DegradedState = z.infer<typeof degradedStateSchema>;

export const TRUSTED: TrustedState = { state: 'trusted', failureCode: null };

export function degraded(failureCode: TrustFailureCode): DegradedState {
  return { state: 'degraded', failureCode };
}
