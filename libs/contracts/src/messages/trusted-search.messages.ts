import { z } from 'zod';
import { generationIdSchema, instantSchema, itemIdSchema, tenantIdSchema } from '../ids.js';

export const trustedSearchRequestSchema = z.strictObject({
  query: z.string().trim().min(1).max(2000),
  knownAsOf: instantSchema.nullable(),
  /** Most hits. */
  limit: z.number().int().min(1).max(250),
});

/** A `TrustedResult` of the reasoning engine, which checks it strictly itself. */
export const trustedSearchResultSchema = z.record(z.string(), z.json());

export const relationGraphRequestSchema = z.strictObject({
  itemIds: z.array(itemIdSchema).max(250),
  knownAsOf: instantSchema.nullable(),
  maxDocuments: z.number().int().min(1).max(250),
});

const instant = z.iso.datetime().nullable();

/** What is declared or reviewed around some documents, as far as the caller may see it. */
export const relationGraphSchema = z.strictObject({
  documents: z.array(
    z.strictObject({
      documentId: itemIdSchema,
      title: z.string(),
      /** As its source words it, in lower case. */
      status: z.string().nullable(),
      validFrom: instant,
      validUntil: instant,
      sourceDate: instant,
    }),
  ),
  relations: z.array(
    z.strictObject({
      relationId: z.string(),
      kind: z.enum(['supersedes', 'conflicts_with', 'references', 'reply_of', 'same_thread']),
      fromDocumentId: itemIdSchema,
      toDocumentId: itemIdSchema,
      origin: z.enum(['declared', 'reviewed']),
      declaredAt: instant,
    }),
  ),
  /** What a bound left out: relations that say what replaced a document, or only others. Null: nothing. */
  cut: z.enum(['standing', 'surroundings']).nullable(),
  /** Findings about these documents that a person rejected. */
  dismissedProposalIds: z.array(z.guid()),
  /** … and those that a person approved. */
  approvedProposalIds: z.array(z.guid()),
  /** What was served when it was read; null while nothing is. */
  identity: z
    .strictObject({
      tenantId: tenantIdSchema,
      generationId: generationIdSchema,
      pipelineFingerprint: z.string(),
      corpusFingerprint: z.string(),
    })
    .nullable(),
});
export type RelationGraphMessage = z.infer<typeof relationGraphSchema>;
