import { createHash } from 'node:crypto';
import type { AuditEventInput, AuditEventsQuery, AuditEventView } from '@candor/contracts';
import {
  findSeals,
  insertAuditEvents,
  listAuditEvents,
  type AuditEventEntity,
  type EventSeal,
  type Page,
  type Transaction,
} from '@candor/persistence';

/** Writes in the caller's transaction: what happened and its event commit together or not at all. */
export function writeAuditEvents(transaction: Transaction, events: readonly AuditEventInput[]): Promise<void> {
  return insertAuditEvents(transaction, events);
}

/** The query as the tenant wants it kept: its text, or only its SHA-256 (hex). */
export function describeQuery(query: string, keepText: boolean): { query: string } | { querySha256: string } {
  return keepText ? { query } : { querySha256: createHash('sha256').update(query).digest('hex') };
}

export async function readAuditEvents(
  transaction: Transaction,
  tenantId: string,
  filter: AuditEventsQuery,
): Promise<Page<AuditEventView>> {
  const page = await listAuditEvents(transaction, tenantId, filter);
  const ids = page.rows.map(({ id }) => id);
  const seals = await findSeals(transaction, tenantId, ids);
  return { ...page, rows: page.rows.map((event) => toView(event, seals.get(event.id))) };
}

function toView(event: AuditEventEntity, seal: EventSeal | undefined): AuditEventView {
  return {
    id: event.id,
    requestId: event.requestId,
    action: event.action,
    outcome: event.outcome,
    actorApiKeyId: event.actorApiKeyId,
    actorType: event.actorType,
    targetType: event.targetType,
    targetId: event.targetId,
    metadata: { ...event.metadata, ...event.erasable } as AuditEventView['metadata'],
    createdAt: event.createdAt.toISOString(),
    erased: event.erasableDigest !== null && event.erasable === null,
    seal: seal
      ? {
          state: 'sealed',
          batch: seal.batch,
          position: seal.position,
          sealedAt: seal.sealedAt.toISOString(),
          keyId: seal.keyId,
        }
      : { state: 'unsealed', batch: null, position: null, sealedAt: null, keyId: null },
  };
}
