import { z } from 'zod';
import { chunkIdSchema, itemIdSchema } from '../ids.js';
import { accessPolicySchema, providerSchema } from '../providers.js';
import { defineRoute } from './define-route.js';
import { itemErrorSchema, itemStateSchema } from './ingest.route.js';
import { idParams } from './pagination.js';
import { freshnessSchema } from './search.route.js';

export const sourceItemSchema = z
  .strictObject({
    sourceItemId: itemIdSchema,
    externalId: z.string(),
    provider: providerSchema,
    sourceKind: z.enum(['message', 'document', 'file']),
    connectorId: z.string().nullable(),
    title: z.string(),
    url: z.string().nullable(),
    authorName: z.string().nullable(),
    sourceCreatedAt: z.string().nullable(),
    sourceUpdatedAt: z.string().nullable(),
    freshness: freshnessSchema.nullable(),
    validity: z.strictObject({ validFrom: z.string().nullable(), validUntil: z.string().nullable() }),
    tags: z.array(z.string()),
    accessPolicy: accessPolicySchema.nullable(),
    metadata: z.record(z.string(), z.json()),
    /** State of the newest version. */
    status: itemStateSchema,
    error: itemErrorSchema.nullable(),
    /** The searchable version; null until the first one is. */
    version: z.number().int().nullable(),
    versions: z.array(
      z.strictObject({
        version: z.number().int(),
        contentHash: z.string(),
        status: itemStateSchema,
        recordedAt: z.string(),
        supersededAt: z.string().nullable(),
      }),
    ),
    /** Chunks of the searchable version, in reading order. */
    chunkIds: z.array(chunkIdSchema),
  })
  .meta({ id: 'SourceItem' });
export type SourceItem = z.infer<typeof sourceItemSchema>;

export const sourceItemRoute = defineRoute({
  method: 'GET',
  path: '/v1/source-items/:id',
  summary: 'Read a source item',
  action: 'documents:read',
  audit: 'item.read',
  params: idParams,
  response: sourceItemSchema,
  status: 200,
});

export const deleteSourceItemRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/source-items/:id',
  summary: 'Delete a source item',
  description:
    'Idempotent. Hidden from the next query on; the audit event item.deleted certifies that its last chunk is gone. ' +
    'An item of a connected source stays deleted when its source names it again: the runs count it as `suppressed`. ' +
    'What was pushed without a source is a new item when it is pushed again.',
  action: 'documents:write',
  audit: 'item.delete',
  params: idParams,
  response: z.strictObject({ sourceItemId: itemIdSchema, status: z.enum(['deleting', 'deleted']) }),
  status: 202,
});
