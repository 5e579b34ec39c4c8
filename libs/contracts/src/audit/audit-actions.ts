import { z } from 'zod';

/** Every audit action, `noun.verb`. `docs/reference/audit-events.md` is generated from this table. */
export const AUDIT_ACTIONS = {
  'context.retrieve': 'A Context Contract was issued.',
  'search.query': 'A plain search was answered.',
  'reason.requested': 'A reason request was accepted and queued; written before the work starts.',
  'reason.answer': 'A reason request was answered, or refused as having no evidence.',
  'reason.abandoned': 'A reason request whose end was never written, closed by the sweeper.',
  'reasoning.query': 'A reasoning request was answered, abstained, or needs a person.',
  'citation.verify': 'Quotations were checked against their sources.',
  'feedback.create': 'A caller said whether an answer was right.',
  'calibration.create': 'The live generation was calibrated.',
  'calibration.read': 'Calibrations were read.',
  'calibration.outgrown': 'The corpus outgrew the calibration of its generation, or is about to.',
  'proposal.read': 'Proposed relations were read.',
  'proposal.approve': 'A proposed relation was approved and recorded.',
  'proposal.reject': 'A proposed relation was rejected.',
  'navigation.search': 'Passages were searched.',
  'navigation.read': 'One passage was read.',
  'navigation.expand': 'What stands around a passage was read.',
  'ingest.request': 'Documents were pushed.',
  'ingestion.read': 'The progress of an ingest request was read.',
  'item.accept': 'A new version of an item was accepted.',
  'item.index': 'A version of an item became searchable.',
  'item.fail': 'A version of an item ended in a dead letter.',
  'item.read': 'A source item was read.',
  'item.delete': 'A source item was tombstoned: hidden from the next query on.',
  'item.deleted': 'The last chunk of a deleted item is gone from the index (the delete certificate).',
  'document.create': 'A document was added, as text or as a file.',
  'document.read': 'Documents were listed or read.',
  'document.update': 'A document was changed, as a new version if its content or title was.',
  'document.restore': 'A former version of a document was brought back as a new one.',
  'prompt.create': 'A prompt was created.',
  'prompt.read': 'Prompts or their versions were read.',
  'prompt.update': 'A prompt was changed.',
  'prompt.delete': 'A prompt was deleted with its versions.',
  'prompt.restore': 'A former version of a prompt was brought back as a new one.',
  'library.search': 'Prompts, documents and collections were searched (find_items).',
  'collection.create': 'A collection was created.',
  'collection.read': 'Collections or their items were read.',
  'collection.update': 'A collection was changed.',
  'collection.delete': 'A collection was deleted.',
  'collection.add_items': 'Items were put into a collection.',
  'collection.remove_items': 'Items were taken out of a collection.',
  'generation.create': 'A build of the index beside the live one was asked for.',
  'generation.built': 'A generation of the index holds every item and can be promoted.',
  'generation.fail': 'A build or a repair of a generation ended with an error.',
  'generation.read': 'Generations of the index were read.',
  'generation.promote': 'A generation was asked to become the live one, became it, or was refused.',
  'generation.retire': 'A generation was given up, or its index was dropped.',
  'generation.reconcile': 'The index of a generation was compared with the database and repaired.',
  'dead_letter.read': 'Dead letters were listed.',
  'dead_letter.retry': 'A dead letter was put back to work.',
  'api_key.create': 'An API key was created.',
  'api_key.read': 'API keys were listed.',
  'api_key.update': 'An API key was changed.',
  'api_key.rotate': 'An API key got a second secret.',
  'api_key.revoke': 'An API key was revoked.',
  'tenant.create': 'A tenant was created with its admin key.',
  'tenant.read': 'Tenants, or the settings of one, were read.',
  'tenant.update': 'The settings of a tenant were changed.',
  'consent.give': 'A tenant let its content go to an external model.',
  'consent.withdraw': 'A tenant let its content go to no external model any more.',
  'erasure.request': 'The erasure of a tenant or of a person was asked for, or tried out.',
  'erasure.read': 'Erasures were read.',
  'tenant.erased': 'Nothing of a tenant is left but its audit trail without what was asked (the certificate).',
  'person.erased': 'What named a person is gone; counts say what (the certificate).',
  'retention.apply': 'Retention removed records; counts say which.',
  'quota.read': "A tenant's quotas and what is used of them were read.",
  'quota.update': "A tenant's quotas were set.",
  'source.create': 'A source was connected.',
  'source.read': 'Sources were read.',
  'source.update': 'A source was changed.',
  'source.delete': 'The removal of a source began: its items are hidden from the next query on.',
  'source.removed': 'The last item of a removed source is gone from the index (the certificate of the removal).',
  'source.check': "A source's credentials were tried.",
  'source.event': 'A signed event of a provider was taken.',
  'source.sync': 'A sync run ended, with its counts.',
  'sync.start': 'A sync run was asked for.',
  'sync.read': 'Sync runs were read.',
  'sync.cancel': 'A sync run was cancelled.',
  'audit.read': 'Audit events, or the state of their chain, were read.',
  'audit.export': 'The audit trail was exported with its chain.',
  'audit.verify': 'The sealed audit trail was verified.',
  'audit.expire': 'Batches of audit events were removed by retention; names the batches and their digests.',
  'audit.erase':
    'The texts of earlier audit events were erased, by retention or at the request of a person or tenant; says of which events.',
  'caller.read': 'A caller asked who it is.',
  'capabilities.read': 'A caller asked for the tools and limits.',
  'mcp.message': 'An MCP client introduced itself, listed what there is, or said something that needs no answer.',
  'access.denied': 'An authenticated caller was refused: missing action, rate limit or unknown route.',
} as const satisfies Record<string, string>;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
export const auditActionSchema = z.enum(Object.keys(AUDIT_ACTIONS) as [AuditAction, ...AuditAction[]]);

export const auditOutcomeSchema = z.enum(['succeeded', 'accepted', 'refused', 'denied', 'failed']);
export type AuditOutcome = z.infer<typeof auditOutcomeSchema>;

/**
 * Fields of an event's metadata that can be erased later without breaking the seal: the chain commits to a salted digest
 * of them, and whoever erases removes text and salt.
 */
export const ERASABLE_METADATA = ['query', 'querySha256', 'externalId'] as const;

/** Who, what, which, how much; never content, secrets or answers. */
export interface AuditEventInput {
  tenantId: string;
  requestId: string;
  action: AuditAction;
  outcome: AuditOutcome;
  actorApiKeyId: string | null;
  actorType: string;
  targetType: string | null;
  targetId: string | null;
  metadata: Record<string, unknown>;
}
