import { z } from 'zod';
import { actorTypeSchema } from '../caller-scope.js';
import { apiKeyIdSchema, chunkIdSchema, requestIdSchema } from '../ids.js';
import { providerSchema } from '../providers.js';
import { defineRoute } from './define-route.js';
import { hitSchema, searchBodyFields } from './search.route.js';

export const contextBodySchema = z
  .strictObject({ ...searchBodyFields, contractVersion: z.enum(['1.0', '1.1']).default('1.0') })
  .meta({ id: 'ContextRequest' });
export type ContextBody = z.infer<typeof contextBodySchema>;

const contractHeader = {
  /** Match it against audit events. */
  requestId: requestIdSchema,
  endpoint: z.literal('/v1/context'),
  issuedAt: z.iso.datetime(),
  callerActorType: actorTypeSchema,
  callerApiKeyId: apiKeyIdSchema,
};
const queryEcho = z.strictObject({ raw: z.string(), limit: z.number().int() });
const citationSchema = z
  .strictObject({ index: z.number().int().positive(), sourceItemId: z.string(), title: z.string() })
  .meta({ id: 'ContextCitation' });

export const PROVIDER_SCOPE_REASON = 'The authenticating API key is not allowed to retrieve this provider.';
export const NO_RESULTS_REASON = 'The provider was allowed for this key, but no matching context was returned.';

const exclusion10Schema = z
  .strictObject({ type: z.enum(['provider_scope', 'no_results']), provider: providerSchema, reason: z.string() })
  .meta({ id: 'Exclusion' });
export type Exclusion10 = z.infer<typeof exclusion10Schema>;

export const limitationSchema = z
  .strictObject({
    code: z.enum(['no_context', 'provider_scope_applied', 'missing_sync_timestamp', 'missing_source_access_policy']),
    message: z.string(),
  })
  .meta({ id: 'Limitation' });
export type Limitation = z.infer<typeof limitationSchema>;

/** Contract 1.0: exactly seed 002's shape, no field more or less. */
export const contextContract10Schema = z
  .strictObject({
    contract: z.strictObject({ version: z.literal('1.0'), ...contractHeader }),
    query: queryEcho,
    hits: z.array(hitSchema),
    citations: z.array(citationSchema),
    exclusions: z.array(exclusion10Schema),
    limitations: z.array(limitationSchema),
  })
  .meta({ id: 'ContextContract10' });
export type ContextContract10 = z.infer<typeof contextContract10Schema>;

export const validityStateSchema = z.enum(['valid', 'not_yet_valid', 'expired']);
export type ValidityState = z.infer<typeof validityStateSchema>;

export const hit11Schema = hitSchema
  .extend({
    chunkId: chunkIdSchema,
    version: z.number().int().positive(),
    /** SHA-256 (hex) of the item version's content. */
    contentHash: z.string(),
    /** Raw leg scores and the fused one; a leg that did not find the chunk is null. */
    ranking: z.strictObject({ dense: z.number().nullable(), lexical: z.number().nullable(), fused: z.number() }),
    /** As the source declared it; `validUntil` is the first instant at which it no longer holds. */
    validity: z.strictObject({
      validFrom: z.string().nullable(),
      validUntil: z.string().nullable(),
      /** At `knownAsOf`, else now. Nothing is left out for it: that is for the reader to weigh. */
      state: validityStateSchema,
    }),
  })
  .meta({ id: 'Hit11' });
export type Hit11 = z.infer<typeof hit11Schema>;

export const EXCLUSION_11_TYPES = [
  'provider_scope',
  'no_results',
  'relevance_floor',
  'superseded',
  'not_yet_known',
  'access_unknown',
  'source_stale',
  'source_error',
  'duplicate',
] as const;
const exclusion11Schema = z
  .strictObject({
    type: z.enum(EXCLUSION_11_TYPES),
    provider: providerSchema.nullable(),
    reason: z.string(),
    /** How many items, of `source_stale` and of failed syncs how many sources; null where a count would leak something. */
    count: z.number().int().positive().nullable(),
  })
  .meta({ id: 'Exclusion11' });
export type Exclusion11 = z.infer<typeof exclusion11Schema>;

/** Contract 1.1, by request only: everything 1.0 says, and what else was left out. */
export const contextContract11Schema = z
  .strictObject({
    contract: z.strictObject({ version: z.literal('1.1'), ...contractHeader }),
    query: queryEcho,
    hits: z.array(hit11Schema),
    citations: z.array(citationSchema),
    exclusions: z.array(exclusion11Schema),
    limitations: z.array(limitationSchema),
    retrieval: z.strictObject({
      strategy: z.string(),
      generationId: z.string().nullable(),
      pipelineFingerprint: z.string(),
      corpusFingerprint: z.string(),
      /** Distinct chunks considered before the floor and the page. */
      candidates: z.number().int().nonnegative(),
      tookMs: z.number().nonnegative(),
      /** Whether the dense leg compared every permitted vector. */
      exact: z.boolean(),
    }),
  })
  .meta({ id: 'ContextContract11' });
export type ContextContract11 = z.infer<typeof contextContract11Schema>;

export const contextContractSchema = z.union([contextContract10Schema, contextContract11Schema]);
export type ContextContract = z.infer<typeof contextContractSchema>;

export const contextRoute = defineRoute({
  method: 'POST',
  path: '/v1/context',
  summary: 'Retrieve with a Context Contract',
  description: 'Says what was found, what was left out and why.',
  action: 'context',
  audit: 'context.retrieve',
  body: contextBodySchema,
  response: contextContractSchema,
  status: 200,
});
