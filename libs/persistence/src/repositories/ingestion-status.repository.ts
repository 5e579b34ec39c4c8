import type { ItemState } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { PERMITTED_ITEM, serviceViewer, visibilityParameters, type Visibility } from '../visibility.js';

/** Only the end is written down with the ingestion; until then it says what its version's state is. */
const SHOWN_STATE = `CASE WHEN n.state = 'accepted' AND v.state IN ('extracting', 'indexing') THEN v.state ELSE n.state END`;

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

/**
 * The key that made the request sees all of it; another key sees the items that it may see, and no request without one.
 * Null when there is nothing to see.
 */
export async function findIngestion(
  transaction: Transaction,
  viewer: Visibility & { apiKeyId?: string },
  requestId: string,
): Promise<Ingestion | null> {
  const [ingestion]: { created_at: Date; api_key_id: string | null }[] = await transaction.query(
    'SELECT created_at, api_key_id FROM ingestions WHERE request_id = $1 AND tenant_id = $2',
    [requestId, viewer.tenantId],
  );
  if (!ingestion) return null;
  const isOwn = ingestion.api_key_id !== null && ingestion.api_key_id === viewer.apiKeyId;
  const rows: {
    external_id: string;
    item_id: string;
    version: number;
    state: ItemState;
    error_type: string | null;
    error_message: string | null;
  }[] = await transaction.query(
    `SELECT i.external_id, n.item_id, n.version, n.error_type, n.error_message, ${SHOWN_STATE} AS state
     FROM ingestion_items n JOIN source_items i ON i.id = n.item_id
       JOIN item_versions v ON v.item_id = n.item_id AND v.version = n.version
     WHERE ${PERMITTED_ITEM} AND n.tenant_id = $1 AND n.request_id = $4 ORDER BY n.ordinal`,
    [...visibilityParameters(isOwn ? serviceViewer(viewer.tenantId) : viewer), requestId],
  );
  if (rows.length === 0) return null;
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
