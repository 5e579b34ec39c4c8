import type { ViewQuery } from './chunk-views.js';
import type { Database } from './database.js';
import { IN_FORCE_NOW, inForceAt } from './in-force.js';
import { readRelationGraph, SOURCE_DATE, type RelationGraph } from './relation-graph-view.js';
import { VISIBLE_ITEM, visibilityParameters, type Visibility } from './visibility.js';

/** Beyond the item's head: what a verdict on a hit needs. */
export interface ItemStanding {
  /** The source's own date: last update, else creation. */
  sourceDate: Date | null;
  /** Items in force that replace it and are replaced by none themselves, as far as the viewer sees. */
  successors: string[];
}

/** Larger texts are held in memory one at a time, bytes. */
const MOST_TEXT_BYTES = 1024 * 1024;
/** Longest chain of replacements that is followed. */
const MOST_GENERATIONS = 8;

const seen = VISIBLE_ITEM.replace(/\bi\./g, 's.');
const SAME_SOURCE = `s.provider = i.provider AND s.connector_id IS NOT DISTINCT FROM i.connector_id AND s.id <> i.id`;
const SUCCESSORS_NOW = `SELECT i.id AS item_id, s.id AS successor_id FROM source_items i
  JOIN candor_superseding_items($4::uuid[]) x ON x.item_id = i.id
  JOIN LATERAL (SELECT * FROM source_items p WHERE p.id = x.by_id OFFSET 0) s
    ON ${seen} AND ${SAME_SOURCE} AND s.live_version IS NOT NULL AND ${IN_FORCE_NOW}
  WHERE i.tenant_id = $1 AND i.id = ANY($4::uuid[]) AND $5::timestamptz IS NULL`;
const SUCCESSORS_AS_OF = `SELECT DISTINCT i.id AS item_id, s.id AS successor_id FROM source_items i
  JOIN candor_superseding_items_at($4::uuid[], $5::timestamptz) x ON x.item_id = i.id
  JOIN source_items s ON s.id = x.by_id AND ${seen} AND ${SAME_SOURCE} AND ${inForceAt('$5::timestamptz')}
  WHERE i.tenant_id = $1 AND i.id = ANY($4::uuid[]) AND EXISTS (SELECT 1 FROM item_versions w
    WHERE w.item_id = s.id AND w.state = 'indexed' AND w.recorded_at <= $5)`;

/** Read-only views of what reasoning holds evidence to. Nothing here writes. */
export class ReasoningViews {
  private readonly query: ViewQuery;

  constructor(database: Database) {
    this.query = (sql, parameters) => database.read((manager) => manager.query(sql, parameters));
  }

  /**
   * Whether the tenant lets its content go to an external model: as it said, else by whether it is the installation's
   * own. null = the key doesn't hold, or the tenant is erased.
   */
  async readModelConsent(tenantId: string, apiKeyId: string): Promise<boolean | null> {
    const [row] = await this.query<{ isGiven: boolean }>(
      `SELECT coalesce(t.external_models, t.is_default) AS "isGiven" FROM api_keys k JOIN tenants t ON t.id = k.tenant_id
       WHERE k.id = $1 AND k.tenant_id = $2 AND k.revoked_at IS NULL
         AND (k.expires_at IS NULL OR k.expires_at > now()) AND t.erased_at IS NULL`,
      [apiKeyId, tenantId],
    );
    return row?.isGiven ?? null;
  }

  /** By item id; items that the viewer may not see are left out. */
  async readStandings(
    viewer: Visibility,
    itemIds: readonly string[],
    knownAsOf: string | null,
  ): Promise<Map<string, ItemStanding>> {
    const rows = await this.query<{ id: string; source_date: Date | null }>(
      `SELECT i.id, ${SOURCE_DATE} AS source_date FROM source_items i
       WHERE ${VISIBLE_ITEM} AND i.id = ANY($4::uuid[])`,
      [...visibilityParameters(viewer), itemIds, knownAsOf],
    );
    const successors = await this.readSuccessors(viewer, itemIds, knownAsOf);
    return new Map(
      rows.map((row) => [row.id, { sourceDate: row.source_date, successors: findCurrent(row.id, successors) }]),
    );
  }

  /** Of the passages those that their version's stored text holds word for word at their place. */
  async findVerified(
    tenantId: string,
    passages: readonly { chunkId: string; itemId: string; version: number; content: string }[],
  ): Promise<Set<string>> {
    const places = await this.query<{ id: string; start_index: number; end_index: number; bytes: string }>(
      `SELECT c.id, c.start_index, c.end_index, octet_length(v.text) AS bytes FROM chunks c
       JOIN item_versions v ON v.item_id = c.item_id AND v.version = c.version AND v.text IS NOT NULL
       WHERE c.tenant_id = $1 AND c.id = ANY($2::uuid[])`,
      [tenantId, passages.map(({ chunkId }) => chunkId)],
    );
    const verified = new Set<string>();
    const place = new Map(places.map((row) => [row.id, row]));
    const groups = groupBySize(
      passages.filter(({ chunkId }) => place.has(chunkId)),
      (chunkId) => Number(place.get(chunkId)?.bytes ?? 0),
    );
    for (const group of groups) {
      const texts = await this.readTexts(tenantId, group);
      for (const { chunkId, itemId, version, content } of group) {
        const { start_index: start, end_index: end } = place.get(chunkId) ?? { start_index: 0, end_index: 0 };
        if (texts.get(`${itemId}:${version}`)?.slice(start, end) === content) verified.add(chunkId);
      }
    }
    return verified;
  }

  /** Items of a generation. */
  async countItems(tenantId: string, generationId: string): Promise<number> {
    const [row] = await this.query<{ item_count: number }>(
      'SELECT item_count FROM generations WHERE tenant_id = $1 AND id = $2',
      [tenantId, generationId],
    );
    return row?.item_count ?? 0;
  }

  /** The newest calibration of a generation, as it was stored; null when there is none. */
  async findCalibration(tenantId: string, generationId: string): Promise<unknown> {
    const [row] = await this.query<{ document: unknown }>(
      `SELECT document FROM calibrations WHERE tenant_id = $1 AND generation_id = $2
       ORDER BY created_at DESC, id LIMIT 1`,
      [tenantId, generationId],
    );
    return row?.document ?? null;
  }

  readRelationGraph(
    viewer: Visibility,
    seeds: readonly string[],
    bounds: { maxDocuments: number; knownAsOf: string | null },
  ): Promise<RelationGraph> {
    return readRelationGraph(this.query, viewer, seeds, bounds);
  }

  /** Everything that replaces the items, and what replaces that, by item. */
  private async readSuccessors(
    viewer: Visibility,
    itemIds: readonly string[],
    knownAsOf: string | null,
  ): Promise<Map<string, string[]>> {
    const successors = new Map<string, string[]>();
    let frontier = [...new Set(itemIds)];
    for (let round = 0; round < MOST_GENERATIONS && frontier.length > 0; round += 1) {
      const rows = await this.query<{ item_id: string; successor_id: string }>(
        knownAsOf === null ? SUCCESSORS_NOW : SUCCESSORS_AS_OF,
        [...visibilityParameters(viewer), frontier, knownAsOf],
      );
      for (const id of frontier) successors.set(id, []);
      for (const row of rows) successors.get(row.item_id)?.push(row.successor_id);
      frontier = [...new Set(rows.map((row) => row.successor_id))].filter((id) => !successors.has(id));
    }
    return successors;
  }

  private async readTexts(
    tenantId: string,
    versions: readonly { itemId: string; version: number }[],
  ): Promise<Map<string, string>> {
    const rows = await this.query<{ item_id: string; version: number; text: string }>(
      `SELECT v.item_id, v.version, v.text FROM item_versions v WHERE v.tenant_id = $1 AND v.text IS NOT NULL
         AND (v.item_id, v.version) IN (SELECT * FROM unnest($2::uuid[], $3::integer[]))`,
      [tenantId, versions.map(({ itemId }) => itemId), versions.map(({ version }) => version)],
    );
    return new Map(rows.map((row) => [`${row.item_id}:${row.version}`, row.text]));
  }
}

/** Who replaces it in the end; in a circle, whoever replaces it directly. */
function findCurrent(itemId: string, successors: ReadonlyMap<string, readonly string[]>): string[] {
  const direct = successors.get(itemId) ?? [];
  const reached = new Set(direct);
  for (const id of reached) for (const next of successors.get(id) ?? []) if (next !== itemId) reached.add(next);
  const current = [...reached].filter((id) => (successors.get(id) ?? []).length === 0);
  return current.length > 0 ? current.sort() : [...direct].sort();
}

/** Small texts together, each large one with its own passages. */
function groupBySize<Passage extends { chunkId: string; itemId: string; version: number }>(
  passages: readonly Passage[],
  bytesOf: (chunkId: string) => number,
): Passage[][] {
  const groups = new Map<string, Passage[]>();
  for (const passage of passages) {
    const isLarge = bytesOf(passage.chunkId) > MOST_TEXT_BYTES;
    const key = isLarge ? `${passage.itemId}:${passage.version}` : '';
    groups.set(key, [...(groups.get(key) ?? []), passage]);
  }
  return [...groups.values()];
}
