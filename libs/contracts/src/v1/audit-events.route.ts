import { z } from 'zod';
import { auditActionSchema, auditOutcomeSchema } from '../audit/audit-actions.js';
import { instantSchema, uuidSchema } from '../ids.js';
import { defineRoute } from './define-route.js';
import { pageOf, paginationQuery } from './pagination.js';

const count = z.number().int().nonnegative();

/** Whether an event is part of the signed chain yet. It is sealed within seconds, in the order in which events commit. */
export const auditSealSchema = z
  .strictObject({
    state: z.enum(['unsealed', 'sealed']),
    /** Number of the batch in the tenant's chain, from 1; null as long as it is unsealed, as the rest. */
    batch: z.number().int().positive().nullable(),
    /** Place in the batch, from 0. */
    position: count.nullable(),
    sealedAt: z.iso.datetime().nullable(),
    /** Of the key that signed the batch. */
    keyId: z.string().nullable(),
  })
  .meta({ id: 'AuditSeal' });
export type AuditSeal = z.infer<typeof auditSealSchema>;

export const auditEventSchema = z
  .strictObject({
    id: z.guid(),
    requestId: z.guid(),
    action: z.string(),
    outcome: auditOutcomeSchema,
    actorApiKeyId: z.guid().nullable(),
    actorType: z.string(),
    targetType: z.string().nullable(),
    targetId: z.string().nullable(),
    metadata: z.record(z.string(), z.json()),
    createdAt: z.iso.datetime(),
    /** What had been asked was erased since; the seal holds without it. */
    erased: z.boolean(),
    seal: auditSealSchema,
  })
  .meta({ id: 'AuditEvent' });
export type AuditEventView = z.infer<typeof auditEventSchema>;

const auditEventsQuery = z.strictObject({
  ...paginationQuery,
  requestId: uuidSchema.optional(),
  action: auditActionSchema.optional(),
  from: instantSchema.optional(),
  to: instantSchema.optional(),
});
export type AuditEventsQuery = z.infer<typeof auditEventsQuery>;

export const auditEventsRoute = defineRoute({
  method: 'GET',
  path: '/v1/audit-events',
  summary: 'Read the audit trail',
  action: 'audit:read',
  audit: 'audit.read',
  query: auditEventsQuery,
  response: pageOf(auditEventSchema),
  status: 200,
});

export const auditHeadSchema = z
  .strictObject({
    batch: z.number().int().positive(),
    /** SHA-256 (hex) of the batch before it; 64 zeros for the first. */
    previousDigest: z.string(),
    events: count,
    /** SHA-256 (hex) of the list of event ids and digests. */
    leavesDigest: z.string(),
    sealedAt: z.iso.datetime(),
    keyId: z.string(),
    /** SHA-256 (hex) of the canonical JSON (RFC 8785) of the fields above, with the tenant's id. */
    digest: z.string(),
    /** Ed25519 over the digest's 32 bytes, base64. */
    signature: z.string(),
  })
  .meta({ id: 'AuditHead' });
export type AuditHead = z.infer<typeof auditHeadSchema>;

export const auditChainSchema = z
  .strictObject({
    tenantId: z.guid(),
    batches: count,
    sealedEvents: count,
    /** Committed and not sealed yet. */
    unsealedEvents: count,
    oldestUnsealedAt: z.iso.datetime().nullable(),
    /** Since when the chain is not continued, because its end is not one that the worker sealed; null = it is continued. */
    brokenSince: z.iso.datetime().nullable(),
    /** Batches whose events retention has removed: their heads stand, their events can't be shown any more. */
    expiredBatches: count,
    /** Keep it elsewhere: whoever has it can show that nothing before it was rewritten. */
    head: auditHeadSchema.nullable(),
    /** Public keys that signed this installation's chains. */
    keys: z.array(z.strictObject({ keyId: z.string(), publicKey: z.string(), firstUsedAt: z.iso.datetime() })),
  })
  .meta({ id: 'AuditChain' });
export type AuditChain = z.infer<typeof auditChainSchema>;

export const auditChainRoute = defineRoute({
  method: 'GET',
  path: '/v1/audit-events/chain',
  summary: 'How far the audit trail is sealed, and its signed head',
  action: 'audit:read',
  audit: 'audit.read',
  response: z.strictObject({ data: auditChainSchema }),
  status: 200,
});

/** What can be wrong with a sealed chain; each finding names the batch and, where there is one, the event. */
export const AUDIT_FINDINGS = {
  event_altered: 'The event differs from what was sealed.',
  event_missing: 'A sealed event is gone.',
  event_inserted: 'The event was put among sealed ones and is in no batch.',
  event_reordered: 'The event stands at another place than it was sealed at.',
  event_backdated: 'The event says it is older than events sealed long before it: it was put there afterwards.',
  record_altered: "The batch's record of the event differs from what was signed; the event itself is as it was sealed.",
  batch_altered: "The batch's record differs from what was signed.",
  batch_missing: 'A batch of the chain is gone.',
  link_broken: 'The batch does not continue the one before it.',
  signature_invalid: 'The signature of the batch does not hold.',
  key_unknown: 'The key that signed the batch is not among the trusted ones.',
  head_differs: 'A head that was kept elsewhere is not in the chain: the chain was rewritten or cut.',
  expiry_unrecorded: 'The events of the batch are gone, and no record of retention accounts for it.',
  erasure_unrecorded: 'The text of the event is gone, and no `audit.erase` event after it says that it was erased.',
} as const satisfies Record<string, string>;
export type AuditFindingType = keyof typeof AUDIT_FINDINGS;

export const auditFindingSchema = z
  .strictObject({
    type: z.enum(Object.keys(AUDIT_FINDINGS) as [AuditFindingType, ...AuditFindingType[]]),
    batch: z.number().int().positive().nullable(),
    eventId: z.string().nullable(),
    message: z.string(),
  })
  .meta({ id: 'AuditFinding' });
export type AuditFinding = z.infer<typeof auditFindingSchema>;

export const verifyAuditBodySchema = z
  .strictObject({
    /** First batch to look at, from 1. */
    fromBatch: z.number().int().positive().default(1),
  })
  .prefault({})
  .meta({ id: 'VerifyAudit' });

export const auditVerificationSchema = z
  .strictObject({
    /** Nothing is wrong in what was looked at. Says nothing of unsealed events. */
    intact: z.boolean(),
    findings: z.array(auditFindingSchema),
    fromBatch: z.number().int().positive(),
    /** The last batch that was looked at; null when there is none. */
    toBatch: z.number().int().positive().nullable(),
    /** Where to go on, since a request looks at a bounded number of batches; null = the end of the chain was reached. */
    nextBatch: z.number().int().positive().nullable(),
    events: count,
    /** Removed by retention, as its records say: from the first batch on, so with `fromBatch` 1 they are batches 1 to this one. */
    expiredBatches: count,
    expiredEvents: count,
    erasedEvents: count,
    /** Committed and not sealed yet: nothing protects these. */
    unsealedEvents: count,
    oldestUnsealedAt: z.iso.datetime().nullable(),
    head: auditHeadSchema.nullable(),
  })
  .meta({ id: 'AuditVerification' });
export type AuditVerification = z.infer<typeof auditVerificationSchema>;

export const verifyAuditRoute = defineRoute({
  method: 'POST',
  path: '/v1/audit-events/verify',
  summary: 'Verify the sealed audit trail',
  description:
    'Recomputes every digest of the chain from the stored events and checks every signature. Says which event and which batch is wrong.',
  action: 'audit:read',
  audit: 'audit.verify',
  body: verifyAuditBodySchema,
  response: z.strictObject({ data: auditVerificationSchema }),
  status: 200,
});

export const exportAuditRoute = defineRoute({
  method: 'GET',
  path: '/v1/audit-events/export',
  summary: 'Export the audit trail with its chain, as NDJSON',
  description:
    'One JSON value a line: the keys, then each batch after its events, then the unsealed events, then the counts. `candor audit verify --file` checks it without the server.',
  action: 'audit:read',
  audit: 'audit.export',
  query: z.strictObject({
    /** First batch of the export, from 1. */
    fromBatch: z.coerce.number().int().positive().default(1),
  }),
  /** application/x-ndjson */
  response: z.string(),
  status: 200,
});
