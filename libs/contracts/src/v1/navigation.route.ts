import { z } from 'zod';
import { chunkIdSchema, collectionIdSchema, itemIdSchema } from '../ids.js';
import { defineRoute } from './define-route.js';
import { querySchema } from './search.route.js';

export const levelSchema = z.enum(['document', 'section', 'paragraph']);
export type Level = z.infer<typeof levelSchema>;

export const passageSearchBodySchema = z
  .strictObject({
    query: querySchema,
    limit: z.number().int().min(1).max(50).default(10),
    /** A session never returns a chunk twice. */
    sessionId: z.uuid({ error: 'must be a UUID' }).optional(),
    collectionId: collectionIdSchema.optional(),
    documentId: itemIdSchema.optional(),
  })
  .meta({ id: 'PassageSearchRequest' });
export type PassageSearchBody = z.infer<typeof passageSearchBodySchema>;

export const passageSchema = z
  .strictObject({
    chunkId: chunkIdSchema,
    /** Cosine similarity, 0–1, four decimals; the order is that of the hybrid fusion. */
    score: z.number(),
    level: levelSchema,
    documentTitle: z.string(),
    documentId: itemIdSchema,
    content: z.string(),
    parentId: chunkIdSchema.nullable(),
    siblingIds: z.strictObject({ prev: chunkIdSchema.nullable(), next: chunkIdSchema.nullable() }),
  })
  .meta({ id: 'Passage' });
export type Passage = z.infer<typeof passageSchema>;

export const passageSearchRoute = defineRoute({
  method: 'POST',
  path: '/v1/pd/search',
  summary: 'Search passages (deep_search)',
  action: 'search',
  audit: 'navigation.search',
  body: passageSearchBodySchema,
  response: z.strictObject({
    data: z.strictObject({
      results: z.array(passageSchema),
      meta: z.strictObject({ query: z.string(), totalResults: z.number().int() }),
    }),
  }),
  status: 200,
});

export const passageSessionRoute = defineRoute({
  method: 'POST',
  path: '/v1/pd/session',
  summary: 'Start a passage search session',
  action: 'search',
  audit: 'navigation.search',
  body: z.strictObject({}).optional(),
  response: z.strictObject({ data: z.strictObject({ sessionId: z.uuid() }) }),
  status: 201,
  idempotent: true,
});

export const chunkReadingSchema = z
  .strictObject({
    chunkId: chunkIdSchema,
    /** Equals the item's normalized text from `startIndex` to `endIndex`. */
    content: z.string(),
    level: levelSchema,
    hierarchy: z.strictObject({
      documentTitle: z.string(),
      documentId: itemIdSchema,
      sectionPath: z.array(z.string()),
      position: z.strictObject({
        /** 0-based among the chunks of the item's version. */
        ordinal: z.number().int(),
        total: z.number().int(),
        parentId: chunkIdSchema.nullable(),
        prev: chunkIdSchema.nullable(),
        next: chunkIdSchema.nullable(),
        version: z.number().int(),
      }),
    }),
    metadata: z.strictObject({
      wordCount: z.number().int(),
      /** UTF-16 offsets into the normalized text. */
      startIndex: z.number().int(),
      endIndex: z.number().int(),
      headingText: z.string().nullable(),
    }),
  })
  .meta({ id: 'ChunkReading' });
export type ChunkReading = z.infer<typeof chunkReadingSchema>;

export const readChunkRoute = defineRoute({
  method: 'GET',
  path: '/v1/pd/read/:chunkId',
  summary: 'Read one passage (deep_read)',
  action: 'documents:read',
  audit: 'navigation.read',
  params: z.strictObject({ chunkId: chunkIdSchema }),
  response: z.strictObject({ data: chunkReadingSchema }),
  status: 200,
});
