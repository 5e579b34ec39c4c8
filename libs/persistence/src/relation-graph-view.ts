import type { ViewQuery } from './chunk-views.js';
import { VISIBLE_ITEM, visibilityParameters, type Visibility } from './visibility.js';

export type RelationEdgeKind = 'supersedes' | 'references' | 'reply_of' | 'same_thread' | 'conflicts_with';

/** One relation between two documents that the viewer may see. */
export interface RelationEdge {
  /** Of a reviewed one the id of its record. */
  relationId: string;
  kind: RelationEdgeKind;
  fromItemId: string;
  toItemId: string;
  origin: 'declared' | 'reviewed';
  declaredAt: Date;
}

export interface RelatedDocument {
  itemId: string;
  title: string;
  /** As its source words it, in lower case. */
  status: string | null;
  validFrom: Date | null;
  validUntil: Date | null;
  /** The source's own date: last update, else creation. */
  sourceDate: Date | null;
}

export interface RelationGraph {
  documents: RelatedDocument[];
  relations: RelationEdge[];
  /** Some relations were left out: a bound was reached. */
  isCut: boolean;
}

/** Relations read in one round; a hub may have thousands. */
const MOST_EDGES = 500;
const MOST_ROUNDS = 4;

interface EdgeRow {
  relation_id: string;
  kind: RelationEdgeKind;
  from_id: string;
  to_id: string;
  origin: RelationEdge['origin'];
  declared_at: Date;
}

const seen = (alias: string): string => VISIBLE_ITEM.replace(/\bi\./g, `${alias}.`);
/** The version `v` is the one of `item` that holds, now or at `$5`. */
const holds = (item: string): string => `v.item_id = r.item_id AND v.version = r.version
  AND CASE WHEN $5::timestamptz IS NULL THEN v.version = ${item}.live_version
    ELSE v.state = 'indexed' AND v.recorded_at <= $5 AND (v.superseded_at IS NULL OR v.superseded_at > $5) END`;
const NO_CONNECTOR = `'00000000-0000-0000-0000-000000000000'`;
const sameSource = (left: string, right: string): string => `${left}.provider = ${right}.provider
  AND coalesce(${left}.connector_id, ${NO_CONNECTOR}) = coalesce(${right}.connector_id, ${NO_CONNECTOR})`;
const linkOf = (item: string): string => `rtrim(split_part(${item}.url, '#', 1), '/')`;
const edge = (
  kind: string,
  from: string,
  to: string,
): string => `SELECT ${kind} AS kind, ${from} AS from_id, ${to} AS to_id,
  'declared' AS origin, v.recorded_at AS declared_at, NULL::uuid AS record_id`;

/** Both ways from the frontier `$4`; what one of the two sides is hidden of shows nowhere. */
const EDGES = `WITH f AS (SELECT * FROM source_items i WHERE ${VISIBLE_ITEM} AND i.id = ANY($4::uuid[])),
  found AS (
    ${edge('r.kind', 'f.id', 't.id')} FROM f
      JOIN item_relations r ON r.item_id = f.id AND r.kind IN ('supersedes', 'reply_of')
      JOIN item_versions v ON ${holds('f')}
      JOIN source_items t ON ${seen('t')} AND ${sameSource('t', 'f')} AND t.external_id = r.target
    UNION ALL ${edge('r.kind', 'f.id', 't.id')} FROM f
      JOIN item_relations r ON r.item_id = f.id AND r.kind = 'references'
      JOIN item_versions v ON ${holds('f')}
      CROSS JOIN LATERAL candor_linked_items($1::uuid, r.target) AS linked(id)
      JOIN source_items t ON t.id = linked.id AND ${seen('t')}
    UNION ALL ${edge('r.kind', 's.id', 'f.id')} FROM f
      JOIN item_relations r ON r.tenant_id = $1 AND r.kind IN ('supersedes', 'reply_of') AND r.target = f.external_id
      JOIN source_items s ON s.id = r.item_id AND ${seen('s')} AND ${sameSource('s', 'f')}
      JOIN item_versions v ON ${holds('s')}
    UNION ALL ${edge('r.kind', 's.id', 'f.id')} FROM f
      JOIN item_relations r ON r.tenant_id = $1 AND r.kind = 'references' AND f.url IS NOT NULL AND r.target = ${linkOf('f')}
      JOIN source_items s ON s.id = r.item_id AND ${seen('s')}
      JOIN item_versions v ON ${holds('s')}
    UNION ALL ${edge('r.kind', 'least(f.id, s.id)', 'greatest(f.id, s.id)')} FROM f
      JOIN item_relations o ON o.item_id = f.id AND o.kind = 'same_thread' AND o.version = f.live_version
      JOIN item_relations r ON r.tenant_id = $1 AND r.kind = 'same_thread' AND r.target = o.target
      JOIN source_items s ON s.id = r.item_id AND ${seen('s')} AND ${sameSource('s', 'f')}
      JOIN item_versions v ON ${holds('s')}
    UNION ALL SELECT w.kind, w.from_item_id, w.to_item_id, 'reviewed', w.created_at, w.id FROM reviewed_relations w
      JOIN source_items s ON s.id = w.from_item_id AND ${seen('s')}
      JOIN source_items t ON t.id = w.to_item_id AND ${seen('t')}
      WHERE w.tenant_id = $1 AND (w.from_item_id = ANY($4::uuid[]) OR w.to_item_id = ANY($4::uuid[]))
        AND ($5::timestamptz IS NULL OR w.created_at <= $5))
  SELECT DISTINCT ON (kind, from_id, to_id, origin) kind, from_id, to_id, origin, declared_at,
    coalesce(record_id::text, kind || ':' || from_id || ':' || to_id) AS relation_id
  FROM found WHERE from_id <> to_id ORDER BY kind, from_id, to_id, origin, declared_at LIMIT $6`;

const DOCUMENTS = `SELECT i.id AS "itemId", v.title, r.target AS status,
    CASE WHEN $5::timestamptz IS NULL THEN i.valid_from ELSE d.valid_from END AS "validFrom",
    CASE WHEN $5::timestamptz IS NULL THEN i.valid_until ELSE d.valid_until END AS "validUntil",
    coalesce(i.source_updated_at, i.source_created_at) AS "sourceDate"
  FROM source_items i
  JOIN item_versions v ON v.item_id = i.id AND CASE WHEN $5::timestamptz IS NULL THEN v.version = i.live_version
    ELSE v.state = 'indexed' AND v.recorded_at <= $5 AND (v.superseded_at IS NULL OR v.superseded_at > $5) END
  LEFT JOIN item_relations r ON r.item_id = v.item_id AND r.version = v.version AND r.kind = 'status'
  LEFT JOIN item_declarations d ON $5::timestamptz IS NOT NULL AND d.item_id = i.id AND d.known_from <= $5
    AND (d.known_until IS NULL OR d.known_until > $5)
  WHERE ${VISIBLE_ITEM} AND i.id = ANY($4::uuid[]) ORDER BY i.id`;

/**
 * What is declared or reviewed around some documents, nearest first until so many documents are found.
 *
 * @param knownAsOf ISO instant; null = now. Who may see an item is a fact of today.
 */
export async function readRelationGraph(
  query: ViewQuery,
  viewer: Visibility,
  seeds: readonly string[],
  { maxDocuments, knownAsOf }: { maxDocuments: number; knownAsOf: string | null },
): Promise<RelationGraph> {
  const parameters = visibilityParameters(viewer);
  const known = new Set(seeds);
  const relations = new Map<string, RelationEdge>();
  let frontier = [...known];
  let isCut = false;
  for (let round = 0; round < MOST_ROUNDS && frontier.length > 0; round += 1) {
    const rows = await query<EdgeRow>(EDGES, [...parameters, frontier, knownAsOf, MOST_EDGES + 1]);
    isCut ||= rows.length > MOST_EDGES;
    const next: string[] = [];
    for (const row of rows.slice(0, MOST_EDGES)) {
      const unknown = [row.from_id, row.to_id].filter((id) => !known.has(id));
      if (known.size + unknown.length > maxDocuments) {
        isCut = true;
        continue;
      }
      for (const id of unknown) {
        known.add(id);
        next.push(id);
      }
      relations.set(row.relation_id, toEdge(row));
    }
    frontier = next;
  }
  const documents = await query<RelatedDocument>(DOCUMENTS, [...parameters, [...known], knownAsOf]);
  const shown = new Set(documents.map(({ itemId }) => itemId));
  return {
    documents,
    relations: [...relations.values()].filter(
      ({ fromItemId, toItemId }) => shown.has(fromItemId) && shown.has(toItemId),
    ),
    isCut,
  };
}

function toEdge(row: EdgeRow): RelationEdge {
  return {
    relationId: row.relation_id,
    kind: row.kind,
    fromItemId: row.from_id,
    toItemId: row.to_id,
    origin: row.origin,
    declaredAt: row.declared_at,
  };
}
