import { v4 as randomUuid } from 'uuid';
import type { CreateCollectionBody, UpdateCollectionBody } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { CollectionEntity } from '../entities/collection.entity.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';
import { countCollectionItems, type LibraryViewer } from './collection-item.repository.js';

export type CollectionRow = CollectionEntity & { itemCount: number };

/** Prefixes LIKE's own metacharacters, so that a search for `50%` finds just that. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

async function withCounts(
  transaction: Transaction,
  viewer: LibraryViewer,
  collections: CollectionEntity[],
): Promise<CollectionRow[]> {
  if (collections.length === 0) return [];
  const ids = collections.map((collection) => collection.id);
  const counts = await countCollectionItems(transaction, viewer, ids);
  return collections.map((collection) => Object.assign(collection, { itemCount: counts.get(collection.id) ?? 0 }));
}

export async function findCollection(
  transaction: Transaction,
  viewer: LibraryViewer,
  id: string,
): Promise<CollectionRow | null> {
  const collection = await transaction.findOneBy(CollectionEntity, { tenantId: viewer.tenantId, id });
  return collection ? ((await withCounts(transaction, viewer, [collection]))[0] ?? null) : null;
}

export async function listCollections(
  transaction: Transaction,
  viewer: LibraryViewer,
  filter: {
    search?: string | undefined;
    tags?: readonly string[] | undefined;
    cursor?: string | undefined;
    limit: number;
  },
): Promise<Page<CollectionRow>> {
  const after = decodeCursor(filter.cursor);
  const query = transaction
    .createQueryBuilder(CollectionEntity, 'c')
    .where('c.tenantId = :tenantId', { tenantId: viewer.tenantId })
    .orderBy('c.createdAt')
    .addOrderBy('c.id')
    .limit(filter.limit + 1);
  if (after) query.andWhere(`(c.createdAt, c.id) > (:at, :id)`, { ...after });
  if (filter.tags && filter.tags.length > 0) query.andWhere('c.tags @> :tags', { tags: filter.tags });
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
  // What found it by its former meaning goes with that.
  if (body.name !== undefined || body.description !== undefined)
    await transaction.query(
      `UPDATE collections SET text_revision = text_revision + 1, embedding = NULL, embedding_profile = NULL
       WHERE tenant_id = $1 AND id = $2`,
      [tenantId, id],
    );
  return true;
}

export async function deleteCollection(transaction: Transaction, tenantId: string, id: string): Promise<boolean> {
  const result = await transaction.delete(CollectionEntity, { tenantId, id });
  return (result.affected ?? 0) > 0;
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
