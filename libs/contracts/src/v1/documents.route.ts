import { z } from 'zod';
import { collectionIdSchema, instantSchema, itemIdSchema, requestIdSchema } from '../ids.js';
import { accessPolicySchema, providerSchema } from '../providers.js';
import { defineRoute } from './define-route.js';
import { itemErrorSchema, mimeTypeSchema } from './ingest.route.js';
import { idParams, pageOf, paginationQuery } from './pagination.js';
import {
  changeLogSchema,
  restoreBodySchema,
  restoredSchema,
  tagsFilterSchema,
  tagsSchema,
  versionSchema,
} from './versions.js';

/** `pending` until it can be found; `failed` when its newest content could not be taken in. */
export const documentStatusSchema = z.enum(['pending', 'ready', 'failed']);
export type DocumentStatus = z.infer<typeof documentStatusSchema>;

const documentFields = {
  id: itemIdSchema,
  title: z.string(),
  status: documentStatusSchema,
  error: itemErrorSchema.nullable(),
  /** Where it comes from. */
  sourceType: providerSchema,
  externalId: z.string(),
  url: z.string().nullable(),
  authorName: z.string().nullable(),
  tags: z.array(z.string()),
  /** Of the newest content. */
  version: z.number().int(),
  /** The same, as prompts name it. */
  currentVersion: z.number().int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
};

/** Of a document that came as a file. */
export const documentFileSchema = z.strictObject({
  name: z.string(),
  mediaType: z.string(),
  byteSize: z.number().int(),
  sha256: z.string(),
  /** What was left out or guessed when it was read, for people. */
  warnings: z.array(z.string()),
});

export const documentSummarySchema = z.strictObject(documentFields).meta({ id: 'DocumentSummary' });
export type DocumentSummary = z.infer<typeof documentSummarySchema>;

export const documentSchema = z
  .strictObject({
    ...documentFields,
    /**
     * The newest content as text: what was read in it, or until then what was sent, if that is text as it stands. While
     * it can't be had the searchable text; null when there is none either.
     */
    content: z.string().nullable(),
    file: documentFileSchema.nullable(),
  })
  .meta({ id: 'Document' });
export type Document = z.infer<typeof documentSchema>;

const nonBlank = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => value.trim().length > 0, 'must contain at least one non-whitespace character');

/** What a multipart upload leaves in the body for its `file`; the bytes travel beside it. */
export const uploadedFileSchema = z.strictObject({
  name: z.string().min(1).max(255),
  mediaType: z.string().max(255),
  byteSize: z.number().int().nonnegative(),
  sha256: z.string(),
});
export type UploadedFile = z.infer<typeof uploadedFileSchema>;

/** With parameters or without. */
const MEDIA_TYPE = /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+(?: *;[ -~]*)?$/;

export const createDocumentBodySchema = z
  .strictObject({
    /** Default for a file: its own title, else its name. */
    title: nonBlank(1000).optional(),
    content: nonBlank(10_000_000).optional(),
    mimeType: z
      .string()
      .max(255)
      .regex(MEDIA_TYPE, 'must be a media type, such as text/markdown')
      .meta({
        description: `Of \`content\`: ${mimeTypeSchema.options.join(', ')}. Of a file any: its own instead of that of its part of the form.`,
      })
      .optional(),
    /** In multipart bodies only. */
    file: uploadedFileSchema.optional(),
    /** The same id again replaces the content; 403 where that is a document which the key may not see. Without one each call makes a new document. */
    externalId: nonBlank(512).optional(),
    url: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(4000)
      .optional(),
    authorName: z.string().max(500).optional(),
    sourceCreatedAt: instantSchema.optional(),
    sourceUpdatedAt: instantSchema.optional(),
    tags: tagsSchema.optional(),
    collectionIds: z.array(collectionIdSchema).max(100).optional(),
    /** Default: everybody who may read the provider `upload`. */
    accessPolicy: accessPolicySchema.optional(),
    metadata: z.record(z.string(), z.json()).optional(),
  })
  .superRefine((body, context) => {
    const issue = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if (body.file) {
      if (body.content !== undefined) issue('content', 'must be absent beside a file');
    } else {
      if (body.mimeType !== undefined && !mimeTypeSchema.safeParse(body.mimeType).success)
        issue('mimeType', `must be one of ${mimeTypeSchema.options.join(', ')}`);
      if (body.content === undefined) issue('content', 'is required without a file');
      if (body.title === undefined) issue('title', 'is required without a file');
    }
    if (body.accessPolicy && body.accessPolicy.provider !== 'upload')
      issue('accessPolicy', 'must name the provider "upload"');
  })
  .meta({ id: 'CreateDocument' });
export type CreateDocumentBody = z.infer<typeof createDocumentBodySchema>;

const MEBIBYTE = 1024 * 1024;

export const createDocumentRoute = defineRoute({
  method: 'POST',
  path: '/v1/documents',
  summary: 'Add a document',
  description:
    'As JSON with `title` and `content`, or as multipart/form-data with a `file` (up to 100 MiB) and the same fields but `content`; lists are given as JSON, repeated or separated by commas. Answers before the document is searchable, with only that content which the call sent. A type that cannot be read is refused with 415; an empty, damaged or encrypted file becomes a document with the status `failed`.',
  action: 'documents:write',
  audit: 'document.create',
  body: createDocumentBodySchema,
  response: z.strictObject({ data: documentSchema.extend({ requestId: requestIdSchema }) }),
  status: 202,
  idempotent: true,
  bodyLimitBytes: 20 * MEBIBYTE,
  upload: { fileBytes: 100 * MEBIBYTE, listFields: ['tags', 'collectionIds'] },
});

export const listDocumentsRoute = defineRoute({
  method: 'GET',
  path: '/v1/documents',
  summary: 'List documents',
  description: 'Newest first, whatever their source.',
  action: 'documents:read',
  audit: 'document.read',
  query: z.strictObject({
    ...paginationQuery,
    /** Part of the title. */
    search: z.string().max(200).optional(),
    tags: tagsFilterSchema.optional(),
    collectionId: collectionIdSchema.optional(),
    sourceType: providerSchema.optional(),
    status: documentStatusSchema.optional(),
  }),
  response: pageOf(documentSummarySchema),
  status: 200,
});

export const getDocumentRoute = defineRoute({
  method: 'GET',
  path: '/v1/documents/:id',
  summary: 'Read a document',
  action: 'documents:read',
  audit: 'document.read',
  params: idParams,
  response: z.strictObject({ data: documentSchema }),
  status: 200,
});

export const updateDocumentBodySchema = z
  .strictObject({
    title: nonBlank(1000),
    /** Replaces the text, or the file. */
    content: nonBlank(10_000_000),
    /** Default: text/markdown where the document is that now, else text/plain. */
    mimeType: mimeTypeSchema,
    tags: tagsSchema,
    url: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(4000)
      .nullable(),
    metadata: z.record(z.string(), z.json()),
    changeLog: changeLogSchema,
  })
  .partial()
  .superRefine((body, context) => {
    if (body.mimeType !== undefined && body.content === undefined)
      context.addIssue({ code: 'custom', path: ['mimeType'], message: 'must come with content' });
  })
  .meta({ id: 'UpdateDocument' });
export type UpdateDocumentBody = z.infer<typeof updateDocumentBodySchema>;

export const updateDocumentRoute = defineRoute({
  method: 'PATCH',
  path: '/v1/documents/:id',
  summary: 'Change a document',
  description:
    'Absent fields stay. Other content or another title makes a new version, which is searchable once `status` is `ready`; the one before serves until then. `changeLog` is kept with the version that the call makes; where it makes none, it is added to the one there is. Keys without `documents:read` get back only content that they sent. 409 for a document that the syncs of a connected source write.',
  action: 'documents:write',
  audit: 'document.update',
  params: idParams,
  body: updateDocumentBodySchema,
  response: z.strictObject({ data: documentSchema.extend({ requestId: requestIdSchema }) }),
  status: 200,
  bodyLimitBytes: 20 * MEBIBYTE,
});

export const listDocumentVersionsRoute = defineRoute({
  method: 'GET',
  path: '/v1/documents/:id/versions',
  summary: 'List the versions of a document',
  description:
    'Newest first, each with the text that was read in it. A page ends early where the texts would have more than 2,000,000 characters together.',
  action: 'documents:read',
  audit: 'document.read',
  params: idParams,
  query: z.strictObject(paginationQuery),
  response: pageOf(versionSchema),
  status: 200,
});

export const restoreDocumentRoute = defineRoute({
  method: 'POST',
  path: '/v1/documents/:id/restore',
  summary: 'Bring back a version of a document',
  description:
    'As a new version with the title and the content of that one, exactly as they were sent; tags, links, metadata and access stay as they are. Of a version that came as a file the file comes back and is read anew: the text may differ from what was read then where the reading has improved since. What the document is already makes no new version. 409 for a document that the syncs of a connected source write.',
  action: 'documents:write',
  audit: 'document.restore',
  params: idParams,
  body: restoreBodySchema,
  response: z.strictObject({ data: restoredSchema }),
  status: 200,
  idempotent: true,
});

export const deleteDocumentRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/documents/:id',
  summary: 'Delete a document',
  description:
    'Hidden from the next query on; 404 when there is none any more. ' +
    'A document of a connected source stays deleted when its source names it again: the runs count it as `suppressed`.',
  action: 'documents:write',
  audit: 'item.delete',
  params: idParams,
  response: z.null(),
  status: 204,
});
