import type { Transaction } from './database.js';
import type { LiteralMatch } from './library-views.js';
import { VISIBLE_ITEM, visibilityParameters, type Visibility } from './visibility.js';

/** Characters of a field before and after the beginning of a match. */
const BEFORE = 100;
const AFTER = 200;

/** 1-based place of the text in a field, in any case; 0 = not there. `OFFSET 0` keeps it from being computed twice. */
const placeOf = (field: string, text: string): string => `position(lower(${text}) IN lower(${field}))`;
const windowOf = (field: string, place: string): string => `substring(${field}
  FROM greatest(${place} - ${BEFORE}, 1) FOR ${place} - greatest(${place} - ${BEFORE}, 1) + ${AFTER})`;

/** $1 tenant, $2 text, $3 tags, $4 limit; `fields` has (id, title, description, body, updated_at, tags, tenant_id). */
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
      FROM (${fields}) f WHERE f.tenant_id = $1 AND f.tags @> $3 OFFSET 0) x
    WHERE x.in_title > 0 OR x.in_description > 0 OR x.in_body > 0
    ORDER BY x.in_title > 0 DESC, x.in_description > 0 DESC, x.updated_at DESC, x.id LIMIT $4`;
}

export const LITERAL_PROMPTS = literalItems(
  `SELECT p.tenant_id, p.id, p.title, p.description, v.content AS body, p.tags, p.updated_at
   FROM prompts p JOIN prompt_versions v ON v.prompt_id = p.id AND v.version = p.current_version`,
);
export const LITERAL_COLLECTIONS = literalItems(
  `SELECT c.tenant_id, c.id, c.name AS title, coalesce(c.description, '') AS description, '' AS body, c.tags, c.updated_at
   FROM collections c`,
);

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
    WHERE ${VISIBLE_ITEM} AND i.tags @> $5 AND b.place > 0 AND NOT i.id = ANY($7::uuid[])
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

export async function literalDocuments(
  transaction: Transaction,
  viewer: Visibility,
  text: string,
  tags: readonly string[],
  limit: number,
): Promise<LiteralMatch[]> {
  const parameters = [...visibilityParameters(viewer), text, tags];
  const titles: { id: string }[] = await transaction.query(MATCHING_TITLES, [...parameters, limit]);
  const inTitles = titles.map(({ id }): LiteralMatch => ({
    id,
    field: 'title',
    window: null,
    startsCut: false,
    endsCut: false,
    chunkId: null,
  }));
  if (inTitles.length === limit) return inTitles;
  const bodies: Omit<LiteralMatch, 'field'>[] = await transaction.query(MATCHING_BODIES, [
    ...parameters,
    limit - inTitles.length,
    titles.map(({ id }) => id),
  ]);
  return [...inTitles, ...bodies.map((body): LiteralMatch => ({ ...body, field: 'body' }))];
}
