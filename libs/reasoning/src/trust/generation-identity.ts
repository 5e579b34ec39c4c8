import { z } from 'zod';
import { identifierSchema } from '../schema/primitives.js';

/** Which corpus something was read from. Null: not said. */
export const generationIdentitySchema = z.strictObject({
  tenantId: identifierSchema,
  generationId: identifierSchema.nullable(),
  pipelineFingerprint: identifierSchema.nullable(),
  corpusFingerprint: identifierSchema.nullable(),
});
export type GenerationIdentity = z.infer<typeof generationIdentitySchema>;

/** Nothing is known of what was served but the tenant that asked. */
export function unknownIdentity(tenantId: string): GenerationIdentity {
  return { tenantId, generationId: null, pipelineFingerprint: null, corpusFingerprint: null };
}

/** What certified evidence must say: a calibration is bound to both. */
export const certifiedIdentitySchema = generationIdentitySchema.extend({
  generationId: identifierSchema,
  pipelineFingerprint: identifierSchema,
});

/** What the caller asks for; what is left out isn't checked. */
export const generationSelectionSchema = z.strictObject({
  generationId: identifierSchema.nullish(),
  pipelineFingerprint: identifierSchema.nullish(),
  corpusFingerprint: identifierSchema.nullish(),
});
export type GenerationSelection = z.infer<typeof generationSelectionSchema>;
