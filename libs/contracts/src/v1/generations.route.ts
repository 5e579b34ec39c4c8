import { z } from 'zod';
import { defineRoute } from './define-route.js';
import { itemErrorSchema } from './ingest.route.js';
import { idParams, pageOf, paginationQuery } from './pagination.js';

/**
 * `building` until every item is in it, then `ready`; `live` is the one that answers; `previous` was live and is kept in
 * step for a roll-back; `retiring` waits for requests under way; `retired` and `failed` answer nothing any more.
 */
export const GENERATION_STATES = ['building', 'ready', 'live', 'previous', 'retiring', 'retired', 'failed'] as const;
export const generationStateSchema = z.enum(GENERATION_STATES);
export type GenerationState = z.infer<typeof generationStateSchema>;

const count = z.number().int().nonnegative();
const instant = z.iso.datetime();

export const generationSchema = z
  .strictObject({
    id: z.guid(),
    /** Part of the index's name; null until the build has opened its model. */
    name: z.string().nullable(),
    state: generationStateSchema,
    /** What it is built with; null for one that is older than this record, or whose build has not opened its model yet. */
    embedding: z
      .strictObject({
        provider: z.string(),
        model: z.string(),
        revision: z.string(),
        dimensions: count,
        maxTokens: count,
      })
      .nullable(),
    /** SHA-256 of its recipe: extractor, chunker, embedding model and index mapping. */
    pipelineFingerprint: z.string().nullable(),
    /** The recipe that the workers are configured with now; null before the first worker has started. */
    configuredFingerprint: z.string().nullable(),
    /** Parts of the recipe in which it differs from what the workers are configured with: build a new generation. */
    drift: z.array(z.enum(['extractor', 'chunker', 'embedding', 'mapping'])),
    /** SHA-256 of the multiset of (item, version, content hash) that it holds. */
    corpusFingerprint: z.string(),
    progress: z.strictObject({
      /** Items that it holds in their live version. */
      itemsDone: count,
      itemsTotal: count,
      /** Of a build under way, at its rate so far. */
      etaSeconds: count.nullable(),
    }),
    /** What the last comparison of the index with the database found and repaired; null before the first. */
    reconciliation: z.strictObject({ at: instant, missing: count, outdated: count, dangling: count }).nullable(),
    createdAt: instant,
    builtAt: instant.nullable(),
    promotedAt: instant.nullable(),
    retiredAt: instant.nullable(),
    error: itemErrorSchema.nullable(),
  })
  .meta({ id: 'Generation' });
export type Generation = z.infer<typeof generationSchema>;

export const createGenerationBodySchema = z
  .strictObject({
    /** As `EMBEDDINGS_MODEL`; default: what the workers are configured with. */
    model: z.string().trim().min(1).max(200).optional(),
  })
  .meta({ id: 'CreateGeneration' });
export type CreateGenerationBody = z.infer<typeof createGenerationBodySchema>;

const one = z.strictObject({ data: generationSchema });
const path = '/v1/generations';
const change = { method: 'POST', action: 'generations:manage', params: idParams, response: one, status: 202 } as const;

export const listGenerationsRoute = defineRoute({
  method: 'GET',
  path,
  summary: 'List generations of the index, newest first',
  action: 'generations:manage',
  audit: 'generation.read',
  query: z.strictObject(paginationQuery),
  response: pageOf(generationSchema),
  status: 200,
  rateLimited: false,
});
export const generationRoute = defineRoute({
  method: 'GET',
  path: `${path}/:id`,
  summary: 'Read a generation and the progress of its build',
  action: 'generations:manage',
  audit: 'generation.read',
  params: idParams,
  response: one,
  status: 200,
  rateLimited: false,
});
export const createGenerationRoute = defineRoute({
  method: 'POST',
  path,
  summary: 'Build a generation beside the live one',
  description: 'One build at a time: 409 while another one is building or waits to be promoted.',
  action: 'generations:manage',
  audit: 'generation.create',
  body: createGenerationBodySchema,
  response: one,
  status: 202,
  idempotent: true,
});
export const promoteGenerationRoute = defineRoute({
  ...change,
  path: `${path}/:id/promote`,
  summary: 'Make a generation the live one; the previous one: roll back',
  description:
    '409 and no change when it is empty, incomplete or its index mapping drifted. `state` is `live` once the swap is done; ' +
    'still another one when the checks take longer than the request may.',
  audit: 'generation.promote',
  idempotent: true,
});
export const retireGenerationRoute = defineRoute({
  ...change,
  path: `${path}/:id/retire`,
  summary: 'Give a generation up; its index is dropped once no request can be using it',
  description: 'Also cancels a build. The live generation cannot be retired: 409.',
  audit: 'generation.retire',
  idempotent: true,
});
export const reconcileGenerationRoute = defineRoute({
  ...change,
  path: `${path}/:id/reconcile`,
  summary: 'Compare the index of a generation with the database and repair it',
  description: 'Also runs by itself once a day for the live generation.',
  audit: 'generation.reconcile',
  idempotent: true,
});
