import { AppError, type IngestDocument } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { maySeeItem, type AccessFacts, type ReadScope } from '../item-access.js';
import { findDeletedByCaller, findUnknownTombstones, type DeletedItem } from './deleted-item.repository.js';
import { isFileDocument, type NewDocument } from './item-file.repository.js';

/** A document whose content is the stored one, known without reading it again. */
export type UnchangedDocument = Omit<IngestDocument, 'body' | 'mimeType'> & { unchanged: true };

/** A document on its way in. */
export interface Prepared {
  ordinal: number;
  newId: string;
  document: NewDocument | UnchangedDocument;
  /** null = that of the newest version. */
  contentHash: string | null;
  metadataHash: string;
}

/** An item's head as it was before the call, held until its end. */
export interface LockedHead {
  ordinal: number;
  id: string;
  latest_version: number;
  live_version: number | null;
  metadata_hash: string;
  revision: number;
  latest_content_hash: string | null;
  latest_state: string | null;
  provider: AccessFacts['provider'];
  access_mode: AccessFacts['accessMode'];
  principals: string[];
}

/** Whose call it is. What there is that they may not see they may not write either: it would be theirs from then on. */
export interface Writer {
  apiKeyId: string;
  scope: ReadScope;
  /** Of the first document that is refused. */
  refuse: (ordinal: number) => AppError;
}

/** What a call changes of one item. */
export interface Decision {
  entry: Prepared;
  itemId: string;
  version: number;
  revision: number;
  change: 'content' | 'metadata' | 'none';
  /** Content and metadata changed, and an older version is live. */
  refreshesLive: boolean;
}

export function isUnchanged(document: NewDocument | UnchangedDocument): document is UnchangedDocument {
  return 'unchanged' in document;
}

/** Rounds of `takeHeads`; each further one means that a head was deleted in the moment between finding and locking it. */
const MAX_ROUNDS = 5;

interface TakenHeads {
  heads: Map<number, LockedHead>;
  deleted: Map<number, DeletedItem>;
}

/** @throws what `writer` refuses with, for items that it may not see; they are held by then, so that it stays true. */
export async function takeHeads(
  transaction: Transaction,
  tenantId: string,
  prepared: Prepared[],
  writer?: Writer,
): Promise<TakenHeads> {
  const heads = new Map<number, LockedHead>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const missing = prepared.filter(({ ordinal }) => !heads.has(ordinal));
    const inserted = await insertMissingHeads(transaction, tenantId, missing);
    for (const entry of missing) if (inserted.has(entry.newId)) heads.set(entry.ordinal, newHead(entry));
    const existing = missing.filter(({ newId }) => !inserted.has(newId));
    for (const head of await lockHeads(transaction, tenantId, existing)) heads.set(head.ordinal, head);
    if (heads.size < prepared.length) continue;
    if (writer) await refuseHidden(transaction, tenantId, writer, prepared, heads);
    const deleted = await withdrawDeleted(transaction, tenantId, prepared, heads);
    if (writer) await refuseUnknown(transaction, tenantId, writer, deleted);
    return { heads, deleted };
  }
  throw new AppError('RESOURCE.CONFLICT', {
    message: 'Items of this call are being deleted; send it again.',
    retryable: true,
  });
}

function newHead({ ordinal, newId, document }: Prepared): LockedHead {
  const nothing = { latest_content_hash: null, latest_state: null, live_version: null, metadata_hash: '' };
  const access = {
    provider: document.provider,
    access_mode: document.accessPolicy?.mode ?? ('unknown' as const),
    principals: document.accessPolicy?.principals ?? [],
  };
  return { ordinal, id: newId, latest_version: 0, revision: 0, ...nothing, ...access };
}

/**
 * By the policy that they have now; what the call would make of it counts only for items that it makes. Of what the key itself
 * pushed it may give a policy to what has none, and send the same again, which changes nothing.
 */
async function refuseHidden(
  transaction: Transaction,
  tenantId: string,
  { apiKeyId, scope, refuse }: Writer,
  prepared: Prepared[],
  heads: Map<number, LockedHead>,
): Promise<void> {
  const hidden = prepared.flatMap((entry) => {
    const head = heads.get(entry.ordinal);
    if (!head || isFresh(entry, head)) return [];
    const { provider, access_mode: accessMode, principals } = head;
    if (maySeeItem(scope, { provider, accessMode, principals })) return [];
    return [
      { ...head, isSame: head.latest_content_hash === entry.contentHash && head.metadata_hash === entry.metadataHash },
    ];
  });
  if (hidden.length === 0) return;
  const own = await findPushed(
    transaction,
    tenantId,
    apiKeyId,
    hidden.map(({ id }) => id),
  );
  for (const { id, ordinal, isSame, access_mode: mode } of hidden)
    if (!own.has(id) || !(isSame || mode === 'unknown')) throw refuse(ordinal);
}

/** Those of these items whose newest version the key pushed, as far as records of it are kept. */
async function findPushed(
  transaction: Transaction,
  tenantId: string,
  apiKeyId: string,
  itemIds: readonly string[],
): Promise<Set<string>> {
  const rows: { id: string }[] = await transaction.query(
    `SELECT i.id FROM source_items i
     WHERE i.tenant_id = $1 AND i.id = ANY($3::uuid[]) AND EXISTS (
       SELECT 1 FROM ingestion_items n JOIN ingestions g ON g.tenant_id = n.tenant_id AND g.request_id = n.request_id
       WHERE n.item_id = i.id AND n.version = i.latest_version AND n.tenant_id = $1 AND g.api_key_id = $2)`,
    [tenantId, apiKeyId, itemIds],
  );
  return new Set(rows.map((row) => row.id));
}

/** The answer to what stays deleted names the deleted item, so it is for those who knew of it. */
async function refuseUnknown(
  transaction: Transaction,
  tenantId: string,
  { apiKeyId, scope, refuse }: Writer,
  deleted: Map<number, DeletedItem>,
): Promise<void> {
  if (scope.principals === null || deleted.size === 0) return;
  const ids = [...deleted.values()].map(({ itemId }) => itemId);
  const unknown = await findUnknownTombstones(transaction, tenantId, apiKeyId, ids);
  for (const [ordinal, { itemId }] of deleted) if (unknown.has(itemId)) throw refuse(ordinal);
}

/**
 * Takes back the heads that were new for items that callers deleted. Looked up after the insert, so that a delete that
 * was committed in the moment before it counts too.
 */
async function withdrawDeleted(
  transaction: Transaction,
  tenantId: string,
  prepared: Prepared[],
  heads: Map<number, LockedHead>,
): Promise<Map<number, DeletedItem>> {
  const fresh = prepared.filter((entry) => isFresh(entry, heads.get(entry.ordinal)));
  const keys = fresh.map(({ ordinal, document }) => ({ ordinal, ...document }));
  const deleted = await findDeletedByCaller(transaction, tenantId, keys);
  if (deleted.size === 0) return deleted;
  const ids = fresh.filter(({ ordinal }) => deleted.has(ordinal)).map(({ newId }) => newId);
  await transaction.query('DELETE FROM source_items WHERE id = ANY($1::uuid[])', [ids]);
  return deleted;
}

function isFresh({ newId }: Prepared, head: Pick<LockedHead, 'id'> | undefined): boolean {
  return head?.id === newId;
}

/** What a head says of its item, from the document. */
function toHeadColumns({ document, metadataHash }: Prepared): Record<string, unknown> {
  return {
    source_kind: document.sourceKind,
    title: document.title,
    url: document.url ?? null,
    author_name: document.authorName ?? null,
    source_created_at: document.sourceCreatedAt ?? null,
    source_updated_at: document.sourceUpdatedAt ?? null,
    // Absent means now, null means unknown; a re-sync that finds no change still advances it.
    synced_at: document.syncedAt === undefined ? new Date().toISOString() : document.syncedAt,
    valid_from: document.validFrom ?? null,
    valid_until: document.validUntil ?? null,
    supersedes: document.supersedes ?? [],
    tags: document.tags ?? [],
    access_policy: document.accessPolicy ?? null,
    access_mode: document.accessPolicy?.mode ?? 'unknown',
    principals: document.accessPolicy?.principals ?? [],
    metadata: document.metadata ?? {},
    metadata_hash: metadataHash,
  };
}

const HEAD_COLUMNS = `source_kind text, title text, url text, author_name text, source_created_at timestamptz,
  source_updated_at timestamptz, synced_at timestamptz, valid_from timestamptz, valid_until timestamptz, supersedes text[],
  tags text[], access_policy jsonb, access_mode text, principals text[], metadata jsonb, metadata_hash text`;

/**
 * Whole, as of their first version. Ordered, so that two calls with the same documents never wait for each other
 * crosswise. Returns the ids of those that were missing.
 */
async function insertMissingHeads(
  transaction: Transaction,
  tenantId: string,
  prepared: Prepared[],
): Promise<ReadonlySet<string>> {
  const rows = prepared.map((entry) => ({
    id: entry.newId,
    provider: entry.document.provider,
    connector_id: entry.document.connectorId ?? null,
    external_id: entry.document.externalId,
    ...toHeadColumns(entry),
  }));
  const inserted: { id: string }[] = await transaction.query(
    `INSERT INTO source_items (id, tenant_id, provider, connector_id, external_id, source_kind, title, url, author_name,
       source_created_at, source_updated_at, synced_at, valid_from, valid_until, supersedes, tags, access_policy, access_mode,
       principals, metadata, metadata_hash, latest_version, revision)
     SELECT d.id, $1, d.provider, d.connector_id, d.external_id, d.source_kind, d.title, d.url, d.author_name,
       d.source_created_at, d.source_updated_at, d.synced_at, d.valid_from, d.valid_until, d.supersedes, d.tags,
       nullif(d.access_policy, 'null'::jsonb), d.access_mode, d.principals, d.metadata, d.metadata_hash, 1, 1
     FROM jsonb_to_recordset($2::jsonb)
       AS d(id uuid, provider text, connector_id uuid, external_id text, ${HEAD_COLUMNS})
     ORDER BY d.provider, d.connector_id, d.external_id
     ON CONFLICT DO NOTHING RETURNING id`,
    [tenantId, JSON.stringify(rows)],
  );
  return new Set(inserted.map(({ id }) => id));
}

async function lockHeads(transaction: Transaction, tenantId: string, prepared: Prepared[]): Promise<LockedHead[]> {
  if (prepared.length === 0) return [];
  const keys = prepared.map(({ ordinal, document }) => ({
    ordinal,
    provider: document.provider,
    connector_id: document.connectorId ?? null,
    external_id: document.externalId,
  }));
  return transaction.query(
    `SELECT d.ordinal, i.id, i.latest_version, i.live_version, i.metadata_hash, i.revision,
            i.provider, i.access_mode, i.principals, v.content_hash AS latest_content_hash, v.state AS latest_state
     FROM jsonb_to_recordset($2::jsonb) AS d(ordinal integer, provider text, connector_id uuid, external_id text)
     JOIN source_items i ON i.tenant_id = $1 AND i.provider = d.provider AND i.external_id = d.external_id
       AND i.connector_id IS NOT DISTINCT FROM d.connector_id AND i.deleted_at IS NULL
     LEFT JOIN item_versions v ON v.item_id = i.id AND v.version = i.latest_version
     ORDER BY i.id
     FOR UPDATE OF i`,
    [tenantId, JSON.stringify(keys)],
  );
}

/** New ones are whole already. */
export async function updateHeads(transaction: Transaction, decisions: Decision[]): Promise<void> {
  const existing = decisions.filter(({ entry, itemId }) => !isFresh(entry, { id: itemId }));
  if (existing.length === 0) return;
  const rows = existing.map(({ entry, itemId, version, revision, change }) => ({
    id: itemId,
    // The same file again: what was found in it stands.
    keeps_title:
      change !== 'content' &&
      (isUnchanged(entry.document) || (isFileDocument(entry.document) && entry.document.file.titleIsDefault === true)),
    keeps_author: change !== 'content' && (isUnchanged(entry.document) || isFileDocument(entry.document)),
    latest_version: version,
    revision,
    ...toHeadColumns(entry),
  }));
  await transaction.query(
    `UPDATE source_items i SET
       source_kind = d.source_kind, title = CASE WHEN d.keeps_title THEN i.title ELSE d.title END, url = d.url,
       author_name = CASE WHEN d.keeps_author THEN coalesce(d.author_name, i.author_name) ELSE d.author_name END,
       source_created_at = d.source_created_at, source_updated_at = d.source_updated_at, synced_at = d.synced_at,
       valid_from = d.valid_from, valid_until = d.valid_until, supersedes = d.supersedes, tags = d.tags,
       access_policy = nullif(d.access_policy, 'null'::jsonb), access_mode = d.access_mode, principals = d.principals,
       metadata = d.metadata, metadata_hash = d.metadata_hash, latest_version = d.latest_version,
       revision = d.revision, updated_at = now()
     FROM jsonb_to_recordset($1::jsonb) AS d(id uuid, keeps_title boolean, keeps_author boolean, latest_version integer,
       revision integer, ${HEAD_COLUMNS})
     WHERE i.id = d.id`,
    [JSON.stringify(rows)],
  );
}
