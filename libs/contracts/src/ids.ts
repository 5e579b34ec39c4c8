import { z } from 'zod';

/**
 * Every id that comes in, of whatever it is. In lower case, as ids are stored and compared; clients of some platforms write
 * them in capitals. Any 32 digits in that form, whatever version they claim: an id that nothing has is absent, not malformed.
 */
export const uuidSchema = z.guid({ error: 'must be a UUID' }).toLowerCase();

export const tenantIdSchema = uuidSchema.brand<'TenantId'>();
export const apiKeyIdSchema = uuidSchema.brand<'ApiKeyId'>();
export const requestIdSchema = uuidSchema.brand<'RequestId'>();
export const itemIdSchema = uuidSchema.brand<'ItemId'>();
export const chunkIdSchema = uuidSchema.brand<'ChunkId'>();
export const collectionIdSchema = uuidSchema.brand<'CollectionId'>();
export const generationIdSchema = uuidSchema.brand<'GenerationId'>();

/** The boundary nothing crosses. */
export type TenantId = z.infer<typeof tenantIdSchema>;
export type ApiKeyId = z.infer<typeof apiKeyIdSchema>;
/** UUID of one request; in the `X-Request-Id` header, log lines, jobs and audit events, the same in all of them. */
export type RequestId = z.infer<typeof requestIdSchema>;
/** `sourceItemId` and `documentId` of the public API. */
export type ItemId = z.infer<typeof itemIdSchema>;
/** UUIDv5 of (item, version, chunker version and way of cutting, ordinal). */
export type ChunkId = z.infer<typeof chunkIdSchema>;
export type CollectionId = z.infer<typeof collectionIdSchema>;
export type GenerationId = z.infer<typeof generationIdSchema>;

/** An ISO 8601 instant with `Z` or an offset. */
export const instantSchema = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 timestamp with a time zone' })
  .refine(hasFourDigitYear, 'must be in the years 1 to 9999, in UTC');

/** Beyond them an instant is written in another form than the one that it came in. Of what is none the format speaks. */
function hasFourDigitYear(instant: string): boolean {
  const year = new Date(instant).getUTCFullYear();
  return Number.isNaN(year) || (year >= 1 && year <= 9999);
}
