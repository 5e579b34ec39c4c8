import type { Transaction } from '../database.js';

/** An item that is to be read again: an event told of it, or a listing. */
export interface WantedReread {
  externalId: string;
  /** As text, with the database's own precision: an event that comes meanwhile must not count as read. */
  requestedAt: string;
}

export function requestReread(transaction: Transaction, sourceId: string, externalId: string): Promise<void> {
  return requestRereads(transaction, sourceId, [externalId]);
}

export async function requestRereads(
  transaction: Transaction,
  sourceId: string,
  externalIds: readonly string[],
): Promise<void> {
  if (externalIds.length === 0) return;
  await transaction.query(
    `INSERT INTO source_rereads (source_id, external_id)
     SELECT DISTINCT $1::uuid, d.external_id FROM unnest($2::text[]) AS d(external_id) ORDER BY d.external_id
     ON CONFLICT (source_id, external_id) DO UPDATE SET requested_at = clock_timestamp()`,
    [sourceId, externalIds],
  );
}

/** The oldest first; `before`: of those that were last asked for until then. */
export async function listRereads(
  transaction: Transaction,
  sourceId: string,
  limit: number,
  before: Date | null = null,
): Promise<WantedReread[]> {
  const rows: { external_id: string; requested_at: string }[] = await transaction.query(
    `SELECT external_id, requested_at::text FROM source_rereads
     WHERE source_id = $1 AND ($3::timestamptz IS NULL OR requested_at < $3) ORDER BY requested_at LIMIT $2`,
    [sourceId, limit, before],
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
