import type { ExpandDirection, Level } from '@candor/contracts';

/** A node of an item's tree, of any version. Offsets count UTF-16 units of the version's normalized text. */
export interface ChunkNodeRecord {
  chunkId: string;
  itemId: string;
  version: number;
  /** 0-based among the nodes of the version. */
  ordinal: number;
  level: Level;
  parentId: string | null;
  previousId: string | null;
  nextId: string | null;
  startIndex: number;
  endIndex: number;
  sectionPath: string[];
  headingText: string | null;
  content: string;
}

export interface ChunkRecord extends ChunkNodeRecord {
  /** Nodes of the version, of one way of cutting it. */
  total: number;
}

/** A chunk and what a direction leads to. */
export interface ChunkExpansion {
  chunk: ChunkRecord;
  /** `up`: the nearest first; else in reading order. */
  found: ChunkNodeRecord[];
}

export type ViewQuery = <Row>(sql: string, parameters: unknown[]) => Promise<Row[]>;

interface ChunkRow {
  id: string;
  item_id: string;
  version: number;
  ordinal: number;
  level: Level;
  parent_id: string | null;
  previous_id: string | null;
  next_id: string | null;
  start_index: number;
  end_index: number;
  section_path: string[];
  heading_text: string | null;
}

const COLUMNS = `c.id, c.item_id, c.version, c.ordinal, c.level, c.parent_id, c.previous_id, c.next_id, c.start_index,
  c.end_index, c.section_path, c.heading_text`;

/** A chunk of any version of an undeleted item, however often the item was edited or cut anew since. */
export async function readChunk(query: ViewQuery, tenantId: string, chunkId: string): Promise<ChunkRecord | null> {
  return (await readWithText(query, tenantId, chunkId))?.chunk ?? null;
}

/**
 * At most `count` chunks of one direction, of the same version and way of cutting as the chunk itself; of `surrounding`
 * so many on each side. null = there is no such chunk.
 */
export async function expandChunk(
  query: ViewQuery,
  tenantId: string,
  chunkId: string,
  step: { direction: ExpandDirection; count: number },
): Promise<ChunkExpansion | null> {
  const read = await readWithText(query, tenantId, chunkId);
  if (!read) return null;
  const { chunk, text } = read;
  const rows = await listRows(query, tenantId, chunk, step);
  return { chunk, found: rows.map((row) => toNode(row, text)) };
}

/** Offsets count UTF-16 units, so the text is cut here and not in SQL. */
async function readWithText(
  query: ViewQuery,
  tenantId: string,
  chunkId: string,
): Promise<{ chunk: ChunkRecord; text: string } | null> {
  const [row] = await query<ChunkRow & { total: string; text: string }>(
    `SELECT ${COLUMNS}, v.text, (SELECT count(*) FROM chunks x WHERE x.item_id = c.item_id AND x.version = c.version
         AND x.chunking = c.chunking) AS total
     FROM chunks c JOIN source_items i ON i.id = c.item_id AND i.deleted_at IS NULL
     JOIN item_versions v ON v.item_id = c.item_id AND v.version = c.version AND v.text IS NOT NULL
     WHERE c.id = $1 AND c.tenant_id = $2`,
    [chunkId, tenantId],
  );
  return row ? { chunk: { ...toNode(row, row.text), total: Number(row.total) }, text: row.text } : null;
}

async function listRows(
  query: ViewQuery,
  tenantId: string,
  chunk: ChunkRecord,
  { direction, count }: { direction: ExpandDirection; count: number },
): Promise<ChunkRow[]> {
  switch (direction) {
    case 'up':
      return walk(query, tenantId, 'parent_id', chunk.parentId, count);
    case 'down':
      return query<ChunkRow>(
        `SELECT ${COLUMNS} FROM chunks c WHERE c.tenant_id = $1 AND c.item_id = $2 AND c.version = $3
           AND c.parent_id = $4 ORDER BY c.ordinal LIMIT $5`,
        [tenantId, chunk.itemId, chunk.version, chunk.chunkId, count],
      );
    case 'next':
      return walk(query, tenantId, 'next_id', chunk.nextId, count);
    case 'previous':
      return (await walk(query, tenantId, 'previous_id', chunk.previousId, count)).reverse();
    case 'surrounding': {
      const [before, after] = await Promise.all([
        walk(query, tenantId, 'previous_id', chunk.previousId, count),
        walk(query, tenantId, 'next_id', chunk.nextId, count),
      ]);
      return [...before.reverse(), ...after];
    }
  }
}

/** Follows one link from node to node, the first one included. */
async function walk(
  query: ViewQuery,
  tenantId: string,
  link: 'parent_id' | 'previous_id' | 'next_id',
  firstId: string | null,
  count: number,
): Promise<ChunkRow[]> {
  if (firstId === null) return [];
  return query<ChunkRow>(
    `WITH RECURSIVE walk(id, steps) AS (
       SELECT $2::uuid, 1
       UNION ALL SELECT n.${link}, w.steps + 1 FROM walk w JOIN chunks n ON n.id = w.id
         WHERE w.steps < $3 AND n.${link} IS NOT NULL)
     SELECT ${COLUMNS} FROM walk w JOIN chunks c ON c.id = w.id AND c.tenant_id = $1 ORDER BY w.steps`,
    [tenantId, firstId, count],
  );
}

function toNode(row: ChunkRow, text: string): ChunkNodeRecord {
  return {
    chunkId: row.id,
    itemId: row.item_id,
    version: row.version,
    ordinal: row.ordinal,
    level: row.level,
    parentId: row.parent_id,
    previousId: row.previous_id,
    nextId: row.next_id,
    startIndex: row.start_index,
    endIndex: row.end_index,
    sectionPath: row.section_path,
    headingText: row.heading_text,
    content: text.slice(row.start_index, row.end_index),
  };
}
