import { In } from 'typeorm';
import type { Transaction } from '../database.js';
import { GenerationEntity } from '../entities/generation.entity.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';

export type GenerationView = GenerationEntity & {
  /** Live items of the tenant, and how many of them it holds in their live version. */
  itemsTotal: number;
  itemsDone: number;
};

/** Newest first. */
export async function listGenerations(
  transaction: Transaction,
  tenantId: string,
  filter: { cursor?: string | undefined; limit: number },
): Promise<Page<GenerationView>> {
  const after = decodeCursor(filter.cursor);
  const query = transaction
    .createQueryBuilder(GenerationEntity, 'g')
    .where('g.tenantId = :tenantId', { tenantId })
    .orderBy('g.createdAt', 'DESC')
    .addOrderBy('g.id', 'DESC')
    .limit(filter.limit + 1);
  if (after) query.andWhere(`(g.createdAt, g.id) < (:at, :id)`, { ...after });
  const page = pageOfRows(await query.getMany(), filter.limit, (row) => ({
    at: row.createdAt.toISOString(),
    id: row.id,
  }));
  return { ...page, rows: await withContent(transaction, tenantId, page.rows) };
}

export async function viewGeneration(
  transaction: Transaction,
  tenantId: string,
  id: string,
): Promise<GenerationView | null> {
  const found = await transaction.findBy(GenerationEntity, { tenantId, id: In([id]) });
  const [view] = await withContent(transaction, tenantId, found);
  return view ?? null;
}

/** 2^128 */
const CORPUS_MODULUS = '340282366920938463463374607431768211456';

async function withContent(
  transaction: Transaction,
  tenantId: string,
  generations: GenerationEntity[],
): Promise<GenerationView[]> {
  if (generations.length === 0) return [];
  const [totals]: { total: string }[] = await transaction.query(
    `SELECT count(*) AS total FROM source_items
     WHERE tenant_id = $1 AND deleted_at IS NULL AND live_version IS NOT NULL`,
    [tenantId],
  );
  const total = Number(totals?.total ?? 0);
  const recorded = generations.filter((each) =>
    ['building', 'ready', 'previous', 'retiring', 'failed'].includes(each.status),
  );
  const rows: { generation_id: string; items: number; done: string; sum: string }[] = await transaction.query(
    `SELECT g.generation_id, count(*)::integer AS items,
       count(*) FILTER (WHERE i.live_version = g.version AND i.deleted_at IS NULL) AS done,
       mod(sum(corpus_term(g.item_id, g.version, v.content_hash)), ${CORPUS_MODULUS}) AS sum
     FROM generation_items g JOIN item_versions v ON v.item_id = g.item_id AND v.version = g.version
     JOIN source_items i ON i.id = g.item_id
     WHERE g.generation_id = ANY($1::uuid[]) GROUP BY g.generation_id`,
    [recorded.map((each) => each.id)],
  );
  const held = new Map(rows.map((row) => [row.generation_id, row]));
  return generations.map((generation) => {
    if (generation.status === 'live') return Object.assign(generation, { itemsTotal: total, itemsDone: total });
    if (generation.status === 'retired') return Object.assign(generation, { itemsTotal: total, itemsDone: 0 });
    const own = held.get(generation.id);
    return Object.assign(generation, {
      corpusSum: own?.sum ?? '0',
      itemCount: own?.items ?? 0,
      itemsTotal: total,
      itemsDone: Number(own?.done ?? 0),
    });
  });
}
