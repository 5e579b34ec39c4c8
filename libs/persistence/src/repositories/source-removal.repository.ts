import type { Transaction } from '../database.js';
import { BEFORE_ALL_IDS } from '../page-cursor.js';
import { enqueue } from './outbox.repository.js';
import { endActiveRun } from './sync-run.repository.js';

/** Seconds in which a removal is expected to move on before the sweeper sends its next part. */
const REMOVAL_LEASE_SECONDS = 60;
/** A second's work. */
const ITEMS_A_STATEMENT = 10_000;

interface SourceKey {
  tenantId: string;
  sourceId: string;
}

export interface RemovalRequest {
  tenantId: string;
  sourceId: string;
  requestId: string;
  apiKeyId: string | null;
}

/**
 * Begins a removal, or begins it anew: all items are hidden by this very commit, credentials are gone, and no run goes on.
 * Nothing happens to a source that is removed already.
 */
export async function beginRemoval(transaction: Transaction, request: RemovalRequest): Promise<void> {
  const { tenantId, sourceId, requestId, apiKeyId } = request;
  const [sources]: [{ removal_slice: number }[], number] = await transaction.query(
    `UPDATE source_connectors SET state = 'deleting', credentials = NULL, credentials_key_id = NULL,
       credential_fields = '{}', cursor = NULL, wanted_mode = NULL, next_run_at = NULL, next_reconcile_at = NULL,
       removal_request_id = CASE WHEN state = 'deleting' THEN removal_request_id ELSE $3::uuid END,
       removal_api_key_id = CASE WHEN state = 'deleting' THEN removal_api_key_id ELSE $4::uuid END,
       removal_total = CASE WHEN state = 'deleting' THEN removal_total
         ELSE (SELECT count(*) FROM source_items i WHERE i.connector_id = $1 AND i.tenant_id = $2 AND i.purged_at IS NULL) END,
       removal_slice = removal_slice + 1, removal_after = NULL,
       removal_lease = now() + make_interval(secs => $5), updated_at = now()
     WHERE id = $1 AND tenant_id = $2 AND state <> 'deleted' RETURNING removal_slice`,
    [sourceId, tenantId, requestId, apiKeyId, REMOVAL_LEASE_SECONDS],
  );
  const source = sources[0];
  if (!source) return;
  await endActiveRun(transaction, sourceId);
  await transaction.query('DELETE FROM source_rereads WHERE source_id = $1', [sourceId]);
  await transaction.query('DELETE FROM source_unstored_ids WHERE source_id = $1', [sourceId]);
  await hideItems(transaction, request);
  await enqueueRemoval(transaction, { tenantId, sourceId, requestId }, source.removal_slice);
}

/**
 * In parts, so that no statement comes near its time limit, and in the order of ids, as whoever works on several items locks
 * them. All parts are of one commit: the next query sees none of the items, however many there are.
 */
async function hideItems(transaction: Transaction, { tenantId, sourceId }: SourceKey): Promise<void> {
  let after: string | undefined = BEFORE_ALL_IDS;
  while (after !== undefined) {
    const rows: { id: string }[] = await transaction.query(
      `WITH part AS (
         SELECT id FROM source_items WHERE connector_id = $1 AND tenant_id = $2 AND purged_at IS NULL AND id > $3
         ORDER BY id LIMIT $4
       ), hidden AS (
         UPDATE source_items SET deleted_at = now(), revision = revision + 1, updated_at = now()
         WHERE id = ANY (ARRAY(SELECT id FROM part)) AND deleted_at IS NULL
       )
       SELECT id FROM part ORDER BY id DESC LIMIT 1`,
      [sourceId, tenantId, after, ITEMS_A_STATEMENT],
    );
    after = rows[0]?.id;
  }
}

function enqueueRemoval(
  transaction: Transaction,
  key: { tenantId: string; sourceId: string; requestId: string },
  slice: number,
): Promise<void> {
  const payload = { ...key, slice };
  return enqueue(transaction, [{ tenantId: key.tenantId, jobName: 'source.remove', payload }]);
}

export interface RemovalSlice {
  requestId: string;
  apiKeyId: string | null;
  after: string | null;
  total: number;
}

/** Locks the source for one part of its removal; null when that part was done or the removal is over. */
export async function claimRemoval(
  transaction: Transaction,
  { sourceId, tenantId, slice }: { sourceId: string; tenantId: string; slice: number },
): Promise<RemovalSlice | null> {
  const rows: {
    removal_request_id: string;
    removal_api_key_id: string | null;
    removal_after: string | null;
    removal_total: number;
  }[] = await transaction.query(
    `SELECT removal_request_id, removal_api_key_id, removal_after, removal_total FROM source_connectors
     WHERE id = $1 AND tenant_id = $2 AND state = 'deleting' AND removal_slice = $3 FOR UPDATE`,
    [sourceId, tenantId, slice],
  );
  const row = rows[0];
  if (!row) return null;
  return {
    requestId: row.removal_request_id,
    apiKeyId: row.removal_api_key_id,
    after: row.removal_after,
    total: row.removal_total,
  };
}

/** The next items get their index deletes; returns their ids, none when all have one. Each is hidden, if it wasn't. */
export async function deleteNextItems(
  transaction: Transaction,
  key: SourceKey,
  removal: RemovalSlice,
  limit: number,
): Promise<string[]> {
  const [rows]: [{ id: string; version: number; revision: number }[], number] = await transaction.query(
    `WITH next AS (
       SELECT id FROM source_items WHERE connector_id = $1 AND tenant_id = $2 AND purged_at IS NULL
         AND id > $3 ORDER BY id LIMIT $4 FOR UPDATE)
     UPDATE source_items i SET deleted_at = coalesce(i.deleted_at, now()), revision = i.revision + 1, updated_at = now()
     FROM next WHERE i.id = next.id
     RETURNING i.id, greatest(i.latest_version, 1) AS version, i.revision`,
    [key.sourceId, key.tenantId, removal.after ?? BEFORE_ALL_IDS, limit],
  );
  const ids = rows.map((row) => row.id).sort();
  if (ids.length === 0) return [];
  for (const table of ['item_versions', 'ingestion_items'])
    await transaction.query(
      `UPDATE ${table} SET state = 'superseded', state_at = now()
       WHERE item_id = ANY($1::uuid[]) AND state IN ('accepted', 'extracting', 'indexing')`,
      [ids],
    );
  await enqueue(
    transaction,
    rows.map(({ id: itemId, version, revision: epoch }) => ({
      tenantId: key.tenantId,
      jobName: 'item.delete',
      payload: { tenantId: key.tenantId, requestId: removal.requestId, itemId, version, epoch },
    })),
  );
  return ids;
}

/** Hands over to the next part: at once, or by the sweeper after `waitSeconds`. */
export async function continueRemoval(
  transaction: Transaction,
  key: { sourceId: string; tenantId: string; requestId: string },
  next: { after: string | null; waitSeconds?: number },
): Promise<void> {
  const waits = next.waitSeconds !== undefined;
  const [rows]: [{ removal_slice: number }[], number] = await transaction.query(
    `UPDATE source_connectors SET removal_slice = removal_slice + CASE WHEN $3 THEN 0 ELSE 1 END,
       removal_after = coalesce($2, removal_after), removal_lease = now() + make_interval(secs => $4), updated_at = now()
     WHERE id = $1 RETURNING removal_slice`,
    [key.sourceId, next.after, waits, next.waitSeconds ?? REMOVAL_LEASE_SECONDS],
  );
  if (!waits && rows[0]) await enqueueRemoval(transaction, key, rows[0].removal_slice);
}

/**
 * Whether the index may still hold something of the source. Nothing comes in under its id but by its own syncs, which have ended;
 * what did all the same behind the parts is the last that is left, and hidden now.
 */
export async function hasItemsLeft(transaction: Transaction, key: SourceKey): Promise<boolean> {
  const rows: { is_living: boolean }[] = await transaction.query(
    `SELECT deleted_at IS NULL AS is_living FROM source_items
     WHERE connector_id = $1 AND tenant_id = $2 AND purged_at IS NULL ORDER BY id LIMIT 1`,
    [key.sourceId, key.tenantId],
  );
  if (rows[0]?.is_living === true) await hideItems(transaction, key);
  return rows.length > 0;
}

export async function completeRemoval(transaction: Transaction, sourceId: string): Promise<void> {
  await transaction.query(
    `UPDATE source_connectors SET state = 'deleted', removed_at = now(), removal_lease = NULL, settings = '{}',
       last_check = NULL, updated_at = now() WHERE id = $1`,
    [sourceId],
  );
}

/** Sends the next part of removals that wait for the index, or that the queue has lost; returns how many. */
export async function resendStaleRemovals(transaction: Transaction, limit: number): Promise<number> {
  const rows: { id: string; tenant_id: string; removal_request_id: string }[] = await transaction.query(
    `SELECT s.id, s.tenant_id, s.removal_request_id FROM source_connectors s
     WHERE s.state = 'deleting' AND s.removal_lease < now()
       AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payload ? 'sourceId' AND o.payload->>'sourceId' = s.id::text
         AND o.job_name = 'source.remove')
     ORDER BY s.removal_lease LIMIT $1 FOR UPDATE OF s SKIP LOCKED`,
    [limit],
  );
  for (const row of rows)
    await continueRemoval(
      transaction,
      { sourceId: row.id, tenantId: row.tenant_id, requestId: row.removal_request_id },
      { after: null },
    );
  return rows.length;
}
