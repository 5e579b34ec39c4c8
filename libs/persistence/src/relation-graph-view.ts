import type { ViewQuery } from './chunk-views.js';
import { knownAt } from './in-force.js';
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
  /** What a bound left out: relations that say what replaced a seed, or only others. Null: nothing. */
  cut: 'standing' | 'surroundings' | null;
  /** Findings about these documents that a person rejected. */
  dismissedProposalIds: string[];
  /** … and those that a person approved. */
  approvedProposalIds: string[];
}

/** Relations read in one round; a hub may have thousands. */
const MOST_EDGES = 500;
/** Steps from a seed that are its surroundings. */
const MOST_ROUNDS = 4;
/** Longest chain of replacements that is followed. */
const MOST_GENERATIONS = 16;

interface EdgeRow {
  relation_id: string;
  kind: RelationEdgeKind;
  from_id: string;
  to_id: string;
  origin: RelationEdge['origin'];
  declared_at: Date;
}

const seen = (alias: string): string => VISIBLE_ITEM.replace(/\bi\./g, `${alias}.`);
const THEN = '$5::timestamptz';
const CURRENT_THEN = (version: string): string => `${version}.state = 'indexed' AND ${version}.recorded_at <= ${THEN}
  AND (${version}.superseded_at IS NULL OR ${version}.superseded_at > ${THEN})`;
/** The relation holds, and its version is the one of `item` that does, now or at `$5`. */
const holds = (item: string, relation = 'r', version = 'v'): string => `${version}.item_id = ${relation}.item_id
  AND ${version}.version = ${relation}.version AND CASE WHEN ${THEN} IS NULL
    THEN ${version}.version = ${item}.live_version AND ${relation}.known_until IS NULL
    ELSE ${CURRENT_THEN(version)} AND ${knownAt(relation, THEN)} END`;
const NO_CONNECTOR = `'00000000-0000-0000-0000-000000000000'`;
const sameSource = (left: string, right: string): string => `${left}.provider = ${right}.provider
  AND coalesce(${left}.connector_id, ${NO_CONNECTOR}) = coalesce(${right}.connector_id, ${NO_CONNECTOR})`;
const linkOf = (item: string): string => `rtrim(split_part(${item}.url, '#', 1), '/')`;
const edge = (
  kind: string,
  from: string,
  to: string,
): string => `SELECT ${kind} AS kind, ${from} AS from_id, ${to} AS to_id,
  'declared' AS origin, greatest(v.recorded_at, r.known_from) AS declared_at, NULL::uuid AS record_id`;

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
    UNION ALL ${edge('r.kind', 'f.id', 't.id')} FROM f
      JOIN item_relations r ON r.item_id = f.id AND r.kind = 'reply_of'
      JOIN item_versions v ON ${holds('f')}
      JOIN item_relations o ON o.tenant_id = $1 AND o.kind = 'message_id' AND o.target = r.target
      JOIN source_items t ON t.id = o.item_id AND ${seen('t')}
      JOIN item_versions u ON ${holds('t', 'o', 'u')}
    UNION ALL ${edge('r.kind', 's.id', 'f.id')} FROM f
      JOIN item_relations o ON o.item_id = f.id AND o.kind = 'message_id'
      JOIN item_versions u ON ${holds('f', 'o', 'u')}
      JOIN item_relations r ON r.tenant_id = $1 AND r.kind = 'reply_of' AND r.target = o.target
      JOIN source_items s ON s.id = r.item_id AND ${seen('s')}
      JOIN item_versions v ON ${holds('s')}
    UNION ALL ${edge('r.kind', 'least(f.id, s.id)', 'greatest(f.id, s.id)')} FROM f
      JOIN item_relations o ON o.item_id = f.id AND o.kind = 'same_thread'
      JOIN item_versions u ON ${holds('f', 'o', 'u')}
      JOIN item_relations r ON r.tenant_id = $1 AND r.kind = 'same_thread' AND r.target = o.target
      JOIN source_items s ON s.id = r.item_id AND ${seen('s')} AND ${sameSource('s', 'f')}
      JOIN item_versions v ON ${holds('s')}
    UNION ALL SELECT w.kind, w.from_item_id, w.to_item_id, 'reviewed', w.created_at, w.id FROM reviewed_relations w
      JOIN source_items s ON s.id = w.from_item_id AND ${seen('s')}
      JOIN source_items t ON t.id = w.to_item_id AND ${seen('t')}
      WHERE w.tenant_id = $1 AND (w.from_item_id = ANY($4::uuid[]) OR w.to_item_id = ANY($4::uuid[]))
        AND ($5::timestamptz IS NULL OR w.created_at <= $5))
  SELECT * FROM (SELECT DISTINCT ON (kind, from_id, to_id, origin) kind, from_id, to_id, origin, declared_at,
      coalesce(record_id::text, kind || ':' || from_id || ':' || to_id) AS relation_id
    FROM found WHERE from_id <> to_id ORDER BY kind, from_id, to_id, origin, declared_at) edges
  ORDER BY kind = 'supersedes' AND to_id = ANY($4::uuid[]) DESC,
    array_position(ARRAY['conflicts_with', 'supersedes', 'references', 'reply_of', 'same_thread'], kind),
    declared_at DESC, from_id, to_id, origin LIMIT $6`;

/** Of `i`, now or at `$5`: what is no longer so is kept until when it was. */
const dateAt = (at: string): string => `CASE WHEN ${at} IS NULL OR NOT EXISTS (SELECT 1 FROM item_past_dates p
    WHERE p.item_id = i.id AND p.known_until > ${at}) THEN coalesce(i.source_updated_at, i.source_created_at)
  ELSE (SELECT p.source_date FROM item_past_dates p WHERE p.item_id = i.id AND p.known_until > ${at}
    ORDER BY p.known_until LIMIT 1) END`;
export const SOURCE_DATE = dateAt(THEN);

const DOCUMENTS = `SELECT i.id AS "itemId", v.title, r.target AS status,
    CASE WHEN $5::timestamptz IS NULL THEN i.valid_from ELSE d.valid_from END AS "validFrom",
    CASE WHEN $5::timestamptz IS NULL THEN i.valid_until ELSE d.valid_until END AS "validUntil",
    ${SOURCE_DATE} AS "sourceDate"
  FROM source_items i
  JOIN item_versions v ON v.item_id = i.id AND CASE WHEN ${THEN} IS NULL THEN v.version = i.live_version
    ELSE ${CURRENT_THEN('v')} END
  LEFT JOIN item_relations r ON r.item_id = v.item_id AND r.version = v.version AND r.kind = 'status'
    AND CASE WHEN ${THEN} IS NULL THEN r.known_until IS NULL ELSE ${knownAt('r', THEN)} END
  LEFT JOIN item_declarations d ON ${THEN} IS NOT NULL AND d.item_id = i.id AND ${knownAt('d', THEN)}
  WHERE ${VISIBLE_ITEM} AND i.id = ANY($4::uuid[]) ORDER BY i.id`;

/** What a person said about findings between two of the documents. */
const REVIEWED = `SELECT p.id, p.state FROM relation_proposals p WHERE p.tenant_id = $1 AND p.state IN ('rejected', 'approved')
  AND p.first_item_id = ANY($2::uuid[]) AND p.second_item_id = ANY($2::uuid[])
  AND ($3::timestamptz IS NULL OR p.reviewed_at <= $3) ORDER BY p.id LIMIT 10000`;

/**
 * What is declared or reviewed around some documents, nearest first until so many documents are found; what replaced them
 * before all else, to its end.
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
  const walk = new RelationWalk(seeds, maxDocuments);
  for (let round = 0; walk.frontier.length > 0; round += 1) {
    const onlyStanding = round >= MOST_ROUNDS;
    if (onlyStanding) walk.narrowToStanding();
    if (walk.frontier.length === 0) break;
    if (round >= MOST_GENERATIONS) {
      walk.cut = 'standing';
      break;
    }
    const rows = await query<EdgeRow>(EDGES, [...parameters, walk.frontier, knownAsOf, MOST_EDGES + 1]);
    walk.take(rows, { onlyStanding });
  }
  const known = walk.documentIds;
  const documents = await query<RelatedDocument>(DOCUMENTS, [...parameters, known, knownAsOf]);
  const reviewed = await query<{ id: string; state: string }>(REVIEWED, [viewer.tenantId, known, knownAsOf]);
  const idsOf = (state: string): string[] => reviewed.filter((row) => row.state === state).map(({ id }) => id);
  const shown = new Set(documents.map(({ itemId }) => itemId));
  return {
    documents,
    relations: walk.relations.filter(({ fromItemId, toItemId }) => shown.has(fromItemId) && shown.has(toItemId)),
    cut: walk.cut,
    dismissedProposalIds: idsOf('rejected'),
    approvedProposalIds: idsOf('approved'),
  };
}

/** Round by round outwards: documents, relations, and what a bound left out. */
class RelationWalk {
  frontier: string[];
  cut: RelationGraph['cut'] = null;
  private readonly known: Set<string>;
  /** Seeds and what replaced them: what is left out of theirs leaves the standing of evidence open. */
  private readonly standing: Set<string>;
  private readonly edges = new Map<string, RelationEdge>();

  constructor(
    seeds: readonly string[],
    private readonly maxDocuments: number,
  ) {
    this.known = new Set(seeds);
    this.standing = new Set(seeds);
    this.frontier = [...this.known];
  }

  get documentIds(): string[] {
    return [...this.known];
  }

  get relations(): RelationEdge[] {
    return [...this.edges.values()];
  }

  narrowToStanding(): void {
    this.frontier = this.frontier.filter((id) => this.standing.has(id));
  }

  take(rows: readonly EdgeRow[], { onlyStanding }: { onlyStanding: boolean }): void {
    const asked = new Set(this.frontier);
    this.frontier = [];
    const kept = rows.slice(0, MOST_EDGES);
    const last = kept.at(-1);
    // Replacements come first: when another kind is the last one, all of them are there.
    if (rows.length > MOST_EDGES && last) this.leaveOut(last.kind === 'supersedes' && asked.has(last.to_id));
    for (const row of kept) {
      const isStanding = row.kind === 'supersedes' && this.standing.has(row.to_id);
      if (isStanding || !onlyStanding) this.takeOne(row, isStanding);
    }
  }

  private takeOne(row: EdgeRow, isStanding: boolean): void {
    const unknown = [row.from_id, row.to_id].filter((id) => !this.known.has(id));
    if (this.known.size + unknown.length > this.maxDocuments) {
      this.leaveOut(isStanding);
      return;
    }
    for (const id of unknown) {
      this.known.add(id);
      this.frontier.push(id);
    }
    // Known from its surroundings, read on for its own sake.
    if (isStanding && !this.standing.has(row.from_id)) {
      this.standing.add(row.from_id);
      if (!this.frontier.includes(row.from_id)) this.frontier.push(row.from_id);
    }
    this.edges.set(row.relation_id, toEdge(row));
  }

  private leaveOut(isStanding: boolean): void {
    this.cut = isStanding ? 'standing' : (this.cut ?? 'surroundings');
  }
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
