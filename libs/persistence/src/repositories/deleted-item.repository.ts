import type { Provider } from '@candor/contracts';
import type { Transaction } from '../database.js';

/** What names an item, and the place of that name in a call. */
export interface NamedItem {
  ordinal: number;
  provider: Provider;
  /** Absent = pushed without a source. */
  connectorId?: string | undefined;
  externalId: string;
}

export interface DeletedItem {
  itemId: string;
  version: number;
}

/**
 * By ordinal: items of sources whose newest tombstone is a caller's. Their sources may name them again; they stay deleted.
 * Whether there is a living one is not looked at.
 */
export async function findDeletedByCaller(
  transaction: Transaction,
  tenantId: string,
  items: readonly NamedItem[],
): Promise<Map<number, DeletedItem>> {
  const keys = items.flatMap(({ ordinal, provider, connectorId, externalId }) =>
    connectorId === undefined ? [] : [{ ordinal, provider, connector_id: connectorId, external_id: externalId }],
  );
  if (keys.length === 0) return new Map();
  const rows: { ordinal: number; id: string; latest_version: number }[] = await transaction.query(
    `SELECT d.ordinal, t.id, t.latest_version
     FROM jsonb_to_recordset($2::jsonb) AS d(ordinal integer, provider text, connector_id uuid, external_id text)
     CROSS JOIN LATERAL (
       SELECT i.id, i.latest_version, i.deleted_by FROM source_items i
       WHERE i.tenant_id = $1 AND i.provider = d.provider AND i.connector_id = d.connector_id
         AND i.external_id = d.external_id AND i.deleted_at IS NOT NULL
       ORDER BY i.deleted_at DESC, i.created_at DESC LIMIT 1
     ) t WHERE t.deleted_by = 'caller'`,
    [tenantId, JSON.stringify(keys)],
  );
  return new Map(rows.map((row) => [row.ordinal, { itemId: row.id, version: row.latest_version }]));
}

/**
 * Of these tombstones those that the key knows nothing of: it never pushed them, and not everybody could see them. Who else
 * could is not kept with what is gone.
 */
export async function findUnknownTombstones(
  transaction: Transaction,
  tenantId: string,
  apiKeyId: string,
  itemIds: readonly string[],
): Promise<Set<string>> {
  const rows: { id: string }[] = await transaction.query(
    `SELECT i.id FROM source_items i
     WHERE i.tenant_id = $1 AND i.id = ANY($3::uuid[]) AND i.access_mode <> 'provider_scope' AND NOT EXISTS (
       SELECT 1 FROM ingestion_items n JOIN ingestions g ON g.tenant_id = n.tenant_id AND g.request_id = n.request_id
       WHERE n.item_id = i.id AND n.tenant_id = $1 AND g.api_key_id = $2)`,
    [tenantId, apiKeyId, itemIds],
  );
  return new Set(rows.map((row) => row.id));
}

/** Who deleted it: a tombstone of a caller's holds whatever the item's source says. */
export async function markDeletedByCaller(transaction: Transaction, tenantId: string, itemId: string): Promise<void> {
  await transaction.query(
    `UPDATE source_items SET deleted_by = 'caller' WHERE id = $2 AND tenant_id = $1 AND deleted_at IS NOT NULL`,
    [tenantId, itemId],
  );
}
