import type { ItemState } from '@candor/contracts';
import type { Transaction } from '../database.js';

export interface IngestionRow {
  externalId: string;
  itemId: string;
  version: number;
  state: ItemState;
  error: { type: string; message: string } | null;
}

export interface Ingestion {
  items: IngestionRow[];
  createdAt: Date;
}

export async function findIngestion(
  transaction: Transaction,
  tenantId: string,
  requestId: string,
): Promise<Ingestion | null> {
  const [ingestion]: { created_at: Date }[] = await transaction.query(
    'SELECT created_at FROM ingestions WHERE request_id = $1 AND tenant_id = $2',
    [requestId, tenantId],
  );
  if (!ingestion) return null;
  const rows: {
    external_id: string;
    item_id: string;
    version: number;
    state: ItemState;
    error_type: string | null;
    error_message: string | null;
  }[] = await transaction.query(
    `SELECT i.external_id, n.item_id, n.version, n.state, n.error_type, n.error_message
     FROM ingestion_items n JOIN source_items i ON i.id = n.item_id WHERE n.request_id = $1 ORDER BY n.ordinal`,
    [requestId],
  );
  return {
    createdAt: ingestion.created_at,
    items: rows.map((row) => ({
      externalId: row.external_id,
      itemId: row.item_id,
      version: row.version,
      state: row.state,
      error: row.error_type === null ? null : { type: row.error_type, message: row.error_message ?? '' },
    })),
  };
}
