import { z } from 'zod';
import { auditHeadSchema } from '../v1/audit-events.route.js';

const digest = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal');

/** An event as it is stored and exported: all of it is under the seal, but for the erasable fields and their salt. */
export const chainEventSchema = z.strictObject({
  id: z.string(),
  tenantId: z.string(),
  /** Order of insertion, a decimal number. */
  sequence: z.string().regex(/^\d{1,19}$/, 'must be a decimal number'),
  requestId: z.string(),
  action: z.string(),
  outcome: z.string(),
  actorApiKeyId: z.string().nullable(),
  actorType: z.string(),
  targetType: z.string().nullable(),
  targetId: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  /** SHA-256 (hex) of salt and erasable fields; null when the event never had any. */
  erasableDigest: z.string().nullable(),
  /** Null when there is none, or not any more; as the salt (hex). */
  erasable: z.record(z.string(), z.unknown()).nullable(),
  erasableSalt: z.string().nullable(),
  createdAt: z.string(),
});
export type ChainEvent = z.infer<typeof chainEventSchema>;

export const chainBatchSchema = z.strictObject({
  ...auditHeadSchema.shape,
  tenantId: z.string(),
  /** When retention removed its events and leaves; null = they are there. */
  expiredAt: z.string().nullable(),
  /** What the batch records of each event, in the order of the events. */
  leaves: z.array(z.strictObject({ eventId: z.string(), digest: z.string() })),
});
export type ChainBatch = z.infer<typeof chainBatchSchema>;
export type ChainLeaf = ChainBatch['leaves'][number];

export const publicKeySchema = z.strictObject({ keyId: z.string(), publicKey: z.string() });

/** The lines of an export of the audit trail, one JSON value each: `chain`, then each `batch` after its events, then the rest. */
export const auditExportLineSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('chain'),
    version: z.literal(1),
    tenantId: z.guid(),
    exportedAt: z.iso.datetime(),
    fromBatch: z.number().int().positive(),
    /** Of the batch before the first exported one. */
    previousDigest: digest,
    keys: z.array(publicKeySchema),
  }),
  z.strictObject({ type: z.literal('event'), event: chainEventSchema }),
  z.strictObject({ type: z.literal('batch'), batch: chainBatchSchema }),
  /** Committed and not sealed yet: nothing protects it. */
  z.strictObject({ type: z.literal('unsealed'), event: chainEventSchema }),
  z.strictObject({
    type: z.literal('end'),
    batches: z.number().int().nonnegative(),
    events: z.number().int().nonnegative(),
    unsealed: z.number().int().nonnegative(),
  }),
]);
export type AuditExportLine = z.infer<typeof auditExportLineSchema>;
