import type { RetentionKind } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { countAuditTexts, TRAIL_RETENTION } from './erasure.repository.js';

/** Batches a commit: with full batches, ten thousand events. */
const BATCHES_AT_ONCE = 10;

export interface RetentionRule {
  tenantId: string;
  /** Days by kind. */
  retention: Partial<Record<RetentionKind, number>>;
}

/** The tenants that keep anything for a limited time; of an erased one the audit events are still there to be kept. */
export async function listRetentionRules(transaction: Transaction): Promise<RetentionRule[]> {
  return transaction.query(
    `SELECT id AS "tenantId", r.retention FROM tenants t CROSS JOIN LATERAL (
       SELECT CASE WHEN t.erased_at IS NULL THEN t.retention ELSE ${TRAIL_RETENTION} END AS retention) r
     WHERE r.retention <> '{}' ORDER BY id`,
  );
}

interface Removal {
  /** What goes, as a list of the ids of `table`. */
  table: string;
  id: string;
  condition: string;
  /** Before it, whatever refers to it. */
  parts: readonly { table: string; column: string }[];
}

const REMOVALS: Record<Exclude<RetentionKind, 'queryText' | 'auditEvents'>, readonly Removal[]> = {
  feedback: [{ table: 'feedback', id: 'id', condition: 't.created_at < $2', parts: [] }],
  syncRuns: [
    {
      table: 'sync_runs',
      id: 'id',
      // The newest run of a source says how the source is.
      condition: `t.ended_at < $2 AND EXISTS (SELECT 1 FROM sync_runs n WHERE n.source_id = t.source_id AND n.created_at > t.created_at)`,
      parts: [{ table: 'sync_run_failures', column: 'run_id' }],
    },
  ],
  ingestRecords: [
    {
      table: 'ingestions',
      id: 'request_id',
      condition: `t.created_at < $2 AND NOT EXISTS (SELECT 1 FROM ingestion_items n WHERE n.tenant_id = t.tenant_id
        AND n.request_id = t.request_id AND n.state = 'accepted')`,
      parts: [{ table: 'ingestion_items', column: 'request_id' }],
    },
    { table: 'dead_letters', id: 'id', condition: 't.created_at < $2', parts: [] },
  ],
  tombstones: [
    {
      table: 'source_items',
      id: 'id',
      condition: 't.purged_at < $2',
      parts: [
        { table: 'ingestion_items', column: 'item_id' },
        { table: 'item_relations', column: 'item_id' },
        { table: 'item_version_notes', column: 'item_id' },
        { table: 'item_files', column: 'item_id' },
        { table: 'chunks', column: 'item_id' },
        { table: 'collection_items', column: 'item_id' },
        { table: 'dead_letters', column: 'item_id' },
        { table: 'item_versions', column: 'item_id' },
      ],
    },
  ],
};

/** How many records of the kind are older. */
export async function countOutdated(
  transaction: Transaction,
  tenantId: string,
  kind: RetentionKind,
  before: Date,
): Promise<number> {
  if (kind === 'queryText') return countAuditTexts(transaction, { tenantId, before });
  if (kind === 'auditEvents') return (await findExpirable(transaction, tenantId, before))?.events ?? 0;
  let rows = 0;
  for (const { table, condition } of REMOVALS[kind]) {
    const [counted]: { rows: number }[] = await transaction.query(
      `SELECT count(*)::integer AS rows FROM ${table} t WHERE t.tenant_id = $1 AND ${condition}`,
      [tenantId, before],
    );
    rows += counted?.rows ?? 0;
  }
  return rows;
}

/** At most so many, with all that belongs to them; how many went. Not for audit events, which go by batches, nor for their texts, whose erasure is recorded. */
export async function removeOutdated(
  transaction: Transaction,
  tenantId: string,
  kind: Exclude<RetentionKind, 'auditEvents' | 'queryText'>,
  before: Date,
  limit: number,
): Promise<number> {
  let removed = 0;
  for (const { table, id, condition, parts } of REMOVALS[kind]) {
    const rows: { id: string }[] = await transaction.query(
      `SELECT t.${id} AS id FROM ${table} t WHERE t.tenant_id = $1 AND ${condition} LIMIT $3 FOR UPDATE`,
      [tenantId, before, limit],
    );
    const ids = rows.map((row) => row.id);
    if (ids.length === 0) continue;
    for (const part of parts) {
      const own = part.table === 'sync_run_failures' ? '' : 'tenant_id = $2 AND ';
      await transaction.query(
        `DELETE FROM ${part.table} WHERE ${own}${part.column} = ANY ($1::uuid[])${own === '' ? ' AND $2::uuid IS NOT NULL' : ''}`,
        [ids, tenantId],
      );
    }
    await transaction.query(`DELETE FROM ${table} WHERE tenant_id = $2 AND ${id} = ANY ($1::uuid[])`, [ids, tenantId]);
    removed += ids.length;
  }
  return removed;
}

export interface ExpiredBatches {
  /** Last batch that went; all before it are gone, too. */
  toBatch: number;
  /** Of that batch, so that the chain's next one can be held against it. */
  digest: string;
  events: number;
}

/**
 * Removes the events of the oldest batches whose events are all older; their heads stay, so that the chain can still be
 * followed. The newest batch stays whole. Null = there are none. Its event has to be written in the same transaction.
 */
export async function expireBatches(
  transaction: Transaction,
  tenantId: string,
  before: Date,
): Promise<ExpiredBatches | null> {
  const expirable = await findExpirable(transaction, tenantId, before, BATCHES_AT_ONCE);
  if (!expirable) return null;
  const { toBatch } = expirable;
  const due = [tenantId, toBatch];
  await transaction.query(
    `UPDATE audit_batches SET expired_at = now() WHERE tenant_id = $1 AND batch <= $2 AND expired_at IS NULL`,
    due,
  );
  await transaction.query(
    `DELETE FROM audit_events e USING audit_leaves l
     WHERE l.tenant_id = $1 AND l.batch <= $2 AND e.id = l.event_id AND e.tenant_id = l.tenant_id`,
    due,
  );
  await transaction.query(`DELETE FROM audit_leaves WHERE tenant_id = $1 AND batch <= $2`, due);
  return expirable;
}

async function findExpirable(
  transaction: Transaction,
  tenantId: string,
  before: Date,
  most = 1_000_000,
): Promise<ExpiredBatches | null> {
  const [row]: ExpiredBatches[] = await transaction.query(
    `WITH due AS (
       SELECT b.batch, b.digest, b.events, (SELECT max(e.created_at) FROM audit_leaves l JOIN audit_events e ON e.id = l.event_id
         WHERE l.tenant_id = b.tenant_id AND l.batch = b.batch) AS newest
       FROM audit_batches b WHERE b.tenant_id = $1 AND b.expired_at IS NULL AND b.sealed_at < now()
         AND b.batch < (SELECT max(x.batch) FROM audit_batches x WHERE x.tenant_id = $1)
       ORDER BY b.batch LIMIT $3),
     stop AS (SELECT min(batch) AS batch FROM due WHERE newest IS NULL OR newest >= $2),
     old AS (SELECT * FROM due WHERE batch < coalesce((SELECT batch FROM stop), 2147483647))
     SELECT max(batch) AS "toBatch", (array_agg(digest ORDER BY batch DESC))[1] AS digest, sum(events)::integer AS events
     FROM old HAVING count(*) > 0`,
    [tenantId, before, most],
  );
  return row ?? null;
}
