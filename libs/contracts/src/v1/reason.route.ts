import { z } from 'zod';
import { defineRoute } from './define-route.js';

export const NO_EVIDENCE_ANSWER =
  'No sufficiently relevant evidence was retrieved for this question within the requested scope and retrieval limits.';
export const NO_LINKED_STATEMENT_ANSWER =
  'The retrieved evidence did not yield a statement that could be linked to its sources.';

const scopeId = z.guid({ error: 'must be a UUID; omit the field when there is no such scope' }).toLowerCase();

export const reasonBodySchema = z
  .strictObject({
    query: z
      .string()
      .trim()
      .min(1, 'must contain at least one non-whitespace character')
      .max(2000, 'must have at most 2000 characters after trimming'),
    /** Most evidence chunks in the packet; clamped to 1–50, not rejected (seed 000). */
    limit: z
      .number()
      .default(50)
      .transform((value) => Math.min(50, Math.max(1, Math.trunc(value)))),
    /** Evidence token budget; truncated to a whole number, a negative becomes 0 (seed 000). */
    maxTokens: z
      .number()
      .default(8000)
      .transform((value) => Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(value)))),
    documentId: scopeId.optional(),
    collectionId: scopeId.optional(),
    includeQuotations: z.boolean().optional().meta({
      description: 'Adds `statements` to the answer: each with its quotations and their places. Default false.',
    }),
  })
  .meta({ id: 'ReasonRequest' });
export type ReasonBody = z.infer<typeof reasonBodySchema>;

/** A quotation that was checked, and what is needed to find it, or to check it again later. */
export const reasonQuotationSchema = z
  .strictObject({
    chunkId: z.string(),
    quotation: z.string().nullable().meta({
      description:
        'The words of the source itself. Null, as `place` then is: the key may not see the source any more, or it was deleted, since the answer was begun.',
    }),
    place: z
      .strictObject({
        version: z.number().int().positive(),
        contentHash: z.string().meta({
          description: 'SHA-256 (hex) of the content of that version, as `POST /v1/citations/verify` takes it.',
        }),
        start: z.number().int().nonnegative().meta({
          description: 'UTF-16 offset of the first character in the normalized text of that version.',
        }),
        end: z.number().int().nonnegative().meta({
          description: 'UTF-16 offset in the same text; the end is exclusive.',
        }),
      })
      .nullable()
      .meta({ description: 'Where the quotation stands in its source. Null exactly when `quotation` is.' }),
  })
  .meta({ id: 'ReasonQuotation' });
export type ReasonQuotation = z.infer<typeof reasonQuotationSchema>;

export const reasonDataSchema = z
  .strictObject({
    /** Prose with server-made `[[chunkId]]` tokens. */
    answer: z.string(),
    /** Cited chunks in order of first use, once each. */
    citations: z.array(z.strictObject({ chunkId: z.string(), documentId: z.string(), documentTitle: z.string() })),
    /** Best-effort limitations; an empty list does not prove complete coverage. */
    gaps: z.array(z.string()),
    meta: z.strictObject({
      chunksGathered: z.number().int().nonnegative(),
      citationsDropped: z.number().int().nonnegative(),
      latencyMs: z.number().nonnegative(),
    }),
    statements: z
      .array(z.strictObject({ text: z.string(), quotations: z.array(reasonQuotationSchema).min(1) }))
      .optional()
      .meta({
        description:
          'With `includeQuotations` only: the statements of `answer`, in its order and without its tokens, each with what it rests on. Empty where nothing was answered.',
      }),
  })
  .meta({ id: 'ReasonData' });
export type ReasonData = z.infer<typeof reasonDataSchema>;

export const reasonRoute = defineRoute({
  method: 'POST',
  path: '/v1/reason',
  summary: 'One cited answer',
  description:
    'Answers from stored documents. Every quotation behind a citation occurs verbatim in its source; that proves source linkage, not that the statement follows from it. ' +
    '`includeQuotations` gives those quotations with their places.',
  action: 'reason',
  audit: 'reason.answer',
  body: reasonBodySchema,
  response: z.strictObject({ data: reasonDataSchema }),
  status: 200,
});
