import type { ItemState } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';
import { PERMITTED_ITEM, serviceViewer, visibilityParameters, type Visibility } from '../visibility.js';

/** Only the end is written down with the ingestion; until then it says what its version's state is. */
const SHOWN_STATE = `CASE WHEN n.state = 'accepted' AND v.state IN ('extracting', 'indexing') THEN v.state ELSE n.state END`;

const IS_WAITING = `v.state IN ('accepted', 'extracting', 'indexing') AND v.error_type IS NOT NULL`;

/** Why an unfinished item waits, and until when. */
export interface IngestionWait {
  type: string;
  message: string;
  nextAttemptAt: Date | null;
}

export interface IngestionRow {
  externalId: string;
  itemId: string;
  version: number;
  state: ItemState;
  error: { type: string; message: string } | null;
  waiting: IngestionWait | null;
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
    wait_type: string | null;
    wait_message: string | null;
    next_attempt_at: Date | null;
  }[] = await transaction.query(
    `SELECT i.external_id, n.item_id, n.version, n.error_type, n.error_message, ${SHOWN_STATE} AS state,
       CASE WHEN ${IS_WAITING} THEN v.error_type END AS wait_type, v.error_message AS wait_message, v.next_attempt_at
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
      waiting:
        row.wait_type === null
          ? null
          : { type: row.wait_type, message: row.wait_message ?? '', nextAttemptAt: row.next_attempt_at },
    })),
  };
}

export interface IngestionCounts {
  requestId: string;
  createdAt: Date;
  counts: Partial<Record<ItemState, number>>;
}

/** Newest first. A key sees its own requests whole, and of others the items that it may see; those without any are left out. */
export async function listIngestions(
  transaction: Transaction,
  viewer: Visibility & { apiKeyId: string },
  page: { cursor?: string | undefined; limit: number },
): Promise<Page<IngestionCounts>> {
  const after = decodeCursor(page.cursor);
  const rows: { request_id: string; created_at: Date; counts: Partial<Record<ItemState, number>> }[] =
    await transaction.query(
      `SELECT g.request_id, g.created_at, s.counts FROM ingestions g
       CROSS JOIN LATERAL (
         SELECT jsonb_object_agg(x.state, x.count) AS counts FROM (
           SELECT ${SHOWN_STATE} AS state, count(*) AS count
           FROM ingestion_items n JOIN source_items i ON i.id = n.item_id
             JOIN item_versions v ON v.item_id = n.item_id AND v.version = n.version
           WHERE n.tenant_id = g.tenant_id AND n.request_id = g.request_id
             AND (g.api_key_id = $4 OR (${PERMITTED_ITEM}))
           GROUP BY 1) x) s
       WHERE g.tenant_id = $1 AND s.counts IS NOT NULL
         AND ($5::timestamptz IS NULL OR (g.created_at, g.request_id) < ($5, $6::uuid))
       ORDER BY g.created_at DESC, g.request_id DESC LIMIT $7`,
      [...visibilityParameters(viewer), viewer.apiKeyId, after?.at ?? null, after?.id ?? null, page.limit + 1],
    );
  const found = rows.map((row) => ({ requestId: row.request_id, createdAt: row.created_at, counts: row.counts }));
  return pageOfRows(found, page.limit, (row) => ({ at: row.createdAt.toISOString(), id: row.requestId }));
}

export interface UnfinishedWork {
  counts: Partial<Record<ItemState, number>>;
  /** When the oldest entered its state; null when nothing is unfinished. */
  oldestAt: Date | null;
  indexedLastMinute: number;
  /** What keeps unfinished versions waiting, most first. */
  waiting: { type: string; count: number; nextAttemptAt: Date | null }[];
  /** Items that were deleted and whose content is not gone yet. */
  deleting: number;
  /** Items whose changed metadata are not in the index yet. */
  refreshing: number;
}

/** Of the items that the viewer may see. */
export async function summarizeUnfinished(transaction: Transaction, viewer: Visibility): Promise<UnfinishedWork> {
  const rows: { state: ItemState; count: string; oldest_at: Date }[] = await transaction.query(
    `SELECT v.state, count(*) AS count, min(v.state_at) AS oldest_at
     FROM item_versions v JOIN source_items i ON i.id = v.item_id
     WHERE v.tenant_id = $1 AND ${PERMITTED_ITEM} AND (v.state IN ('accepted', 'extracting', 'indexing')
       OR (v.state = 'indexed' AND v.state_at > now() - interval '1 minute'))
     GROUP BY v.state`,
    visibilityParameters(viewer),
  );
  const waiting: { type: string; count: string; next_attempt_at: Date | null }[] = await transaction.query(
    `SELECT v.error_type AS type, count(*) AS count, min(v.next_attempt_at) AS next_attempt_at
     FROM item_versions v JOIN source_items i ON i.id = v.item_id
     WHERE v.tenant_id = $1 AND ${PERMITTED_ITEM} AND ${IS_WAITING}
     GROUP BY v.error_type ORDER BY count(*) DESC, v.error_type`,
    visibilityParameters(viewer),
  );
  const others: { deleting: string; refreshing: string }[] = await transaction.query(
    `SELECT
       (SELECT count(*) FROM source_items i
        WHERE ${PERMITTED_ITEM} AND i.deleted_at IS NOT NULL AND i.purged_at IS NULL) AS deleting,
       (SELECT count(DISTINCT n.item_id) FROM ingestion_items n
          JOIN item_versions v ON v.item_id = n.item_id AND v.version = n.version JOIN source_items i ON i.id = n.item_id
        WHERE ${PERMITTED_ITEM} AND n.tenant_id = $1 AND n.state = 'accepted' AND v.state = 'indexed'
          AND i.deleted_at IS NULL) AS refreshing`,
    visibilityParameters(viewer),
  );
  const unfinished = rows.filter(({ state }) => state !== 'indexed');
  const oldest = unfinished.map((row) => row.oldest_at.getTime());
  return {
    counts: Object.fromEntries(unfinished.map(({ state, count }) => [state, Number(count)])),
    oldestAt: oldest.length === 0 ? null : new Date(Math.min(...oldest)),
    indexedLastMinute: Number(rows.find(({ state }) => state === 'indexed')?.count ?? 0),
    waiting: waiting.map((row) => ({ type: row.type, count: Number(row.count), nextAttemptAt: row.next_attempt_at })),
    deleting: Number(others[0]?.deleting ?? 0),
    refreshing: Number(others[0]?.refreshing ?? 0),
  };
}
