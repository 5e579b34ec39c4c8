import { In, type EntityManager } from 'typeorm';
import type { Transaction } from '../database.js';
import type { GenerationEntity } from '../entities/generation.entity.js';
import { ItemVersionEntity, SourceItemEntity } from '../entities/source-item.entity.js';
import { BEFORE_ALL_IDS } from '../page-cursor.js';
import type { NewChunk } from './item-completion.repository.js';

type Held = Pick<GenerationEntity, 'id' | 'tenantId'>;

export interface UnbuiltItem {
  itemId: string;
  /** Bytes of text of all versions that have to be built. */
  bytes: number;
}

/** Versions that were or are live: what an index holds, in its live or its history part. */
const BUILT_VERSION = `v.state = 'indexed' AND v.text IS NOT NULL`;

/** Live items that the generation lacks or holds in another version, in the order of their ids. Not for the live one. */
export async function findItemsOutOfStep(
  transaction: Transaction,
  generation: Held,
  after: string | null,
  limit: number,
): Promise<UnbuiltItem[]> {
  const rows: { id: string; bytes: string }[] = await transaction.query(
    `SELECT i.id, (SELECT coalesce(sum(octet_length(v.text)), 0) FROM item_versions v
       WHERE v.item_id = i.id AND v.version <= i.live_version AND ${BUILT_VERSION}) AS bytes
     FROM source_items i LEFT JOIN generation_items g ON g.generation_id = $2 AND g.item_id = i.id
     WHERE i.tenant_id = $1 AND i.id > $3 AND i.deleted_at IS NULL AND i.live_version IS NOT NULL
       AND g.version IS DISTINCT FROM i.live_version
     ORDER BY i.id LIMIT $4`,
    [generation.tenantId, generation.id, after ?? BEFORE_ALL_IDS, limit],
  );
  return rows.map(({ id, bytes }) => ({ itemId: id, bytes: Number(bytes) }));
}

export interface StepCounts {
  /** Live items of the tenant, and how many of them the generation holds in their live version. */
  total: number;
  done: number;
  missing: number;
  outdated: number;
}

export async function countSteps(transaction: Transaction, generation: Held): Promise<StepCounts> {
  const [row]: { total: string; done: string; missing: string }[] = await transaction.query(
    `SELECT count(*) AS total, count(*) FILTER (WHERE g.version = i.live_version) AS done,
       count(*) FILTER (WHERE g.version IS NULL) AS missing
     FROM source_items i LEFT JOIN generation_items g ON g.generation_id = $2 AND g.item_id = i.id
     WHERE i.tenant_id = $1 AND i.deleted_at IS NULL AND i.live_version IS NOT NULL`,
    [generation.tenantId, generation.id],
  );
  const [total, done, missing] = [Number(row?.total), Number(row?.done), Number(row?.missing)];
  return { total, done, missing, outdated: total - done - missing };
}

export interface ItemToBuild {
  head: SourceItemEntity;
  /** All that was ever live, the oldest first; the last one is live now. */
  versions: ItemVersionEntity[];
}

/** What the items' chunks are made of; items without a live version are left out. */
export async function loadItemsToBuild(
  transaction: Transaction,
  tenantId: string,
  itemIds: readonly string[],
): Promise<ItemToBuild[]> {
  const heads = await transaction.findBy(SourceItemEntity, { tenantId, id: In([...itemIds]) });
  const versions = await transaction
    .createQueryBuilder(ItemVersionEntity, 'v')
    .where(`v.itemId IN (:...itemIds) AND ${BUILT_VERSION}`, { itemIds })
    .orderBy('v.version')
    .getMany();
  return heads.flatMap((head) => {
    if (head.deletedAt || head.liveVersion === null) return [];
    const live = head.liveVersion;
    const own = versions.filter(({ itemId, version }) => itemId === head.id && version <= live);
    return own.at(-1)?.version === live ? [{ head, versions: own }] : [];
  });
}

/** Holds the heads as they are until the commit: a delete, a new version or a change of access waits for it. */
export function holdHeads(
  transaction: Transaction,
  tenantId: string,
  itemIds: readonly string[],
): Promise<SourceItemEntity[]> {
  return transaction.find(SourceItemEntity, {
    where: { tenantId, id: In([...itemIds]) },
    // As everybody locks heads, so that no two wait for each other crosswise.
    order: { id: 'ASC' },
    lock: { mode: 'pessimistic_read' },
  });
}

export interface BuiltVersion {
  itemId: string;
  version: number;
  chunks: readonly NewChunk[];
}

/** Keeps what was written to the generation's index: the chunks of all versions, and the version that is live there. */
export async function recordBuilt(
  transaction: Transaction,
  generation: Pick<GenerationEntity, 'id' | 'tenantId' | 'chunking' | 'status'>,
  built: readonly BuiltVersion[],
): Promise<void> {
  const rows = built.flatMap(({ itemId, version, chunks }) => chunks.map((chunk) => ({ ...chunk, itemId, version })));
  await transaction.query(
    `INSERT INTO chunks (id, tenant_id, item_id, version, ordinal, level, parent_id, previous_id, next_id, start_index,
       end_index, section_path, heading_text, chunking)
     SELECT d.id, $1, d."itemId", d.version, d.ordinal, d.level, d."parentId", d."previousId", d."nextId", d.start,
       d."end", d."sectionPath", d."headingText", $2
     FROM jsonb_to_recordset($3::jsonb) AS d(id uuid, "itemId" uuid, version integer, ordinal integer, level text,
       "parentId" uuid, "previousId" uuid, "nextId" uuid, start integer, "end" integer, "sectionPath" text[],
       "headingText" text)
     ON CONFLICT (id) DO NOTHING`,
    [generation.tenantId, generation.chunking, JSON.stringify(rows)],
  );
  await keepStep(
    transaction,
    built.map(({ itemId, version }) => ({ generationId: generation.id, itemId, version })),
  );
}

export interface Step {
  generationId: string;
  itemId: string;
  version: number;
}

/** The generations hold the items in these versions now; a newer one that they hold already stays. */
export async function keepStep(transaction: Transaction, steps: readonly Step[]): Promise<void> {
  if (steps.length === 0) return;
  await transaction.query(
    `INSERT INTO generation_items (generation_id, item_id, version)
     SELECT g.id, d.item_id, max(d.version) FROM unnest($1::uuid[], $2::uuid[], $3::integer[]) AS d(generation_id, item_id, version)
     JOIN generations g ON g.id = d.generation_id AND g.status <> 'live'
     GROUP BY g.id, d.item_id ORDER BY g.id, d.item_id
     ON CONFLICT (generation_id, item_id) DO UPDATE SET version = greatest(generation_items.version, excluded.version)`,
    [steps.map((step) => step.generationId), steps.map((step) => step.itemId), steps.map((step) => step.version)],
  );
}

/** The generation is taken not to hold the items: the next round of its work builds them anew. */
export async function loseStep(
  transaction: Transaction,
  generationId: string,
  itemIds: readonly string[],
): Promise<void> {
  await transaction.query('DELETE FROM generation_items WHERE generation_id = $1 AND item_id = ANY($2::uuid[])', [
    generationId,
    itemIds,
  ]);
}

/** The item is gone from every generation. */
export async function forgetItem(transaction: Transaction, itemId: string): Promise<void> {
  await transaction.query('DELETE FROM generation_items WHERE item_id = $1', [itemId]);
}

/**
 * Which of the generations hold the item in the version that is live now: those a new version may be written to. The
 * others lack its history, so that the build has to write it whole.
 */
export async function findGenerationsInStep(
  transaction: Transaction,
  itemId: string,
  generationIds: readonly string[],
): Promise<Set<string>> {
  const rows: { id: string }[] = await transaction.query(
    `SELECT g.id FROM unnest($2::uuid[]) AS g(id) JOIN source_items i ON i.id = $1
     LEFT JOIN generation_items s ON s.generation_id = g.id AND s.item_id = i.id
     WHERE s.version IS NOT DISTINCT FROM i.live_version`,
    [itemId, generationIds],
  );
  return new Set(rows.map((row) => row.id));
}

export interface IndexedItem {
  itemId: string;
  version: number;
}

const IN_WORK = `state IN ('accepted', 'extracting', 'indexing')`;

/** Those of which no version is on its way; while their heads are held, none begins. */
export async function findItemsAtRest(transaction: Transaction, itemIds: readonly string[]): Promise<Set<string>> {
  const rows: { id: string }[] = await transaction.query(
    `SELECT d.id FROM unnest($1::uuid[]) AS d(id)
     WHERE NOT EXISTS (SELECT 1 FROM item_versions WHERE item_id = d.id AND ${IN_WORK})`,
    [itemIds],
  );
  return new Set(rows.map((row) => row.id));
}

export interface TruthOfItem {
  itemId: string;
  liveVersion: number | null;
  latestVersion: number;
  isDeleted: boolean;
  isPurged: boolean;
  /** Above the live one, failed or superseded: they will never go live. */
  endedVersions: number[];
  /** Some version of it is on its way. */
  isInWork: boolean;
  updatedAt: Date;
}

/** What the database says of items that an index holds; absent = there is no such item of the tenant. */
export async function readTruth(
  transaction: Transaction,
  tenantId: string,
  itemIds: readonly string[],
): Promise<Map<string, TruthOfItem>> {
  const rows: {
    id: string;
    live_version: number | null;
    latest_version: number;
    deleted: boolean;
    purged: boolean;
    ended_versions: number[] | null;
    in_work: boolean;
    updated_at: Date;
  }[] = await transaction.query(
    `SELECT i.id, i.live_version, i.latest_version, i.deleted_at IS NOT NULL AS deleted,
       i.purged_at IS NOT NULL AS purged, i.updated_at, v.ended_versions, coalesce(v.in_work, false) AS in_work
     FROM source_items i LEFT JOIN LATERAL (
       SELECT array_agg(version) FILTER (WHERE state IN ('failed', 'superseded')) AS ended_versions,
         bool_or(${IN_WORK}) AS in_work
       FROM item_versions WHERE item_id = i.id AND version > coalesce(i.live_version, 0)
     ) v ON true
     WHERE i.tenant_id = $1 AND i.id = ANY($2::uuid[])`,
    [tenantId, itemIds],
  );
  return new Map(
    rows.map((row) => [
      row.id,
      {
        itemId: row.id,
        liveVersion: row.live_version,
        latestVersion: row.latest_version,
        isDeleted: row.deleted,
        isPurged: row.purged,
        endedVersions: row.ended_versions ?? [],
        isInWork: row.in_work,
        updatedAt: row.updated_at,
      },
    ]),
  );
}

/** The database's own clock. */
export async function readNow(transaction: Transaction): Promise<Date> {
  const [row]: { now: Date }[] = await transaction.query('SELECT now() AS now');
  if (!row) throw new Error('the database has no time');
  return row.now;
}

/** Ids of the live items that have not changed since then, a page in the order of ids. */
export async function listLiveItemIds(
  transaction: Transaction,
  tenantId: string,
  after: string | null,
  limit: number,
  since: Date,
): Promise<string[]> {
  const rows: { id: string }[] = await transaction.query(
    `SELECT id FROM source_items WHERE tenant_id = $1 AND id > $2 AND deleted_at IS NULL AND live_version IS NOT NULL
       AND updated_at <= $4
     ORDER BY id LIMIT $3`,
    [tenantId, after ?? BEFORE_ALL_IDS, limit, since],
  );
  return rows.map((row) => row.id);
}

/** Chunks are counted one by one up to here. */
const COUNTED_CHUNKS = 200_000;
/** Items whose chunks stand for those of all beyond it. */
const SAMPLED_ITEMS = 1_000;

/**
 * Chunks of all versions that a tenant has, up to `upTo`. Counted while they are few; beyond that estimated from some of
 * its live items, since counting hundreds of millions takes longer than a statement may.
 *
 * @param counted how far to count, for tests.
 */
export async function countChunksUpTo(
  manager: Pick<EntityManager, 'query'>,
  tenantId: string,
  upTo: number,
  counted = COUNTED_CHUNKS,
): Promise<number> {
  const exact = await countChunks(manager, tenantId, Math.min(upTo, counted));
  if (exact < counted || upTo <= counted) return exact;
  const [estimate]: { chunks: string | null }[] = await manager.query(
    `WITH sample AS (SELECT i.id FROM source_items i WHERE i.tenant_id = $1 AND i.live_version IS NOT NULL LIMIT $2)
     SELECT (SELECT max(g.item_count) FROM generations g WHERE g.tenant_id = $1)
       * (SELECT count(*) FROM sample s JOIN chunks c ON c.item_id = s.id)::numeric
       / nullif((SELECT count(*) FROM sample), 0) AS chunks`,
    [tenantId, SAMPLED_ITEMS],
  );
  return Math.min(upTo, Math.max(exact, Math.ceil(Number(estimate?.chunks ?? 0))));
}

async function countChunks(manager: Pick<EntityManager, 'query'>, tenantId: string, upTo: number): Promise<number> {
  const [found]: { count: string }[] = await manager.query(
    // By way of the items: chunks have no index by tenant.
    `SELECT count(*) AS count FROM (
       SELECT 1 FROM source_items i JOIN chunks c ON c.item_id = i.id WHERE i.tenant_id = $1 LIMIT $2) counted`,
    [tenantId, upTo],
  );
  return Number(found?.count ?? 0);
}
