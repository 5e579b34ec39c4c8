import type { ItemJobPayload, JobName } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { enqueueItemJob } from './outbox.repository.js';

export interface StrandedJob {
  jobName: JobName;
  payload: ItemJobPayload;
}

interface StrandedRow {
  tenant_id: string;
  request_id: string;
  item_id: string;
  version: number;
  epoch: number;
  state: string;
  has_body?: boolean;
}

function payloadOf(row: StrandedRow): ItemJobPayload {
  return {
    tenantId: row.tenant_id,
    requestId: row.request_id,
    itemId: row.item_id,
    version: row.version,
    epoch: row.epoch,
  } as ItemJobPayload;
}

/** The job that goes on from a state: text that was pushed needs no stage of its own to be read. */
function firstJob(state: string, hasBody: boolean): JobName {
  return state === 'indexing' || (state === 'accepted' && hasBody) ? 'item.index' : 'item.extract';
}

/** Unfinished versions whose lease ran out and that no outbox row is waiting for. */
export async function findStrandedVersions(transaction: Transaction, limit: number): Promise<StrandedJob[]> {
  const rows: StrandedRow[] = await transaction.query(
    `SELECT v.tenant_id, v.request_id, v.item_id, v.version, v.epoch, v.state, v.body IS NOT NULL AS has_body
     FROM item_versions v
     WHERE v.state IN ('accepted', 'extracting', 'indexing') AND v.lease_until < now()
       AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payload->>'itemId' = v.item_id::text
         AND (o.payload->>'version')::integer = v.version)
     ORDER BY v.lease_until LIMIT $1 FOR UPDATE OF v SKIP LOCKED`,
    [limit],
  );
  return rows.map((row) => ({
    jobName: firstJob(row.state, row.has_body === true),
    payload: payloadOf(row),
  }));
}

/** The queue still has the job: look again later. */
export async function extendLease(transaction: Transaction, job: ItemJobPayload): Promise<void> {
  await transaction.query(
    `UPDATE item_versions SET lease_until = now() + interval '60 seconds' WHERE item_id = $1 AND version = $2`,
    [job.itemId, job.version],
  );
}

/** The queue lost the job: send it again under a new epoch, since queues ignore an id they have seen. */
export async function resendStrandedVersion(transaction: Transaction, job: StrandedJob): Promise<void> {
  const epoch = job.payload.epoch + 1;
  await transaction.query(
    `UPDATE item_versions SET epoch = $3, lease_until = now() + interval '60 seconds' WHERE item_id = $1 AND version = $2`,
    [job.payload.itemId, job.payload.version, epoch],
  );
  await enqueueItemJob(transaction, job.jobName, { ...job.payload, epoch });
}

/** Deletes and metadata refreshes that have been waiting for more than a minute are sent again; both are idempotent. */
export async function resendStaleHeads(transaction: Transaction, limit: number): Promise<number> {
  const deletes: StrandedRow[] = await transaction.query(
    `WITH stale AS (
       SELECT i.id FROM source_items i WHERE i.deleted_at IS NOT NULL AND i.purged_at IS NULL
         AND i.updated_at < now() - interval '60 seconds'
         AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payload->>'itemId' = i.id::text AND o.job_name = 'item.delete')
       LIMIT $1 FOR UPDATE SKIP LOCKED)
     SELECT i.tenant_id, i.id AS item_id, greatest(i.latest_version, 1) AS version, i.revision + 1 AS epoch,
       'deleting' AS state,
       coalesce((SELECT e.request_id FROM audit_events e WHERE e.tenant_id = i.tenant_id AND e.action = 'item.delete'
         AND e.target_id = i.id::text ORDER BY e.sequence DESC LIMIT 1), i.id) AS request_id
     FROM source_items i JOIN stale s ON s.id = i.id`,
    [limit],
  );
  const refreshes: StrandedRow[] = await transaction.query(
    `SELECT i.tenant_id, waiting.request_id, i.id AS item_id, i.latest_version AS version,
       i.revision + 1 AS epoch, 'refresh' AS state
     FROM (
       SELECT DISTINCT ON (n.item_id) n.item_id, n.request_id
       FROM ingestion_items n JOIN item_versions v ON v.item_id = n.item_id AND v.version = n.version
       WHERE n.state = 'accepted' AND n.state_at < now() - interval '60 seconds' AND v.state = 'indexed'
       ORDER BY n.item_id, n.state_at DESC) waiting
     JOIN source_items i ON i.id = waiting.item_id
     WHERE i.deleted_at IS NULL AND i.updated_at < now() - interval '60 seconds'
       AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payload->>'itemId' = i.id::text)
     LIMIT $1 FOR UPDATE OF i SKIP LOCKED`,
    [limit],
  );
  for (const row of [...deletes, ...refreshes]) {
    await transaction.query('UPDATE source_items SET revision = $2, updated_at = now() WHERE id = $1', [
      row.item_id,
      row.epoch,
    ]);
    await enqueueItemJob(
      transaction,
      row.state === 'deleting' ? 'item.delete' : 'item.refresh-metadata',
      payloadOf(row),
    );
  }
  return deletes.length + refreshes.length;
}
