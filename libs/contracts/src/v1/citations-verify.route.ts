import { z } from 'zod';
import { defineRoute } from './define-route.js';

export const CITATION_STATUSES = ['verified', 'repaired', 'rejected'] as const;
export type CitationStatus = (typeof CITATION_STATUSES)[number];

/**
 * Why a citation was rejected. `unknown_chunk`: there is none that the caller may read. `unknown_version`: the item has no
 * version with that content hash. `empty_quotation`: nothing was quoted. `version_changed`: it stood in the cited chunk,
 * and no longer stands in the item. `elsewhere_in_item`: the item says so, the cited chunk doesn't. `not_found`: neither.
 */
export const CITATION_REASONS = [
  'unknown_chunk',
  'unknown_version',
  'empty_quotation',
  'version_changed',
  'elsewhere_in_item',
  'not_found',
] as const;
export type CitationReason = (typeof CITATION_REASONS)[number];

export const verifyCitationsBodySchema = z
  .strictObject({
    citations: z
      .array(
        z.strictObject({
          /** As a citation gave it; what is no id of a chunk is answered with `unknown_chunk`. */
          chunkId: z.string().max(200),
          quotation: z.string().max(20_000),
          /** SHA-256 (hex) of the cited version's content; default: the item's current version. */
          contentHash: z
            .string()
            .regex(/^[0-9a-f]{64}$/i, 'must be a SHA-256 in hexadecimal')
            .optional(),
        }),
      )
      .min(1)
      .max(100),
  })
  .meta({ id: 'VerifyCitationsRequest' });
export type VerifyCitationsBody = z.infer<typeof verifyCitationsBodySchema>;

export const citationCheckSchema = z
  .strictObject({
    chunkId: z.string(),
    status: z.enum(CITATION_STATUSES),
    /** Of a rejected one. */
    reason: z.enum(CITATION_REASONS).optional(),
    /** UTF-16 offsets into the normalized text of the version that was looked at; `quotation` is that text from `start` to `end`. */
    start: z.number().int().nonnegative().optional(),
    end: z.number().int().nonnegative().optional(),
    /** The exact words of the source. */
    quotation: z.string().optional(),
  })
  .meta({ id: 'CitationCheck' });
export type CitationCheck = z.infer<typeof citationCheckSchema>;

export const verifyCitationsRoute = defineRoute({
  method: 'POST',
  path: '/v1/citations/verify',
  summary: 'Check quotations against their sources (verify_citations)',
  description:
    '`verified`: the quotation occurs in the cited chunk, runs of whitespace aside, and still in the item’s current version, or in the one that `contentHash` names. `repaired`: it occurs once typographic quotes, dashes, ' +
    'case, escapes or an ellipsis are set aside, and the exact words are returned. `rejected`: with the reason. ' +
    'That a quotation occurs proves source linkage, not that a statement follows from it.',
  action: 'reason',
  audit: 'citation.verify',
  body: verifyCitationsBodySchema,
  /** In the order of the citations. */
  response: z.strictObject({ data: z.strictObject({ results: z.array(citationCheckSchema) }) }),
  status: 200,
});
