import type { AccessPolicy, IngestDocument, ItemJobPayload, ItemState, Provider } from '@candor/contracts';
import type { Transaction } from '../database.js';
import type { FileDocument } from './item-file.repository.js';
import type { UnchangedDocument } from './item-head.repository.js';
import { enqueueItemJob } from './outbox.repository.js';
import { tombstoneItem } from './item-pipeline.repository.js';

/** What is stored of an item that its source names again. */
export interface KnownItem {
  itemId: string;
  externalId: string;
  title: string;
  latestVersion: number;
  contentRevision: string | null;
  syncedAt: Date | null;
  /** null = there is none. */
  latestState: ItemState | null;
}

export interface SourceKey {
  tenantId: string;
  sourceId: string;
}

/** By external id; deleted items aren't known. */
export async function findKnownItems(
  transaction: Transaction,
  { tenantId, sourceId }: SourceKey,
  provider: Provider,
  externalIds: readonly string[],
): Promise<Map<string, KnownItem>> {
  const rows: {
    id: string;
    external_id: string;
    title: string;
    latest_version: number;
    content_revision: string | null;
    synced_at: Date | null;
    state: ItemState | null;
  }[] = await transaction.query(
    `SELECT i.id, i.external_id, i.title, i.latest_version, i.content_revision, i.synced_at, v.state
     FROM source_items i LEFT JOIN item_versions v ON v.item_id = i.id AND v.version = i.latest_version
     WHERE i.tenant_id = $1 AND i.provider = $2
       AND coalesce(i.connector_id, '00000000-0000-0000-0000-000000000000') = $3
       AND i.external_id = ANY($4::text[]) AND i.deleted_at IS NULL`,
    [tenantId, provider, sourceId, externalIds],
  );
  return new Map(
    rows.map((row) => [
      row.external_id,
      {
        itemId: row.id,
        externalId: row.external_id,
        title: row.title,
        latestVersion: row.latest_version,
        contentRevision: row.content_revision,
        syncedAt: row.synced_at,
        latestState: row.state,
      },
    ]),
  );
}

export type StoredContent =
  { file: FileDocument['file'] } | { body: string; mimeType: 'text/plain' | 'text/markdown' | 'text/html' };

/** The content of a version as it was taken in, so that a new title costs no download. Null when it isn't kept. */
export async function readStoredContent(
  transaction: Transaction,
  { itemId, latestVersion }: Pick<KnownItem, 'itemId' | 'latestVersion'>,
): Promise<StoredContent | null> {
  const rows: {
    body: string | null;
    mime_type: 'text/plain' | 'text/markdown' | 'text/html';
    name: string | null;
    media_type: string;
    bytes: Buffer;
  }[] = await transaction.query(
    `SELECT v.body, v.mime_type, f.name, f.media_type, f.bytes FROM item_versions v
     LEFT JOIN item_files f ON f.item_id = v.item_id AND f.version = v.version
     WHERE v.item_id = $1 AND v.version = $2`,
    [itemId, latestVersion],
  );
  const row = rows[0];
  if (!row) return null;
  if (row.name !== null) return { file: { name: row.name, mediaType: row.media_type, bytes: row.bytes } };
  return row.body === null ? null : { body: row.body, mimeType: row.mime_type };
}

/** A policy for all items of a source whose metadata hold these values. */
export interface SharedPolicy {
  matching: Record<string, string>;
  /** Taken into the items' metadata together with the policy. */
  metadata: Record<string, boolean>;
  accessPolicy: AccessPolicy | null;
}

interface StoredFacts {
  id: string;
  provider: Provider;
  external_id: string;
  source_kind: IngestDocument['sourceKind'];
  title: string;
  url: string | null;
  author_name: string | null;
  source_created_at: Date | null;
  source_updated_at: Date | null;
  synced_at: Date | null;
  valid_from: Date | null;
  valid_until: Date | null;
  supersedes: string[];
  tags: string[];
  metadata: NonNullable<IngestDocument['metadata']>;
}

/**
 * Some of the items that have another policy yet, as documents that say what is stored, with the policy: for
 * `acceptDocuments` in the same transaction, which holds them. Goes on after the item id `after`; gives the last one's,
 * null at the end.
 */
export async function readForPolicy(
  transaction: Transaction,
  { tenantId, sourceId }: SourceKey,
  { matching, metadata, accessPolicy }: SharedPolicy,
  page: { after: string | null; limit: number },
): Promise<{ documents: UnchangedDocument[]; after: string | null }> {
  const rows: StoredFacts[] = await transaction.query(
    `SELECT i.id, i.provider, i.external_id, i.source_kind, i.title, i.url, i.author_name, i.source_created_at,
       i.source_updated_at, i.synced_at, i.valid_from, i.valid_until, i.supersedes, i.tags, i.metadata
     FROM source_items i WHERE i.connector_id = $1 AND i.tenant_id = $2 AND i.purged_at IS NULL AND i.deleted_at IS NULL
       AND ($3::uuid IS NULL OR i.id > $3) AND i.metadata @> $4::jsonb
       AND i.access_policy IS DISTINCT FROM nullif($5::jsonb, 'null'::jsonb)
     ORDER BY i.id LIMIT $6 FOR UPDATE OF i`,
    [sourceId, tenantId, page.after, JSON.stringify(matching), JSON.stringify(accessPolicy), page.limit],
  );
  const documents = rows.map((row): UnchangedDocument => ({
    provider: row.provider,
    connectorId: sourceId,
    sourceKind: row.source_kind,
    externalId: row.external_id,
    title: row.title,
    url: row.url,
    authorName: row.author_name,
    sourceCreatedAt: toIso(row.source_created_at),
    sourceUpdatedAt: toIso(row.source_updated_at),
    syncedAt: toIso(row.synced_at),
    validFrom: toIso(row.valid_from),
    validUntil: toIso(row.valid_until),
    supersedes: row.supersedes,
    tags: row.tags,
    metadata: { ...row.metadata, ...metadata },
    accessPolicy,
    unchanged: true,
  }));
  return { documents, after: rows.length < page.limit ? null : (rows.at(-1)?.id ?? null) };
}

function toIso(instant: Date | null): string | null {
  return instant?.toISOString() ?? null;
}

/** Remembered with the content that it marks; what was unread is read now. */
export async function storeContentRevisions(
  transaction: Transaction,
  items: readonly { itemId: string; contentRevision: string | null }[],
): Promise<void> {
  if (items.length === 0) return;
  const rows = items.map(({ itemId, contentRevision }) => ({ id: itemId, revision: contentRevision }));
  await transaction.query(
    `UPDATE source_items i SET content_revision = d.revision, is_unread = false
     FROM jsonb_to_recordset($1::jsonb) AS d(id uuid, revision text)
     WHERE i.id = d.id AND (i.content_revision IS DISTINCT FROM d.revision OR i.is_unread)`,
    [JSON.stringify(rows)],
  );
}

/** Items whose latest content could not be read: until it is, their text is as old as it is. */
export async function markUnread(
  transaction: Transaction,
  { tenantId, sourceId }: SourceKey,
  provider: Provider,
  externalIds: readonly string[],
): Promise<void> {
  if (externalIds.length === 0) return;
  await transaction.query(
    `UPDATE source_items SET is_unread = true
     WHERE tenant_id = $1 AND provider = $2 AND coalesce(connector_id, '00000000-0000-0000-0000-000000000000') = $3
       AND external_id = ANY($4::text[]) AND deleted_at IS NULL AND NOT is_unread`,
    [tenantId, provider, sourceId, externalIds],
  );
}

/** Hides items from the next query on and has them removed from the index; returns the ids of those that were there. */
export async function tombstoneItems(
  transaction: Transaction,
  { tenantId, requestId }: { tenantId: string; requestId: string },
  itemIds: readonly string[],
): Promise<string[]> {
  const deleted: string[] = [];
  // Ordered, so that two deletes of the same items never wait for each other crosswise.
  for (const itemId of [...itemIds].sort()) {
    const item = await tombstoneItem(transaction, tenantId, itemId);
    if (!item) continue;
    await enqueueItemJob(transaction, 'item.delete', {
      tenantId,
      requestId,
      itemId,
      version: Math.max(item.latestVersion, 1),
      epoch: item.revision,
    } as ItemJobPayload);
    deleted.push(itemId);
  }
  await transaction.query(`UPDATE source_items SET deleted_by = 'source' WHERE id = ANY($1::uuid[])`, [deleted]);
  return deleted;
}

/**
 * Of these external ids those that were deleted at `since` or later, by whom ever: what was read of them before isn't true
 * any more. Events take the source's lock too, so that one is either seen here or finds what is stored by the same commit.
 */
export async function findDeletedSince(
  transaction: Transaction,
  { tenantId, sourceId }: SourceKey,
  externalIds: readonly string[],
  since: Date,
): Promise<Set<string>> {
  if (externalIds.length === 0) return new Set();
  const rows: { external_id: string }[] = await transaction.query(
    `SELECT DISTINCT external_id FROM source_items
     WHERE tenant_id = $1 AND connector_id = $2 AND external_id = ANY($3::text[]) AND deleted_at >= $4`,
    [tenantId, sourceId, externalIds, since],
  );
  return new Set(rows.map((row) => row.external_id));
}

/** What a listing of everything named: `listed_at` moves on for these. Returns how many of them are stored. */
export async function markListed(
  transaction: Transaction,
  { tenantId, sourceId }: SourceKey,
  provider: Provider,
  externalIds: readonly string[],
): Promise<number> {
  const [, count]: [unknown[], number] = await transaction.query(
    `UPDATE source_items SET listed_at = now()
     WHERE tenant_id = $1 AND provider = $2 AND coalesce(connector_id, '00000000-0000-0000-0000-000000000000') = $3
       AND external_id = ANY($4::text[]) AND deleted_at IS NULL`,
    [tenantId, provider, sourceId, externalIds],
  );
  return count;
}

/** Of these ids those that are stored as they were before something was last said in them, by ISO instants. */
export async function findSurpassed(
  transaction: Transaction,
  { tenantId, sourceId }: SourceKey,
  provider: Provider,
  activeAt: Record<string, string>,
): Promise<string[]> {
  const listed = Object.entries(activeAt).map(([id, at]) => ({ external_id: id, active_at: at }));
  if (listed.length === 0) return [];
  const rows: { external_id: string }[] = await transaction.query(
    `SELECT i.external_id FROM jsonb_to_recordset($4::jsonb) AS d(external_id text, active_at timestamptz)
     JOIN source_items i ON i.tenant_id = $1 AND i.provider = $2 AND i.external_id = d.external_id
       AND coalesce(i.connector_id, '00000000-0000-0000-0000-000000000000') = $3 AND i.deleted_at IS NULL
     WHERE i.source_updated_at < d.active_at`,
    [tenantId, provider, sourceId, JSON.stringify(listed)],
  );
  return rows.map((row) => row.external_id);
}

/** The database's clock, which `markListed` and tombstones are written by. */
export async function readClock(transaction: Transaction): Promise<Date> {
  const rows: { now: Date }[] = await transaction.query('SELECT clock_timestamp()::timestamptz(3) AS now');
  const now = rows[0]?.now;
  if (!now) throw new Error('the database has no clock');
  return now;
}

const UNLISTED = `connector_id = $1 AND tenant_id = $2 AND purged_at IS NULL AND deleted_at IS NULL AND created_at < $3
  AND (listed_at IS NULL OR listed_at < $3)`;

/** Counts as listed what a listing that covers only ids under these prefixes can say nothing about. */
export async function markUnseen(
  transaction: Transaction,
  { tenantId, sourceId }: SourceKey,
  since: Date,
  prefixes: readonly string[],
): Promise<void> {
  await transaction.query(
    `UPDATE source_items SET listed_at = now() WHERE ${UNLISTED}
       AND NOT EXISTS (SELECT 1 FROM unnest($4::text[]) AS p(prefix) WHERE starts_with(external_id, p.prefix))`,
    [sourceId, tenantId, since, prefixes],
  );
}

/** Stored before `since` and not named by any listing after it. */
export async function findUnlistedItems(
  transaction: Transaction,
  { tenantId, sourceId }: SourceKey,
  since: Date,
  limit: number,
): Promise<Pick<KnownItem, 'itemId' | 'externalId'>[]> {
  const rows: { id: string; external_id: string }[] = await transaction.query(
    `SELECT id, external_id FROM source_items WHERE ${UNLISTED} ORDER BY id LIMIT $4`,
    [sourceId, tenantId, since, limit],
  );
  return rows.map((row) => ({ itemId: row.id, externalId: row.external_id }));
}

export async function countUnlistedItems(
  transaction: Transaction,
  { tenantId, sourceId }: SourceKey,
  since: Date,
): Promise<number> {
  const rows: { count: string }[] = await transaction.query(
    `SELECT count(*) AS count FROM source_items WHERE ${UNLISTED}`,
    [sourceId, tenantId, since],
  );
  return Number(rows[0]?.count ?? 0);
}

/**
 * A sync that went through vouches for the items that it didn't name: nothing changed about them since it began. Not for
 * those that could not be read when they were last named, in whichever run. Goes through at most `limit` items after the id `after`; returns the last one's, null at the end.
 * An item that somebody works on is left to the next run.
 */
export async function advanceSyncedAt(
  transaction: Transaction,
  run: { tenantId: string; sourceId: string },
  startedAt: Date,
  page: { after: string | null; limit: number },
): Promise<string | null> {
  const rows: { id: string }[] = await transaction.query(
    `WITH page AS (
       SELECT id FROM source_items WHERE connector_id = $1 AND tenant_id = $2 AND purged_at IS NULL
         AND ($5::uuid IS NULL OR id > $5) ORDER BY id LIMIT $4
     ), free AS (
       SELECT i.id FROM source_items i JOIN page p ON p.id = i.id
       WHERE i.deleted_at IS NULL AND i.synced_at < $3 AND NOT i.is_unread
       ORDER BY i.id FOR UPDATE OF i SKIP LOCKED
     ), moved AS (
       UPDATE source_items i SET synced_at = $3 FROM free WHERE i.id = free.id
     )
     SELECT id FROM page ORDER BY id DESC LIMIT 1`,
    [run.sourceId, run.tenantId, startedAt, page.limit, page.after],
  );
  return rows[0]?.id ?? null;
}
