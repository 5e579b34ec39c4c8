import type { Provider } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { findDeletedByCaller } from './deleted-item.repository.js';
import type { SourceKey } from './sync-batch.repository.js';
import type { SyncRunRecord } from './sync-run.repository.js';

/**
 * Ids that are named and not stored; those that are, or that a caller deleted, are left out. `isOpen`: something may
 * still bring them. What was closed stays so while listings go on naming it.
 */
export async function noteUnstored(
  transaction: Transaction,
  { tenantId, sourceId }: SourceKey,
  provider: Provider,
  externalIds: readonly string[],
  isOpen: boolean,
): Promise<void> {
  if (externalIds.length === 0) return;
  const rows: { external_id: string }[] = await transaction.query(
    `SELECT DISTINCT d.external_id FROM unnest($4::text[]) AS d(external_id)
     WHERE NOT EXISTS (SELECT 1 FROM source_items i WHERE i.tenant_id = $1 AND i.provider = $2
       AND coalesce(i.connector_id, '00000000-0000-0000-0000-000000000000') = $3
       AND i.external_id = d.external_id AND i.deleted_at IS NULL)`,
    [tenantId, provider, sourceId, externalIds],
  );
  const named = rows.map((row, ordinal) => ({
    ordinal,
    provider,
    connectorId: sourceId,
    externalId: row.external_id,
  }));
  const suppressed = await findDeletedByCaller(transaction, tenantId, named);
  const unstored = named.filter(({ ordinal }) => !suppressed.has(ordinal)).map(({ externalId }) => externalId);
  if (unstored.length === 0) return;
  await transaction.query(
    `INSERT INTO source_unstored_ids AS u (source_id, external_id, is_open)
     SELECT $1, d.external_id, $3 FROM unnest($2::text[]) AS d(external_id) ORDER BY d.external_id
     ON CONFLICT (source_id, external_id)
     DO UPDATE SET listed_at = clock_timestamp(), is_open = u.is_open AND excluded.is_open`,
    [sourceId, unstored, isOpen],
  );
}

/**
 * After a listing that began at `since`: the ids that an earlier one named too and that a run from then till now should
 * have brought, had the provider told it of them. Each is given once. What the listing didn't name is forgotten.
 */
export async function takeMissed(
  transaction: Transaction,
  run: Pick<SyncRunRecord, 'sourceId' | 'mode' | 'startedAt'>,
  since: Date,
): Promise<string[]> {
  await transaction.query('DELETE FROM source_unstored_ids WHERE source_id = $1 AND listed_at < $2', [
    run.sourceId,
    since,
  ]);
  const [rows]: [{ external_id: string }[], number] = await transaction.query(
    `UPDATE source_unstored_ids u SET is_open = false
     WHERE u.source_id = $1 AND u.is_open AND u.noted_at < greatest($2::timestamptz, (
       SELECT max(r.started_at) FROM sync_runs r WHERE r.source_id = $1 AND r.mode <> 'reconcile'
         AND r.state IN ('succeeded', 'succeeded_with_errors')))
     RETURNING u.external_id`,
    [run.sourceId, run.mode === 'full' ? run.startedAt : null],
  );
  // A full run asked for everything a moment ago.
  return run.mode === 'full' ? [] : rows.map((row) => row.external_id);
}
