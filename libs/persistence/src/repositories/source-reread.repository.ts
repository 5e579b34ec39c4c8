import type { Transaction } from '../database.js';

/** An item that an event told of. */
export interface WantedReread {
  externalId: string;
  /** As text, with the database's own precision: an event that comes meanwhile must not count as read. */
  requestedAt: string;
}

export async function requestReread(transaction: Transaction, sourceId: string, externalId: string): Promise<void> {
  await transaction.query(
    `INSERT INTO source_rereads (source_id, external_id) VALUES ($1, $2)
     ON CONFLICT (source_id, external_id) DO UPDATE SET requested_at = clock_timestamp()`,
    [sourceId, externalId],
  );
}

/** The oldest first. */
export async function listRereads(transaction: Transaction, sourceId: string, limit: number): Promise<WantedReread[]> {
  const rows: { external_id: string; requested_at: string }[] = await transaction.query(
    `SELECT external_id, requested_at::text FROM source_rereads WHERE source_id = $1 ORDER BY requested_at LIMIT $2`,
    [sourceId, limit],
  );
  return rows.map((row) => ({ externalId: row.external_id, requestedAt: row.requested_at }));
}

/** Those that were asked for again since stay. */
export async function completeRereads(
  transaction: Transaction,
  sourceId: string,
  rereads: readonly WantedReread[],
): Promise<void> {
  const rows = rereads.map(({ externalId, requestedAt }) => ({ external_id: externalId, requested_at: requestedAt }));
  await transaction.query(
    `DELETE FROM source_rereads r USING jsonb_to_recordset($2::jsonb) AS d(external_id text, requested_at timestamptz)
     WHERE r.source_id = $1 AND r.external_id = d.external_id AND r.requested_at = d.requested_at`,
    [sourceId, JSON.stringify(rows)],
  );
}
