import { v4 as randomUuid } from 'uuid';
import type { CreateCollectionBody, UpdateCollectionBody } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { CollectionEntity } from '../entities/collection.entity.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';
import { VISIBLE_ITEM, visibilityParameters, type Visibility } from '../visibility.js';

export type CollectionRow = CollectionEntity & { itemCount: number };

/** Prefixes LIKE's own metacharacters, so that a search for `50%` finds just that. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

async function withCounts(
  transaction: Transaction,
  viewer: Visibility,
  collections: CollectionEntity[],
): Promise<CollectionRow[]> {
  if (collections.length === 0) return [];
  const counts: { collection_id: string; count: string }[] = await transaction.query(
    `SELECT m.collection_id, count(*) AS count FROM collection_items m
     JOIN source_items i ON i.id = m.item_id AND m.item_type = 'document'
     WHERE ${VISIBLE_ITEM} AND m.collection_id = ANY($4::uuid[]) GROUP BY m.collection_id`,
    [...visibilityParameters(viewer), collections.map((collection) => collection.id)],
  );
  const byId = new Map(counts.map((row) => [row.collection_id, Number(row.count)]));
  return collections.map((collection) => Object.assign(collection, { itemCount: byId.get(collection.id) ?? 0 }));
}

export async function findCollection(
  transaction: Transaction,
  viewer: Visibility,
  id: string,
): Promise<CollectionRow | null> {
  const collection = await transaction.findOneBy(CollectionEntity, { tenantId: viewer.tenantId, id });
  return collection ? ((await withCounts(transaction, viewer, [collection]))[0] ?? null) : null;
}

export async function listCollections(
  transaction: Transaction,
  viewer: Visibility,
  filter: { search?: string | undefined; cursor?: string | undefined; limit: number },
): Promise<Page<CollectionRow>> {
  const after = decodeCursor(filter.cursor);
  const query = transaction
    .createQueryBuilder(CollectionEntity, 'c')
    .where('c.tenantId = :tenantId', { tenantId: viewer.tenantId })
    .orderBy('c.createdAt')
    .addOrderBy('c.id')
    .limit(filter.limit + 1);
  if (after) query.andWhere(`(c.createdAt, c.id) > (:at, :id)`, { ...after });
  if (filter.search)
    query.andWhere(`(c.name ILIKE :search OR c.description ILIKE :search)`, {
      search: `%${escapeLike(filter.search)}%`,
    });
  const page = pageOfRows(await query.getMany(), filter.limit, (row) => ({
    at: row.createdAt.toISOString(),
    id: row.id,
  }));
  return { ...page, rows: await withCounts(transaction, viewer, page.rows) };
}

export async function insertCollection(
  transaction: Transaction,
  tenantId: string,
  body: CreateCollectionBody,
): Promise<CollectionRow> {
  const id = randomUuid();
  await transaction.insert(CollectionEntity, {
    id,
    tenantId,
    name: body.name,
    description: body.description ?? null,
    color: body.color ?? null,
    icon: body.icon ?? null,
    tags: body.tags ?? [],
  });
  const created = await transaction.findOneByOrFail(CollectionEntity, { id });
  return Object.assign(created, { itemCount: 0 });
}

export async function updateCollection(
  transaction: Transaction,
  tenantId: string,
  id: string,
  body: UpdateCollectionBody,
): Promise<boolean> {
  const exists = await transaction.existsBy(CollectionEntity, { tenantId, id });
  if (!exists) return false;
  const change = Object.fromEntries(Object.entries<unknown>(body).filter(([, value]) => value !== undefined));
  if (Object.keys(change).length > 0) await transaction.update(CollectionEntity, { tenantId, id }, change);
  return true;
}

export async function deleteCollection(transaction: Transaction, tenantId: string, id: string): Promise<boolean> {
  const result = await transaction.delete(CollectionEntity, { tenantId, id });
  return (result.affected ?? 0) > 0;
}

export async function addCollectionItems(
  transaction: Transaction,
  tenantId: string,
  collectionId: string,
  itemIds: string[],
): Promise<number> {
  const inserted: unknown[] = await transaction.query(
    `INSERT INTO collection_items (collection_id, item_type, item_id, tenant_id)
     SELECT $2, 'document', id, $1 FROM unnest($3::uuid[]) AS id ORDER BY id
     ON CONFLICT DO NOTHING RETURNING item_id`,
    [tenantId, collectionId, itemIds],
  );
  return inserted.length;
}

export async function removeCollectionItems(
  transaction: Transaction,
  tenantId: string,
  collectionId: string,
  itemIds: string[],
): Promise<number> {
  const [removed]: [unknown[], number] = await transaction.query(
    `DELETE FROM collection_items WHERE tenant_id = $1 AND collection_id = $2 AND item_type = 'document'
       AND item_id = ANY($3::uuid[]) RETURNING item_id`,
    [tenantId, collectionId, itemIds],
  );
  return removed.length;
}

/** Which of the ids the viewer may see: others are answered as absent. */
export async function filterVisibleItems(
  transaction: Transaction,
  viewer: Visibility,
  itemIds: string[],
): Promise<Set<string>> {
  const rows: { id: string }[] = await transaction.query(
    `SELECT i.id FROM source_items i WHERE ${VISIBLE_ITEM} AND i.id = ANY($4::uuid[])`,
    [...visibilityParameters(viewer), itemIds],
  );
  return new Set(rows.map((row) => row.id));
}

export async function listCollectionItems(
  transaction: Transaction,
  viewer: Visibility,
  collectionId: string,
  filter: { cursor?: string | undefined; limit: number },
): Promise<Page<{ itemId: string; title: string; addedAt: Date }>> {
  const after = decodeCursor(filter.cursor);
  const rows: { id: string; title: string; added_at: Date }[] = await transaction.query(
    `SELECT i.id, i.title, m.added_at FROM collection_items m
     JOIN source_items i ON i.id = m.item_id AND m.item_type = 'document'
     WHERE ${VISIBLE_ITEM} AND m.collection_id = $4
       AND ($5::timestamptz IS NULL OR (m.added_at, m.item_id) > ($5, $6::uuid))
     ORDER BY m.added_at, m.item_id LIMIT $7`,
    [...visibilityParameters(viewer), collectionId, after?.at ?? null, after?.id ?? null, filter.limit + 1],
  );
  return pageOfRows(
    rows.map((row) => ({ itemId: row.id, title: row.title, addedAt: row.added_at })),
    filter.limit,
    (row) => ({ at: row.addedAt.toISOString(), id: row.itemId }),
  );
}

/** Which of the ids are no collection of the tenant's. */
export async function findMissingCollections(
  transaction: Transaction,
  tenantId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows: { id: string }[] = await transaction.query(
    'SELECT id FROM collections WHERE tenant_id = $1 AND id = ANY($2::uuid[])',
    [tenantId, ids],
  );
  const known = new Set(rows.map((row) => row.id));
  return new Set(ids.filter((id) => !known.has(id)));
}
