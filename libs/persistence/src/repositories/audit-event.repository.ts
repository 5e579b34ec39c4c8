import { v4 as randomUuid } from 'uuid';
import { invalidField, type AuditEventInput, type AuditEventsQuery } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { AuditEventEntity } from '../entities/audit-event.entity.js';
import type { Page } from '../page-cursor.js';
import { PREPARED } from '../prepared-statements.js';
import { splitErasable } from '../split-erasable.js';
import { toStorableJson } from '../to-storable-json.js';

export async function insertAuditEvents(transaction: Transaction, events: readonly AuditEventInput[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => ({ ...splitErasable(event), id: randomUuid() }));
  await transaction.query(
    `${PREPARED}INSERT INTO audit_events (id, tenant_id, request_id, action, outcome, actor_api_key_id, actor_type,
       target_type, target_id, metadata, erasable, erasable_salt, erasable_digest)
     SELECT d.id, d."tenantId", d."requestId", d.action, d.outcome, d."actorApiKeyId", d."actorType",
       d."targetType", d."targetId", d.metadata, nullif(d.erasable, 'null'), decode(d."erasableSalt", 'hex'),
       decode(d."erasableDigest", 'hex')
     FROM jsonb_to_recordset($1::jsonb) AS d(id uuid, "tenantId" uuid, "requestId" uuid, action text, outcome text,
       "actorApiKeyId" uuid, "actorType" text, "targetType" text, "targetId" text, metadata jsonb, erasable jsonb,
       "erasableSalt" text, "erasableDigest" text)`,
    [toStorableJson(rows)],
  );
}

/** Newest first; the cursor is the sequence number of the last event shown. */
export async function listAuditEvents(
  transaction: Transaction,
  tenantId: string,
  filter: AuditEventsQuery,
): Promise<Page<AuditEventEntity>> {
  const query = transaction
    .createQueryBuilder(AuditEventEntity, 'e')
    .where('e.tenantId = :tenantId', { tenantId })
    .orderBy('e.sequence', 'DESC')
    .limit(filter.limit + 1);
  if (filter.cursor !== undefined) {
    if (!/^\d{1,18}$/.test(filter.cursor))
      throw invalidField('cursor', 'must be a cursor that an earlier page returned');
    query.andWhere('e.sequence < :cursor', { cursor: filter.cursor });
  }
  if (filter.requestId) query.andWhere('e.requestId = :requestId', { requestId: filter.requestId });
  if (filter.action) query.andWhere('e.action = :action', { action: filter.action });
  if (filter.from) query.andWhere('e.createdAt >= :from', { from: filter.from });
  if (filter.to) query.andWhere('e.createdAt < :to', { to: filter.to });
  const found = await query.getMany();
  const rows = found.slice(0, filter.limit);
  const hasMore = found.length > filter.limit;
  return { rows, hasMore, cursor: hasMore ? (rows.at(-1)?.sequence ?? null) : null };
}

/** Any key; all Candor processes must use the same one. */
const ABANDONED_LOCK = 4_211_971;

/** Requests that began queued work and never wrote its end, older than the given age; 0 while another process closes them. */
export async function closeAbandonedRequests(transaction: Transaction, olderThanSeconds: number): Promise<number> {
  const [lock]: { taken: boolean }[] = await transaction.query('SELECT pg_try_advisory_xact_lock($1) AS taken', [
    ABANDONED_LOCK,
  ]);
  if (!lock?.taken) return 0;
  const open: AuditEventEntity[] = await transaction
    .createQueryBuilder(AuditEventEntity, 'e')
    .where(`e.action = 'reason.requested'`)
    .andWhere('e.createdAt < now() - make_interval(secs => :age)', { age: olderThanSeconds })
    .andWhere(`e.createdAt > now() - interval '7 days'`)
    .andWhere(
      `NOT EXISTS (SELECT 1 FROM audit_events x WHERE x.tenant_id = e.tenant_id AND x.request_id = e.request_id
         AND x.action IN ('reason.answer', 'reason.abandoned'))`,
    )
    .limit(500)
    .getMany();
  await insertAuditEvents(
    transaction,
    open.map((event) => ({
      tenantId: event.tenantId,
      requestId: event.requestId,
      action: 'reason.abandoned',
      outcome: 'failed',
      actorApiKeyId: event.actorApiKeyId,
      actorType: event.actorType,
      targetType: null,
      targetId: null,
      metadata: {},
    })),
  );
  return open.length;
}
