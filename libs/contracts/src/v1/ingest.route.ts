import { z } from 'zod';
import { collectionIdSchema, instantSchema, itemIdSchema, requestIdSchema, uuidSchema } from '../ids.js';
import { accessPolicySchema, providerSchema } from '../providers.js';
import { defineRoute } from './define-route.js';
import { idParams, pageOf, paginationQuery } from './pagination.js';

export const ITEM_STATES = [
  'accepted',
  'extracting',
  'indexing',
  'indexed',
  'skipped',
  'superseded',
  'failed',
  'deleting',
  'deleted',
] as const;
export const itemStateSchema = z.enum(ITEM_STATES);
export type ItemState = z.infer<typeof itemStateSchema>;

const nonBlank = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => value.trim().length > 0, 'must contain at least one non-whitespace character');

export const mimeTypeSchema = z.enum(['text/plain', 'text/markdown', 'text/html']);

export const ingestDocumentSchema = z
  .strictObject({
    provider: providerSchema,
    sourceKind: z.enum(['message', 'document', 'file']),
    /** The provider's own id; with tenant, provider and connectorId it identifies the item. */
    externalId: nonBlank(512),
    title: nonBlank(1000),
    body: nonBlank(10_000_000),
    mimeType: mimeTypeSchema.default('text/plain'),
    url: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(4000)
      .nullable()
      .optional(),
    authorName: z.string().max(500).nullable().optional(),
    sourceCreatedAt: instantSchema.nullable().optional(),
    sourceUpdatedAt: instantSchema.nullable().optional(),
    /** null = unknown; absent = now. */
    syncedAt: instantSchema.nullable().optional(),
    validFrom: instantSchema.nullable().optional(),
    validUntil: instantSchema.nullable().optional(),
    /** External ids of items of the same provider and connector that this one replaces. */
    supersedes: z.array(nonBlank(512)).max(100).optional(),
    collectionIds: z.array(collectionIdSchema).max(100).optional(),
    tags: z.array(nonBlank(100)).max(100).optional(),
    connectorId: uuidSchema.optional(),
    accessPolicy: accessPolicySchema.nullable().optional(),
    metadata: z.record(z.string(), z.json()).optional(),
  })
  .superRefine((document, context) => {
    if (document.accessPolicy && document.accessPolicy.provider !== document.provider)
      context.addIssue({
        code: 'custom',
        path: ['accessPolicy', 'provider'],
        message: 'must equal the document provider',
      });
    if (document.validFrom && document.validUntil && Date.parse(document.validFrom) >= Date.parse(document.validUntil))
      context.addIssue({ code: 'custom', path: ['validUntil'], message: 'must be later than validFrom' });
  })
  .meta({ id: 'IngestDocument' });
export type IngestDocument = z.infer<typeof ingestDocumentSchema>;

export const ingestBodySchema = z
  .strictObject({ documents: z.array(ingestDocumentSchema).min(1).max(500) })
  .meta({ id: 'IngestRequest' });
export type IngestBody = z.infer<typeof ingestBodySchema>;

export const ingestResponseSchema = z
  .strictObject({
    requestId: requestIdSchema,
    items: z.array(
      z.strictObject({
        externalId: z.string(),
        provider: providerSchema,
        sourceItemId: itemIdSchema,
        version: z.number().int().positive(),
        status: z.enum(['accepted', 'skipped']),
      }),
    ),
  })
  .meta({ id: 'IngestResponse' });
export type IngestResponse = z.infer<typeof ingestResponseSchema>;

const MEBIBYTE = 1024 * 1024;
export const ingestRoute = defineRoute({
  method: 'POST',
  path: '/v1/ingest',
  summary: 'Push documents',
  description:
    'Stores all documents of the call or none, and answers before they are searchable. ' +
    'One with a `connectorId` that a caller deleted is `skipped` and stays deleted; the answer names the deleted item. ' +
    'What a key sends under one `X-Request-Id` is one ingestion; under that of another key it is refused with 409. ' +
    'A key with principals gets 403 where a document names an item that it may not see, or a deleted one that it never pushed.',
  action: 'ingest',
  audit: 'ingest.request',
  body: ingestBodySchema,
  response: ingestResponseSchema,
  status: 202,
  idempotent: true,
  bodyLimitBytes: 20 * MEBIBYTE,
});

export const itemErrorSchema = z.strictObject({ type: z.string(), message: z.string() });

export const ingestionStatusSchema = z
  .strictObject({
    requestId: requestIdSchema,
    done: z.boolean(),
    counts: z.partialRecord(itemStateSchema, z.number().int()),
    items: z.array(
      z.strictObject({
        externalId: z.string(),
        sourceItemId: itemIdSchema,
        version: z.number().int(),
        status: itemStateSchema,
        /** Why it failed. */
        error: itemErrorSchema.optional(),
        /** Why an unfinished one waits, and when it is tried again. */
        waiting: itemErrorSchema.extend({ nextAttemptAt: z.iso.datetime().nullable() }).optional(),
      }),
    ),
    /** Seconds until done at the present rate; null while unknown, 0 when done. */
    etaSeconds: z.number().nonnegative().nullable(),
  })
  .meta({ id: 'IngestionStatus' });
export type IngestionStatus = z.infer<typeof ingestionStatusSchema>;

export const ingestionSummarySchema = ingestionStatusSchema
  .omit({ items: true })
  .extend({ createdAt: z.iso.datetime() })
  .meta({ id: 'IngestionSummary' });

export const ingestionsOverviewSchema = z
  .strictObject({
    /** Unfinished versions by state, over all requests and syncs. */
    counts: z.partialRecord(itemStateSchema, z.number().int()),
    /** Seconds that the oldest of them has been in its state; null when nothing is unfinished. */
    oldestSeconds: z.number().nonnegative().nullable(),
    /** Versions that became searchable in the last minute. */
    indexedLastMinute: z.number().int(),
    /** Of the unfinished ones those that wait for another attempt, by the reason, most first; `nextAttemptAt` is the earliest. */
    waiting: z.array(
      z.strictObject({ type: z.string(), count: z.number().int(), nextAttemptAt: z.iso.datetime().nullable() }),
    ),
    /** Deleted items whose content is not gone yet; no query finds them. */
    deleting: z.number().int(),
    /** Items whose changed metadata are not in the index yet. */
    refreshing: z.number().int(),
    /** Seconds until done at that rate; null while unknown, 0 when done. */
    etaSeconds: z.number().nonnegative().nullable(),
  })
  .meta({ id: 'IngestionsOverview' });
export type IngestionsOverview = z.infer<typeof ingestionsOverviewSchema>;

export const ingestionsRoute = defineRoute({
  method: 'GET',
  path: '/v1/ingestions',
  summary: 'Ingest requests, newest first, and what waits in which stage',
  action: 'ingest',
  audit: 'ingestion.read',
  query: z.strictObject(paginationQuery),
  response: pageOf(ingestionSummarySchema).extend({ meta: ingestionsOverviewSchema }),
  status: 200,
  rateLimited: false,
});

export const ingestionRoute = defineRoute({
  method: 'GET',
  path: '/v1/ingestions/:requestId',
  summary: 'Progress of an ingest request',
  action: 'ingest',
  audit: 'ingestion.read',
  params: z.strictObject({ requestId: requestIdSchema }),
  response: ingestionStatusSchema,
  status: 200,
  rateLimited: false,
});

export const deadLetterSchema = z
  .strictObject({
    id: z.guid(),
    requestId: requestIdSchema,
    job: z.string(),
    sourceItemId: itemIdSchema.nullable(),
    externalId: z.string().nullable(),
    version: z.number().int().nullable(),
    error: itemErrorSchema,
    createdAt: z.iso.datetime(),
    retriedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'DeadLetter' });
export type DeadLetter = z.infer<typeof deadLetterSchema>;

export const deadLettersRoute = defineRoute({
  method: 'GET',
  path: '/v1/dead-letters',
  summary: 'Work that ended in an error',
  action: 'ingest',
  audit: 'dead_letter.read',
  query: z.strictObject(paginationQuery),
  response: pageOf(deadLetterSchema),
  status: 200,
});

export const retryDeadLetterRoute = defineRoute({
  method: 'POST',
  path: '/v1/dead-letters/:id/retry',
  summary: 'Put a dead letter back to work',
  action: 'ingest',
  audit: 'dead_letter.retry',
  params: idParams,
  body: z.strictObject({}).optional(),
  response: z.strictObject({ data: deadLetterSchema }),
  status: 202,
  idempotent: true,
});
