import type { AccessPolicy, Action, ActorType, ExpandDirection, Provider } from '@candor/contracts';
import { expandChunk, readChunk, type ChunkExpansion, type ChunkRecord } from './chunk-views.js';
import type { StoredEmbedding } from './entities/generation.entity.js';
import type { AccessMode } from './entities/source-item.entity.js';
import type { Database } from './database.js';
import { LibraryViews } from './library-views.js';
import { PREPARED } from './prepared-statements.js';
import { IN_FORCE_NOW, inForceAt } from './in-force.js';
import { corpusFingerprintOf } from './repositories/generation.repository.js';
import { listSourceProblems, type SourceProblem } from './source-problems.js';

/** What the caller's key allows now, whatever the token said when it was signed. */
export interface KeyHead {
  apiKeyId: string;
  tenantId: string;
  actorType: ActorType;
  allowedActions: Action[];
  allowedProviders: Provider[] | null;
  principals: string[] | null;
}

/** What holds now for one candidate's item and version. */
export interface ItemHead {
  itemId: string;
  version: number;
  title: string;
  url: string | null;
  provider: Provider;
  syncedAt: Date | null;
  /** As declared now, or at `knownAsOf`. */
  validFrom: Date | null;
  validUntil: Date | null;
  accessPolicy: AccessPolicy | null;
  accessMode: AccessMode;
  principals: string[];
  contentHash: string;
  /** Whether this version is the one that holds (now, or at `knownAsOf`). */
  current: boolean;
  /** Recorded after `knownAsOf`. */
  notYetKnown: boolean;
  /** A live item that the key may see declares (or declared, at `knownAsOf`) that it replaces this one. */
  superseded: boolean;
}

export interface Recheck {
  /** null = revoked, expired or gone. */
  key: KeyHead | null;
  /** Only candidates whose item exists and is not deleted; keyed `itemId:version`. */
  heads: Map<string, ItemHead>;
  /** Of the key's tenant; null = it has no index yet. */
  generation: LiveGeneration | null;
}

export interface LiveGeneration {
  id: string;
  name: string;
  pipelineFingerprint: string;
  corpusFingerprint: string;
  /** The model that its vectors come from; null = older than this record. */
  embedding: StoredEmbedding | null;
}

interface GenerationColumns {
  generation_id: string | null;
  generation_name: string;
  pipeline_fingerprint: string;
  corpus_sum: string;
  item_count: number;
  embedding: StoredEmbedding | null;
}

interface KeyColumns {
  key_id: string;
  tenant_id: string;
  actor_type: ActorType;
  allowed_actions: Action[];
  allowed_providers: Provider[] | null;
  key_principals: string[] | null;
}

interface RecheckRow extends KeyColumns, GenerationColumns {
  item_id: string | null;
  version: number;
  title: string;
  url: string | null;
  provider: Provider;
  synced_at: Date | null;
  valid_from: Date | null;
  valid_until: Date | null;
  access_policy: AccessPolicy | null;
  access_mode: AccessMode;
  principals: string[];
  content_hash: string | null;
  current: boolean;
  not_yet_known: boolean;
  superseded: boolean;
}

const KEY_ALIASES = {
  id: 'key_id',
  tenant_id: 'tenant_id',
  actor_type: 'actor_type',
  allowed_actions: 'allowed_actions',
  allowed_providers: 'allowed_providers',
  principals: 'key_principals',
};
const KEY_COLUMNS = Object.entries(KEY_ALIASES)
  .map(([column, alias]) => `k.${column} AS ${alias}`)
  .join(', ');
const GENERATION_ALIASES = {
  id: 'generation_id',
  name: 'generation_name',
  pipeline_fingerprint: 'pipeline_fingerprint',
  corpus_sum: 'corpus_sum',
  item_count: 'item_count',
  "recipe->'embedding'": 'embedding',
};
const GENERATION_COLUMNS = Object.entries(GENERATION_ALIASES)
  .map(([column, alias]) => `g.${column} AS ${alias}`)
  .join(', ');
/** Only in the first row: in each of a hundred they would cost more to read than all the rest. */
const COLUMNS_ONCE = Object.entries({ k: KEY_ALIASES, g: GENERATION_ALIASES })
  .flatMap(([table, aliases]) =>
    Object.entries(aliases).map(
      ([column, alias]) => `CASE WHEN coalesce(c.place, 1) = 1 THEN ${table}.${column} END AS ${alias}`,
    ),
  )
  .join(', ');
const KEY_HOLDS = `k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`;

/** The rule of `maySeeItem` for `s`, an item that replaces another, and the key `k`: what is hidden must not show by its effects. */
const KEY_SEES = `(k.allowed_providers IS NULL OR s.provider = ANY(k.allowed_providers))
  AND (k.principals IS NULL OR s.access_mode = 'provider_scope'
    OR (s.access_mode = 'acl' AND s.principals && (k.principals || ARRAY['anyone'])))`;
const SAME_SOURCE = `s.tenant_id = i.tenant_id AND s.provider = i.provider
  AND s.connector_id IS NOT DISTINCT FROM i.connector_id AND s.id <> i.id AND s.deleted_at IS NULL`;

/**
 * `OFFSET 0` keeps the planner at one probe of the right index a candidate: left to itself it reads all of the tenant's
 * rows while the table is small or not analyzed yet.
 */
const CANDIDATES = `FROM api_keys k
  LEFT JOIN generations g ON g.tenant_id = k.tenant_id AND g.status = 'live'
  LEFT JOIN unnest($2::uuid[], $3::integer[]) WITH ORDINALITY AS c(item_id, version, place) ON true
  LEFT JOIN LATERAL (SELECT * FROM source_items p WHERE p.id = c.item_id OFFSET 0) i
    ON i.tenant_id = k.tenant_id AND i.deleted_at IS NULL
  LEFT JOIN LATERAL (SELECT * FROM item_versions p WHERE p.item_id = i.id AND p.version = c.version OFFSET 0) v ON true`;
const HEAD_COLUMNS = `${COLUMNS_ONCE}, i.id AS item_id, c.version, v.title, i.url, i.provider, i.synced_at,
  i.access_policy, i.access_mode, i.principals, v.content_hash`;

const RECHECK_NOW = `${PREPARED}WITH superseding AS MATERIALIZED (SELECT * FROM candor_superseding_items($2::uuid[]))
  SELECT ${HEAD_COLUMNS}, i.valid_from, i.valid_until, i.live_version = c.version AS current,
    false AS not_yet_known,
    EXISTS (SELECT 1 FROM superseding x
      CROSS JOIN LATERAL (SELECT * FROM source_items p WHERE p.id = x.by_id OFFSET 0) s
      WHERE x.item_id = i.id AND ${SAME_SOURCE} AND s.live_version IS NOT NULL AND ${KEY_SEES}
        AND ${IN_FORCE_NOW}) AS superseded
  ${CANDIDATES}
  WHERE k.id = $1 AND ${KEY_HOLDS}
  ORDER BY c.place`;

const KNOWN_THEN = `d.known_from <= $4::timestamptz AND (d.known_until IS NULL OR d.known_until > $4)`;
const RECHECK_AS_OF = `${PREPARED}WITH superseding AS MATERIALIZED (
    SELECT * FROM candor_superseding_items_at($2::uuid[], $4::timestamptz))
  SELECT ${HEAD_COLUMNS}, declared.valid_from, declared.valid_until,
    v.state = 'indexed' AND v.recorded_at <= $4 AND (v.superseded_at IS NULL OR v.superseded_at > $4) AS current,
    coalesce(v.recorded_at > $4, false) AS not_yet_known,
    EXISTS (SELECT 1 FROM superseding x
      CROSS JOIN LATERAL (SELECT * FROM source_items p WHERE p.id = x.by_id OFFSET 0) s
      WHERE x.item_id = i.id AND ${SAME_SOURCE} AND ${KEY_SEES} AND ${inForceAt('$4::timestamptz')}
        AND EXISTS (SELECT 1 FROM item_versions w
          WHERE w.item_id = s.id AND w.state = 'indexed' AND w.recorded_at <= $4)) AS superseded
  ${CANDIDATES}
  LEFT JOIN LATERAL (SELECT d.valid_from, d.valid_until FROM item_declarations d
    WHERE d.item_id = i.id AND ${KNOWN_THEN} OFFSET 0) declared ON true
  WHERE k.id = $1 AND ${KEY_HOLDS}
  ORDER BY c.place`;

/** Read-only views of the truth, for retrieval. Nothing here writes. */
export class RetrievalViews {
  /** For find_items. */
  readonly library: LibraryViews;

  constructor(private readonly database: Database) {
    this.library = new LibraryViews(database);
  }

  private readonly query = <Row>(sql: string, parameters: unknown[]): Promise<Row[]> =>
    this.database.read((manager) => manager.query(sql, parameters));

  async readKey(apiKeyId: string): Promise<KeyHead | null> {
    const rows: KeyColumns[] = await this.query(
      `SELECT ${KEY_COLUMNS} FROM api_keys k WHERE k.id = $1 AND ${KEY_HOLDS}`,
      [apiKeyId],
    );
    return rows[0] ? keyOf(rows[0]) : null;
  }

  /**
   * The key's head, the candidates' item heads and which generation is live, in one query.
   *
   * @param knownAsOf ISO instant: what was known then decides about versions, declared validity and supersession. Who may
   *   see an item, and whether it is deleted, are facts of today also for a question about the past.
   */
  async recheck(
    apiKeyId: string,
    candidates: readonly { itemId: string; version: number }[],
    knownAsOf: string | null = null,
  ): Promise<Recheck> {
    const parameters: unknown[] = [
      apiKeyId,
      candidates.map((candidate) => candidate.itemId),
      candidates.map((candidate) => candidate.version),
    ];
    const rows: RecheckRow[] = await (knownAsOf === null
      ? this.query(RECHECK_NOW, parameters)
      : this.query(RECHECK_AS_OF, [...parameters, knownAsOf]));
    const heads = rows.flatMap((row): [string, ItemHead][] => {
      const { item_id: itemId, content_hash: contentHash } = row;
      if (itemId === null || contentHash === null) return [];
      return [[`${itemId}:${row.version}`, headOf(row, itemId, contentHash)]];
    });
    const [first] = rows;
    return {
      key: first ? keyOf(first) : null,
      heads: new Map(heads),
      generation: first ? generationOf(first) : null,
    };
  }

  /** Item ids of a collection; null when the tenant has no such collection. */
  async collectionItems(tenantId: string, collectionId: string): Promise<string[] | null> {
    const rows: { item_id: string | null }[] = await this.query(
      `SELECT m.item_id FROM collections c
       LEFT JOIN collection_items m ON m.collection_id = c.id AND m.item_type = 'document'
       WHERE c.tenant_id = $1 AND c.id = $2`,
      [tenantId, collectionId],
    );
    return rows.length === 0 ? null : rows.flatMap((row) => row.item_id ?? []);
  }

  /** Ids of the items that have all of the tags, of one at least; they count at once, whatever the index still says. */
  async taggedItems(tenantId: string, tags: readonly string[]): Promise<string[]> {
    const rows: { id: string }[] = await this.query(
      `SELECT i.id FROM candor_tagged_items($1::uuid, $2::text[]) AS i(id)`,
      [tenantId, tags],
    );
    return rows.map((row) => row.id);
  }

  async liveGeneration(tenantId: string): Promise<LiveGeneration | null> {
    const [row]: GenerationColumns[] = await this.query(
      `${PREPARED}SELECT ${GENERATION_COLUMNS} FROM generations g WHERE g.tenant_id = $1 AND g.status = 'live'`,
      [tenantId],
    );
    return row ? generationOf(row) : null;
  }

  /** See `listSourceProblems`. */
  sourceProblems(
    apiKeyId: string,
    principals: readonly string[] | null,
    knownAsOf: string | null,
  ): Promise<SourceProblem[]> {
    return listSourceProblems(this.query, apiKeyId, principals, knownAsOf);
  }

  /** null = deleted, absent, or another tenant's. */
  readChunk(tenantId: string, chunkId: string): Promise<ChunkRecord | null> {
    return readChunk(this.query, tenantId, chunkId);
  }

  /** null = deleted, absent, or another tenant's. */
  expandChunk(
    tenantId: string,
    chunkId: string,
    step: { direction: ExpandDirection; count: number },
  ): Promise<ChunkExpansion | null> {
    return expandChunk(this.query, tenantId, chunkId, step);
  }
}

function keyOf(row: KeyColumns): KeyHead {
  return {
    apiKeyId: row.key_id,
    tenantId: row.tenant_id,
    actorType: row.actor_type,
    allowedActions: row.allowed_actions,
    allowedProviders: row.allowed_providers,
    principals: row.key_principals,
  };
}

function generationOf(row: GenerationColumns): LiveGeneration | null {
  if (row.generation_id === null) return null;
  return {
    id: row.generation_id,
    name: row.generation_name,
    pipelineFingerprint: row.pipeline_fingerprint,
    corpusFingerprint: corpusFingerprintOf({ corpusSum: row.corpus_sum, itemCount: row.item_count }),
    embedding: row.embedding,
  };
}

function headOf(row: RecheckRow, itemId: string, contentHash: string): ItemHead {
  return {
    itemId,
    version: row.version,
    title: row.title,
    url: row.url,
    provider: row.provider,
    syncedAt: row.synced_at,
    validFrom: row.valid_from,
    validUntil: row.valid_until,
    accessPolicy: row.access_policy,
    accessMode: row.access_mode,
    principals: row.principals,
    contentHash,
    current: row.current,
    notYetKnown: row.not_yet_known,
    superseded: row.superseded,
  };
}
