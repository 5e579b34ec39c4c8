import type { LiteralMatch } from './library-views.js';
import { LONGEST_CHANGE_MS, scanNewestFirst, type Changed } from './scan-newest-first.js';
import { VISIBLE_ITEM, visibilityParameters, type Visibility } from './visibility.js';

export interface LiteralQuery {
  text: string;
  /** All of them; [] = whatever. */
  tags: readonly string[];
  limit: number;
  signal: AbortSignal;
}

/** One short statement. */
type Query = <Row>(sql: string, parameters: unknown[]) => Promise<Row[]>;

/** Characters of a field before and after the beginning of a match. */
const BEFORE = 100;
const AFTER = 200;
/** Ids are read by the page, texts in batches of a page. */
const PAGE = 10_000;

/** 1-based place of the text in a field, in any case; 0 = not there. `OFFSET 0` keeps it from being computed twice. */
const placeOf = (field: string, text: string): string => `position(lower(${text}) IN lower(${field}))`;
const windowOf = (field: string, place: string): string => `substring(${field}
  FROM greatest(${place} - ${BEFORE}, 1) FOR ${place} - greatest(${place} - ${BEFORE}, 1) + ${AFTER})`;

/** $1 tenant, $2 text, $3 limit, $4 ids; `fields` has (id, title, description, body, updated_at, tenant_id). */
function literalItems(fields: string): string {
  return `SELECT x.id,
      CASE WHEN x.in_title > 0 THEN 'title' WHEN x.in_description > 0 THEN 'description' ELSE 'body' END AS field,
      CASE WHEN x.in_title > 0 THEN NULL WHEN x.in_description > 0 THEN ${windowOf('x.description', 'x.in_description')}
        ELSE ${windowOf('x.body', 'x.in_body')} END AS window,
      coalesce(nullif(x.in_description, 0), x.in_body) > ${BEFORE} + 1 AS "startsCut",
      CASE WHEN x.in_description > 0 THEN length(x.description) >= x.in_description + ${AFTER}
        ELSE length(x.body) >= x.in_body + ${AFTER} END AS "endsCut",
      NULL AS "chunkId"
    FROM (SELECT f.*, ${placeOf('f.title', '$2')} AS in_title, ${placeOf('f.description', '$2')} AS in_description,
        ${placeOf('f.body', '$2')} AS in_body
      FROM (${fields}) f WHERE f.tenant_id = $1 AND f.id = ANY($4::uuid[]) OFFSET 0) x
    WHERE x.in_title > 0 OR x.in_description > 0 OR x.in_body > 0
    ORDER BY x.in_title > 0 DESC, x.in_description > 0 DESC, x.updated_at DESC, x.id LIMIT $3`;
}

const LIBRARY = {
  prompt: {
    table: 'prompts',
    matches: literalItems(
      `SELECT p.tenant_id, p.id, p.title, p.description, v.content AS body, p.updated_at
       FROM prompts p JOIN prompt_versions v ON v.prompt_id = p.id AND v.version = p.current_version`,
    ),
  },
  collection: {
    table: 'collections',
    matches: literalItems(
      `SELECT c.tenant_id, c.id, c.name AS title, coalesce(c.description, '') AS description, '' AS body, c.updated_at
       FROM collections c`,
    ),
  },
};

/** The page after the cursor, whose time and id are the last two parameters; nulls = the first one. */
function changedPage(table: string, where: string, time: string, id: string): string {
  return `SELECT i.id, i.updated_at::text AS "updatedAt" FROM ${table} i
    WHERE ${where} AND (${time}::timestamptz IS NULL OR i.updated_at < ${time}::timestamptz
      OR (i.updated_at = ${time}::timestamptz AND i.id > ${id}::uuid))
    ORDER BY i.updated_at DESC, i.id LIMIT ${PAGE}`;
}

/** The page of `readChanged`; the parameters are the time of the newest, then those of the cursor. */
function changedSince(table: string, where: string, [since, time, id]: [string, string, string]): string {
  return `SELECT i.id, i.updated_at::text AS "updatedAt" FROM ${table} i
    WHERE ${where} AND i.updated_at >= ${since}::timestamptz - interval '${LONGEST_CHANGE_MS} milliseconds'
      AND (${time}::timestamptz IS NULL OR i.updated_at > ${time}::timestamptz
        OR (i.updated_at = ${time}::timestamptz AND i.id < ${id}::uuid))
    ORDER BY i.updated_at, i.id DESC LIMIT ${PAGE}`;
}

/** For the last parameters of a page. */
const cursorOf = (after: Changed | null): (string | null)[] => [after?.updatedAt ?? null, after?.id ?? null];

const SEARCHED_ITEMS = `${VISIBLE_ITEM} AND i.live_version IS NOT NULL AND i.tags @> $4`;
const CHANGED_ITEMS = changedPage('source_items', SEARCHED_ITEMS, '$5', '$6');
const ITEMS_CHANGED_SINCE = changedSince('source_items', SEARCHED_ITEMS, ['$5', '$6', '$7']);
const MATCHING_TITLES = `SELECT i.id FROM source_items i
  WHERE ${VISIBLE_ITEM} AND i.live_version IS NOT NULL AND i.tags @> $5 AND ${placeOf('i.title', '$4')} > 0
  ORDER BY i.updated_at DESC, i.id LIMIT $6`;

/**
 * Chunks count in UTF-16 units and Postgres in characters: those outside of the first plane count twice there. The
 * innermost chunk is the shortest one around the place.
 */
const MATCHING_BODIES = `WITH found AS (
    SELECT i.id, i.live_version, v.text, b.place FROM source_items i
    JOIN item_versions v ON v.item_id = i.id AND v.version = i.live_version
    CROSS JOIN LATERAL (SELECT ${placeOf('v.text', '$4')} AS place OFFSET 0) b
    WHERE ${VISIBLE_ITEM} AND i.id = ANY($5::uuid[]) AND b.place > 0
    ORDER BY i.updated_at DESC, i.id LIMIT $6)
  SELECT f.id, ${windowOf('f.text', 'f.place')} AS window, f.place > ${BEFORE} + 1 AS "startsCut",
    length(f.text) >= f.place + ${AFTER} AS "endsCut",
    (SELECT c.id FROM chunks c WHERE c.item_id = f.id AND c.version = f.live_version
      AND c.start_index <= u.units AND c.end_index > u.units
      AND c.chunking = coalesce((SELECT g.chunking FROM generations g WHERE g.tenant_id = $1 AND g.status = 'live'), '')
      ORDER BY c.end_index - c.start_index, c.ordinal LIMIT 1) AS "chunkId"
  FROM found f CROSS JOIN LATERAL (SELECT left(f.text, f.place - 1) AS before OFFSET 0) b
  CROSS JOIN LATERAL (SELECT length(b.before) +
    length(regexp_replace(b.before, '[^\\U00010000-\\U0010FFFF]', '', 'g')) AS units OFFSET 0) u`;

/** Titles come before descriptions and those before bodies, so all are looked at unless titles fill the page. */
export async function findLibraryItems(
  query: Query,
  itemType: keyof typeof LIBRARY,
  tenantId: string,
  { text, tags, limit, signal }: LiteralQuery,
): Promise<LiteralMatch[]> {
  const { table, matches } = LIBRARY[itemType];
  const searched = 'i.tenant_id = $1 AND i.tags @> $2';
  const page = changedPage(table, searched, '$3', '$4');
  const changed = changedSince(table, searched, ['$3', '$4', '$5']);
  const found: Record<LiteralMatch['field'], LiteralMatch[]> = { title: [], description: [], body: [] };
  await scanNewestFirst<LiteralMatch>({
    readPage: (after) => query<Changed>(page, [tenantId, tags, ...cursorOf(after)]),
    pageSize: PAGE,
    readChanged: ({ updatedAt }, after) => query<Changed>(changed, [tenantId, tags, updatedAt, ...cursorOf(after)]),
    findIn: (ids) => query<LiteralMatch>(matches, [tenantId, text, limit, ids]),
    isEnough: (match) => {
      const alike = found[match.field];
      if (alike.length < limit) alike.push(match);
      return found.title.length >= limit;
    },
    signal,
  });
  return [...found.title, ...found.description, ...found.body].slice(0, limit);
}

/** Bodies are read only where titles don't fill the page, and only as many as it takes. */
export async function findLiteralDocuments(
  query: Query,
  viewer: Visibility,
  { text, tags, limit, signal }: LiteralQuery,
): Promise<LiteralMatch[]> {
  const visible = visibilityParameters(viewer);
  const titles = await query<{ id: string }>(MATCHING_TITLES, [...visible, text, tags, limit]);
  const found = titles.map(({ id }): LiteralMatch => ({
    id,
    field: 'title',
    window: null,
    startsCut: false,
    endsCut: false,
    chunkId: null,
  }));
  if (found.length >= limit) return found;
  const shown = new Set(titles.map(({ id }) => id));
  await scanNewestFirst<Omit<LiteralMatch, 'field'>>({
    readPage: (after) => query<Changed>(CHANGED_ITEMS, [...visible, tags, ...cursorOf(after)]),
    pageSize: PAGE,
    readChanged: ({ updatedAt }, after) =>
      query<Changed>(ITEMS_CHANGED_SINCE, [...visible, tags, updatedAt, ...cursorOf(after)]),
    findIn: (ids) => query(MATCHING_BODIES, [...visible, text, ids.filter((id) => !shown.has(id)), limit]),
    isEnough: (match) => found.push({ ...match, field: 'body' }) >= limit,
    signal,
  });
  return found;
}
