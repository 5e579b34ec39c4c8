import type { Transaction } from '../database.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';
import { VISIBLE_ITEM, visibilityParameters, type Visibility } from '../visibility.js';

export type CollectionItemType = 'prompt' | 'document';

/** Who looks at a library: prompts have no readers of their own, so a key may use all of them or none. */
export interface LibraryViewer extends Visibility {
  prompts: boolean;
}

/** How many were not in it before. */
export async function addCollectionItems(
  transaction: Transaction,
  tenantId: string,
  collectionId: string,
  itemIds: readonly string[],
  itemType: CollectionItemType = 'document',
): Promise<number> {
  const inserted: unknown[] = await transaction.query(
    `INSERT INTO collection_items (collection_id, item_type, item_id, tenant_id)
     SELECT $2, $4, id, $1 FROM unnest($3::uuid[]) AS id ORDER BY id
     ON CONFLICT DO NOTHING RETURNING item_id`,
    [tenantId, collectionId, itemIds, itemType],
  );
  return inserted.length;
}

/** How many were in it. */
export async function removeCollectionItems(
  transaction: Transaction,
  tenantId: string,
  collectionId: string,
  itemIds: readonly string[],
  itemType: CollectionItemType = 'document',
): Promise<number> {
  const [removed]: [unknown[], number] = await transaction.query(
    `DELETE FROM collection_items WHERE tenant_id = $1 AND collection_id = $2 AND item_type = $4
       AND item_id = ANY($3::uuid[]) RETURNING item_id`,
    [tenantId, collectionId, itemIds, itemType],
  );
  return removed.length;
}

/** Which of the ids are documents that the viewer may see: others are answered as absent. */
export async function filterVisibleItems(
  transaction: Transaction,
  viewer: Visibility,
  itemIds: readonly string[],
): Promise<Set<string>> {
  const rows: { id: string }[] = await transaction.query(
    `SELECT i.id FROM source_items i WHERE ${VISIBLE_ITEM} AND i.id = ANY($4::uuid[])`,
    [...visibilityParameters(viewer), itemIds],
  );
  return new Set(rows.map((row) => row.id));
}

/** What the viewer may see of the members, as (collection_id, item_id, item_type, added_at, title). */
const VISIBLE_MEMBERS = `SELECT m.collection_id, m.item_id, m.item_type, m.added_at, i.title
    FROM collection_items m JOIN source_items i ON i.id = m.item_id AND m.item_type = 'document'
    WHERE ${VISIBLE_ITEM} AND m.tenant_id = $1 AND m.collection_id = ANY($5::uuid[])
  UNION ALL
  SELECT m.collection_id, m.item_id, m.item_type, m.added_at, p.title
    FROM collection_items m JOIN prompts p ON p.id = m.item_id AND p.tenant_id = m.tenant_id AND m.item_type = 'prompt'
    WHERE $4 AND m.tenant_id = $1 AND m.collection_id = ANY($5::uuid[])`;

function memberParameters(viewer: LibraryViewer, collectionIds: readonly string[]): unknown[] {
  return [...visibilityParameters(viewer), viewer.prompts, collectionIds];
}

/** By collection; those without one are not in it. */
export async function countCollectionItems(
  transaction: Transaction,
  viewer: LibraryViewer,
  collectionIds: readonly string[],
): Promise<Map<string, number>> {
  const rows: { collection_id: string; count: string }[] = await transaction.query(
    `SELECT x.collection_id, count(*) AS count FROM (${VISIBLE_MEMBERS}) x GROUP BY x.collection_id`,
    memberParameters(viewer, collectionIds),
  );
  return new Map(rows.map((row) => [row.collection_id, Number(row.count)]));
}

export interface CollectionItemRow {
  itemId: string;
  itemType: CollectionItemType;
  title: string;
  addedAt: Date;
}

/** In the order in which they were put in. */
export async function listCollectionItems(
  transaction: Transaction,
  viewer: LibraryViewer,
  collectionId: string,
  filter: { cursor?: string | undefined; limit: number },
): Promise<Page<CollectionItemRow>> {
  const after = decodeCursor(filter.cursor);
  const rows: CollectionItemRow[] = await transaction.query(
    `SELECT x.item_id AS "itemId", x.item_type AS "itemType", x.title, x.added_at AS "addedAt"
     FROM (${VISIBLE_MEMBERS}) x
     WHERE $6::timestamptz IS NULL OR (x.added_at, x.item_id) > ($6, $7::uuid)
     ORDER BY x.added_at, x.item_id LIMIT $8`,
    [...memberParameters(viewer, [collectionId]), after?.at ?? null, after?.id ?? null, filter.limit + 1],
  );
  return pageOfRows(rows, filter.limit, (row) => ({ at: row.addedAt.toISOString(), id: row.itemId }));
}
