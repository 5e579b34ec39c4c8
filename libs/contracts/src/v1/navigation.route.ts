import { z } from 'zod';
import { chunkIdSchema, collectionIdSchema, itemIdSchema, uuidSchema } from '../ids.js';
import { defineRoute } from './define-route.js';
import { querySchema } from './search.route.js';

export const levelSchema = z.enum(['document', 'section', 'paragraph']);
export type Level = z.infer<typeof levelSchema>;

export const passageSearchBodySchema = z
  .strictObject({
    query: querySchema,
    limit: z.number().int().min(1).max(50).default(10),
    /** A session never returns a chunk twice. */
    sessionId: uuidSchema.optional(),
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
  response: z.strictObject({ data: z.strictObject({ sessionId: z.guid() }) }),
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
        /** Whether `version` is the one that searches find; ids of older versions stay readable. */
        isLive: z.boolean(),
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

export const EXPAND_DIRECTIONS = ['up', 'down', 'next', 'previous', 'surrounding'] as const;
export type ExpandDirection = (typeof EXPAND_DIRECTIONS)[number];

/** Chunks that a direction gives when the caller says no count; `surrounding`: on each side. */
export const DEFAULT_EXPAND_COUNTS = {
  up: 1,
  down: 10,
  next: 1,
  previous: 1,
  surrounding: 1,
} as const satisfies Record<ExpandDirection, number>;

export const expandChunkBodySchema = z
  .strictObject({
    chunkId: chunkIdSchema,
    /**
     * `up`: what contains it, the nearest first. `down`: what it directly contains. `next`, `previous`: its neighbours on
     * the same level, across sections. `surrounding`: both, without the chunk itself. All but `up` in reading order.
     */
    direction: z.enum(EXPAND_DIRECTIONS),
    /** At most so many; of `surrounding`, on each side. Default 1; for `down` 10. */
    count: z.number().int().min(1).max(50).optional(),
  })
  .meta({ id: 'ExpandChunkRequest' });
export type ExpandChunkBody = z.infer<typeof expandChunkBodySchema>;

export const expandedChunkSchema = z
  .strictObject({
    /** The same as `chunkId`: seed 000's clients read either. */
    _id: chunkIdSchema,
    chunkId: chunkIdSchema,
    level: levelSchema,
    /** 0-based among the chunks of the item's version, in reading order. */
    chunkIndex: z.number().int().nonnegative(),
    documentTitle: z.string(),
    documentId: itemIdSchema,
    parentId: chunkIdSchema.nullable(),
    content: z.string(),
  })
  .meta({ id: 'ExpandedChunk' });
export type ExpandedChunk = z.infer<typeof expandedChunkSchema>;

export const expansionSchema = z.strictObject({ chunks: z.array(expandedChunkSchema) }).meta({ id: 'Expansion' });
export type Expansion = z.infer<typeof expansionSchema>;

export const expandChunkRoute = defineRoute({
  method: 'POST',
  path: '/v1/pd/expand',
  summary: 'Read around a passage (deep_expand)',
  description:
    'The chunks above, below or beside one, of the same version of the document. Where there is nothing, the list is empty.',
  action: 'search',
  audit: 'navigation.expand',
  body: expandChunkBodySchema,
  response: z.strictObject({ data: expansionSchema }),
  status: 200,
});
