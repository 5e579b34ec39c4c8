import { z } from 'zod';
import { calibrationIdentitySchema, certifiedCalibrationSchema } from '../calibration/calibration-identity.js';
import { finiteSchema, identifierSchema, instantSchema, millisecondsSchema } from '../schema/primitives.js';
import { certifiedIdentitySchema, generationIdentitySchema } from './generation-identity.js';
import { degradedStateSchema, trustedStateSchema } from './trust-state.js';
import { verdictSchema } from './verdict.js';

/** A passage with what is held of it. */
export const judgedHitSchema = z.strictObject({
  chunkId: identifierSchema,
  documentId: identifierSchema,
  documentTitle: z.string(),
  /** The passage as indexed. */
  text: z.string(),
  /** Cosine similarity to the query, or whatever the calibration was made with. */
  score: finiteSchema,
  verdict: verdictSchema,
  /** The source's own date: last update, else creation. */
  sourceDate: instantSchema.nullable(),
  validFrom: instantSchema.nullable(),
  validUntil: instantSchema.nullable(),
  version: z.number().int().positive().nullable(),
  /** SHA-256 of the item version's content. */
  contentHash: z.string().nullable(),
});
export type JudgedHit = z.infer<typeof judgedHitSchema>;

export const stageTimeSchema = z.strictObject({ stage: z.string().min(1).max(64), ms: millisecondsSchema });
export type StageTime = z.infer<typeof stageTimeSchema>;

const common = {
  query: z.string(),
  /** The transaction time that the search was held to. */
  knownAsOf: instantSchema.nullable(),
  /** Best first. */
  hits: z.array(judgedHitSchema).max(1000),
  /** Retrieval itself says that nothing relevant is there. */
  abstained: z.boolean(),
  stageTimes: z.array(stageTimeSchema).max(64),
};

/** Certified evidence needs a certified calibration and a named generation: anything else doesn't parse or compile. */
export const trustedResultSchema = z.union([
  z.strictObject({
    ...common,
    identity: certifiedIdentitySchema,
    trustState: trustedStateSchema,
    calibration: certifiedCalibrationSchema,
  }),
  z.strictObject({
    ...common,
    identity: generationIdentitySchema,
    trustState: degradedStateSchema,
    calibration: calibrationIdentitySchema,
  }),
]);

/** What a retriever gives back: hits, each with its verdict, and how far all of them can be trusted. */
export type TrustedResult = z.infer<typeof trustedResultSchema>;
