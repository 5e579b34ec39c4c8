import { z } from 'zod';
import { chunkIdSchema, itemIdSchema } from '../ids.js';
import { defineRoute } from './define-route.js';
import { querySchema } from './search.route.js';
import { tagsFilterSchema } from './versions.js';

export const LIBRARY_KINDS = ['prompts', 'documents', 'collections'] as const;
export const libraryKindSchema = z.enum(LIBRARY_KINDS);
export type LibraryKind = z.infer<typeof libraryKindSchema>;

/**
 * `semantic`: the cosine of the query and the text, never below the relevance floor of the model (docs/reference/relevance-floor.md).
 * Literal: where the text stands, 1 in the title or name, 0.9 in the description, 0.8 in the body. Four decimals.
 */
const score = z.number().min(0).max(1);
/** Literal mode, where the title doesn't match: the text around the first match, cut at words, `…` where there is more. */
const highlight = z.string().optional();

export const foundPromptSchema = z
  .strictObject({ promptId: z.guid(), title: z.string(), description: z.string(), score, highlight })
  .meta({ id: 'FoundPrompt' });
export type FoundPrompt = z.infer<typeof foundPromptSchema>;

export const foundDocumentSchema = z
  .strictObject({
    documentId: itemIdSchema,
    title: z.string(),
    score,
    highlight,
    /** Where it was found, for deep_read and deep_expand; absent when the title alone matched. */
    chunkId: chunkIdSchema.optional(),
  })
  .meta({ id: 'FoundDocument' });
export type FoundDocument = z.infer<typeof foundDocumentSchema>;

export const foundCollectionSchema = z
  .strictObject({
    collectionId: z.guid(),
    name: z.string(),
    description: z.string().nullable(),
    /** How many of the best prompts and documents for this query (`limit` of each) are in it. */
    matchedItems: z.number().int().nonnegative(),
    /** Its own, or that of its best matched item if that is higher. */
    score,
    highlight,
  })
  .meta({ id: 'FoundCollection' });
export type FoundCollection = z.infer<typeof foundCollectionSchema>;

export const findItemsQuerySchema = z.strictObject({
  q: querySchema,
  type: z.enum([...LIBRARY_KINDS, 'all']).default('all'),
  /** `false`: the text as it is written, in any case, over title, description and body. */
  semantic: z
    .enum(['true', 'false'])
    .default('true')
    .transform((value) => value === 'true'),
  tags: tagsFilterSchema.optional(),
  /** Of each kind. */
  limit: z.coerce.number().int().min(1).max(50).default(10),
});
export type FindItemsQuery = z.infer<typeof findItemsQuerySchema>;

export const findItemsResultSchema = z.strictObject({
  prompts: z.array(foundPromptSchema),
  documents: z.array(foundDocumentSchema),
  collections: z.array(foundCollectionSchema),
});
export type FindItemsResult = z.infer<typeof findItemsResultSchema>;

export const findItemsResponseSchema = z
  .strictObject({
    data: findItemsResultSchema,
    meta: z.strictObject({
      semantic: z.boolean(),
      query: z.string(),
      /** Kinds that were left out because the key lacks their action; absent when none was. */
      notAllowed: z.array(libraryKindSchema).optional(),
    }),
  })
  .meta({ id: 'FindItemsResponse' });
export type FindItemsResponse = z.infer<typeof findItemsResponseSchema>;

export const findItemsRoute = defineRoute({
  method: 'GET',
  path: '/v1/search',
  summary: 'Find prompts, documents and collections (find_items)',
  description:
    'Best first. Prompts and collections are searched for keys that may use them (`prompts:*`, `collections:*`); asking for such a kind by name without the action is 403. A prompt or collection is found by meaning within seconds of a change, by its words at once. Literal mode also finds documents that others supersede. For passages use POST /v1/pd/search.',
  action: 'search',
  audit: 'library.search',
  query: findItemsQuerySchema,
  response: findItemsResponseSchema,
  status: 200,
});
