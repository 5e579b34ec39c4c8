import type { Transaction } from '../database.js';
import { VISIBLE_ITEM, visibilityParameters, type Visibility } from '../visibility.js';

/** Where a cited chunk stands, whatever its version. */
export interface CitedChunk {
  chunkId: string;
  itemId: string;
  version: number;
  /** SHA-256 (hex) of that version's content. */
  contentHash: string;
  /** UTF-16 offsets into the text of its version. */
  startIndex: number;
  endIndex: number;
  liveVersion: number;
}

/** By chunk id; what is absent, deleted or not for this viewer is left out alike. */
export async function findCitedChunks(
  transaction: Transaction,
  viewer: Visibility,
  chunkIds: readonly string[],
): Promise<Map<string, CitedChunk>> {
  const rows: {
    id: string;
    item_id: string;
    version: number;
    content_hash: string;
    start_index: number;
    end_index: number;
    live_version: number;
  }[] = await transaction.query(
    `SELECT c.id, c.item_id, c.version, v.content_hash, c.start_index, c.end_index, i.live_version
     FROM chunks c JOIN source_items i ON i.id = c.item_id JOIN item_versions v ON v.item_id = c.item_id AND v.version = c.version
     WHERE ${VISIBLE_ITEM} AND c.tenant_id = $1 AND c.id = ANY($4::uuid[]) AND i.live_version IS NOT NULL`,
    [...visibilityParameters(viewer), chunkIds],
  );
  return new Map(
    rows.map((row) => [
      row.id,
      {
        chunkId: row.id,
        itemId: row.item_id,
        version: row.version,
        contentHash: row.content_hash,
        startIndex: row.start_index,
        endIndex: row.end_index,
        liveVersion: row.live_version,
      },
    ]),
  );
}

/** The newest version with that content hash that ever was searchable; of several, `preferred` if it is among them. */
export async function findVersionByHash(
  transaction: Transaction,
  tenantId: string,
  itemId: string,
  { contentHash, preferred }: { contentHash: string; preferred: number },
): Promise<number | null> {
  const rows: { version: number }[] = await transaction.query(
    `SELECT v.version FROM item_versions v
     WHERE v.tenant_id = $1 AND v.item_id = $2 AND v.content_hash = $3 AND v.text IS NOT NULL AND v.state = 'indexed'
     ORDER BY v.version = $4 DESC, v.version DESC LIMIT 1`,
    [tenantId, itemId, contentHash, preferred],
  );
  return rows[0]?.version ?? null;
}

/** The normalized text; null once it is purged. */
export async function readVersionText(
  transaction: Transaction,
  tenantId: string,
  itemId: string,
  version: number,
): Promise<string | null> {
  const rows: { text: string | null }[] = await transaction.query(
    'SELECT v.text FROM item_versions v WHERE v.tenant_id = $1 AND v.item_id = $2 AND v.version = $3',
    [tenantId, itemId, version],
  );
  return rows[0]?.text ?? null;
}
