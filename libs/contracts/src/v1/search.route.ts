import { z } from 'zod';
import { collectionIdSchema, instantSchema, itemIdSchema } from '../ids.js';
import { accessPolicySchema, providerSchema } from '../providers.js';
import { defineRoute } from './define-route.js';

/** 1–2,000 characters after trimming; kept as sent (seed 002 answers with the raw query). */
export const querySchema = z.string().superRefine((value, context) => {
  const length = value.trim().length;
  if (length < 1) context.addIssue({ code: 'custom', message: 'must contain at least one non-whitespace character' });
  if (length > 2000) context.addIssue({ code: 'custom', message: 'must have at most 2000 characters after trimming' });
});

export const searchBodyFields = {
  query: querySchema,
  limit: z.number().int().min(1).max(25).default(8),
  /** Narrows the key's providers; never widens them. */
  providers: z.array(providerSchema).min(1).max(5).optional(),
  collectionId: collectionIdSchema.optional(),
  sourceItemId: itemIdSchema.optional(),
  updatedAfter: instantSchema.optional(),
  updatedBefore: instantSchema.optional(),
  /** What was known at this instant: versions recorded by then and not yet superseded. */
  knownAsOf: instantSchema.optional(),
  /** `similarity`: seed 002's order, by `score`. `fused`: order of the hybrid fusion. */
  ranking: z.enum(['similarity', 'fused']).default('similarity'),
};
export const searchBodySchema = z.strictObject(searchBodyFields).meta({ id: 'SearchRequest' });
export type SearchBody = z.infer<typeof searchBodySchema>;

export const freshnessSchema = z
  .strictObject({
    syncedAt: z.iso.datetime(),
    /** Hours since the sync, rounded to 0.1, never negative. */
    ageHours: z.number().nonnegative(),
  })
  .meta({ id: 'Freshness' });

/** One source item, its best chunk. Exactly seed 002's fields. */
export const hitSchema = z
  .strictObject({
    sourceItemId: itemIdSchema,
    title: z.string(),
    content: z.string(),
    url: z.string().nullable(),
    provider: providerSchema,
    /** Cosine similarity of the matching chunk and the query, 0–1, four decimals. */
    score: z.number().min(0).max(1),
    freshness: freshnessSchema.nullable(),
    accessPolicy: accessPolicySchema.nullable(),
  })
  .meta({ id: 'Hit' });
export type Hit = z.infer<typeof hitSchema>;

export const searchResponseSchema = z
  .strictObject({ query: z.string(), hits: z.array(hitSchema) })
  .meta({ id: 'SearchResponse' });
export type SearchResponse = z.infer<typeof searchResponseSchema>;

export const searchRoute = defineRoute({
  method: 'POST',
  path: '/v1/search',
  summary: 'Search',
  description: 'The same retrieval as /v1/context, without the envelope.',
  action: 'search',
  audit: 'search.query',
  body: searchBodySchema,
  response: searchResponseSchema,
  status: 200,
});
