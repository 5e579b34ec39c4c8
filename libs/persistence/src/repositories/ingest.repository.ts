import { v4 as randomUuid } from 'uuid';
import { AppError, type IngestDocument, type Provider } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { hashContent, hashMetadata } from '../hash-document.js';
import { findDeletedByCaller, type DeletedItem } from './deleted-item.repository.js';
import { insertItemFile, isFileDocument, type NewDocument } from './item-file.repository.js';
import { saveRelations } from './item-relation.repository.js';
import { enqueue, type OutboxMessage } from './outbox.repository.js';
import { readRelations } from '../read-relations.js';

/** A document whose content is the stored one, known without reading it again. */
export type UnchangedDocument = Omit<IngestDocument, 'body' | 'mimeType'> & { unchanged: true };

export interface AcceptOptions {
  /** One of many calls under a request id, as a sync run makes them: only what changes something is recorded. */
  append?: boolean;
}

export interface AcceptedItem {
  externalId: string;
  provider: Provider;
  itemId: string;
  version: number;
  status: 'accepted' | 'skipped';
  /** What happens next: a new version is extracted, changed metadata refreshed, nothing for skipped ones. */
  change: 'content' | 'metadata' | 'none';
  /** A caller deleted this item of a source: it stays so, nothing was stored, and `itemId` is that of the deleted one. */
  isKeptDeleted?: true;
}

interface Prepared {
  ordinal: number;
  newId: string;
  document: NewDocument | UnchangedDocument;
  /** null = that of the newest version. */
  contentHash: string | null;
  metadataHash: string;
}

interface LockedHead {
  ordinal: number;
  id: string;
  latest_version: number;
  live_version: number | null;
  metadata_hash: string;
  revision: number;
  latest_content_hash: string | null;
  latest_state: string | null;
}

/**
 * Stores a call's documents with their versions and outbox rows, in the caller's transaction: all or none.
 * Two documents of one call must not be the same item (the caller checks).
 */
export async function acceptDocuments(
  transaction: Transaction,
  tenantId: string,
  requestId: string,
  documents: readonly (NewDocument | UnchangedDocument)[],
  apiKeyId: string | null = null,
  options: AcceptOptions = {},
): Promise<AcceptedItem[]> {
  const prepared = documents.map((document, ordinal) => ({
    ordinal,
    newId: randomUuid(),
    document,
    contentHash: isUnchanged(document) ? null : hashContent(document),
    metadataHash: hashMetadata(document),
  }));
  const { heads, deleted } = await takeHeads(transaction, tenantId, prepared);
  const decisions = prepared.filter(({ ordinal }) => !deleted.has(ordinal)).map((entry) => decide(entry, heads));

  await updateHeads(transaction, decisions);
  await insertVersions(transaction, tenantId, requestId, decisions);
  await saveRelations(transaction, decisions.filter(({ change }) => change !== 'none').map(toRelating(tenantId)));
  const record = options.append ? appendIngestion : recordIngestion;
  await record(transaction, tenantId, requestId, apiKeyId, decisions);
  await addToCollections(transaction, tenantId, decisions);
  await enqueue(
    transaction,
    decisions.flatMap((decision) => toOutbox(tenantId, requestId, decision)),
  );
  const decided = new Map(decisions.map((decision) => [decision.entry.ordinal, decision]));
  return prepared.map((entry) => toAccepted(entry, decided.get(entry.ordinal), deleted.get(entry.ordinal)));
}

function toRelating(tenantId: string) {
  return ({ entry, itemId, version, change }: Decision): Parameters<typeof saveRelations>[1][number] => ({
    tenantId,
    itemId,
    version,
    relations: readRelations(entry.document),
    isNew: change === 'content',
  });
}

function toAccepted(entry: Prepared, decision?: Decision, kept?: DeletedItem): AcceptedItem {
  const { externalId, provider } = entry.document;
  if (kept) return { externalId, provider, ...kept, status: 'skipped', change: 'none', isKeptDeleted: true };
  if (!decision) throw new Error(`item ${entry.ordinal} was not decided`);
  const { itemId, version, change } = decision;
  return { externalId, provider, itemId, version, status: change === 'none' ? 'skipped' : 'accepted', change };
}

interface Decision {
  entry: Prepared;
  itemId: string;
  version: number;
  revision: number;
  change: AcceptedItem['change'];
  /** Content and metadata changed, and an older version is live. */
  refreshesLive: boolean;
}

function decide(entry: Prepared, heads: Map<number, LockedHead>): Decision {
  const head = heads.get(entry.ordinal);
  if (!head) throw new Error(`item head ${entry.ordinal} was not locked`);
  const sameContent = isSameContent(entry, head);
  const change = !sameContent ? 'content' : head.metadata_hash === entry.metadataHash ? 'none' : 'metadata';
  return {
    entry,
    itemId: head.id,
    version: change === 'content' ? head.latest_version + 1 : head.latest_version,
    revision: change === 'none' ? head.revision : head.revision + 1,
    change,
    refreshesLive: change === 'content' && head.live_version !== null && head.metadata_hash !== entry.metadataHash,
  };
}

function isSameContent({ contentHash }: Prepared, head: LockedHead): boolean {
  if (contentHash !== null) return head.latest_content_hash === contentHash && head.latest_state !== 'failed';
  if (head.latest_content_hash !== null) return true;
  // Deleted since the caller looked: there is nothing left that could be the same.
  throw new AppError('RESOURCE.CONFLICT', {
    message: 'An item was deleted while its metadata were being updated.',
    retryable: true,
  });
}

function isUnchanged(document: NewDocument | UnchangedDocument): document is UnchangedDocument {
  return 'unchanged' in document;
}

/** Rounds of `takeHeads`; each further one means that a head was deleted in the moment between finding and locking it. */
const MAX_ROUNDS = 5;

async function takeHeads(
  transaction: Transaction,
  tenantId: string,
  prepared: Prepared[],
): Promise<{ heads: Map<number, LockedHead>; deleted: Map<number, DeletedItem> }> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    await insertMissingHeads(transaction, tenantId, prepared);
    const heads = await lockHeads(transaction, tenantId, prepared);
    if (heads.size < prepared.length) continue;
    return { heads, deleted: await withdrawDeleted(transaction, tenantId, prepared, heads) };
  }
  throw new AppError('RESOURCE.CONFLICT', {
    message: 'Items of this call are being deleted; send it again.',
    retryable: true,
  });
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
  const fresh = prepared.filter(({ ordinal, newId }) => heads.get(ordinal)?.id === newId);
  const keys = fresh.map(({ ordinal, document }) => ({ ordinal, ...document }));
  const deleted = await findDeletedByCaller(transaction, tenantId, keys);
  if (deleted.size === 0) return deleted;
  const ids = fresh.filter(({ ordinal }) => deleted.has(ordinal)).map(({ newId }) => newId);
  await transaction.query('DELETE FROM source_items WHERE id = ANY($1::uuid[])', [ids]);
  return deleted;
}

/** Ordered, so that two calls with the same documents never wait for each other crosswise. */
async function insertMissingHeads(transaction: Transaction, tenantId: string, prepared: Prepared[]): Promise<void> {
  const rows = prepared.map(({ newId, document }) => ({
    id: newId,
    provider: document.provider,
    connector_id: document.connectorId ?? null,
    external_id: document.externalId,
    source_kind: document.sourceKind,
    title: document.title,
  }));
  await transaction.query(
    `INSERT INTO source_items (id, tenant_id, provider, connector_id, external_id, source_kind, title, access_mode)
     SELECT d.id, $1, d.provider, d.connector_id, d.external_id, d.source_kind, d.title, 'unknown'
     FROM jsonb_to_recordset($2::jsonb)
       AS d(id uuid, provider text, connector_id uuid, external_id text, source_kind text, title text)
     ORDER BY d.provider, d.connector_id, d.external_id
     ON CONFLICT DO NOTHING`,
    [tenantId, JSON.stringify(rows)],
  );
}

async function lockHeads(
  transaction: Transaction,
  tenantId: string,
  prepared: Prepared[],
): Promise<Map<number, LockedHead>> {
  const keys = prepared.map(({ ordinal, document }) => ({
    ordinal,
    provider: document.provider,
    connector_id: document.connectorId ?? null,
    external_id: document.externalId,
  }));
  const rows: LockedHead[] = await transaction.query(
    `SELECT d.ordinal, i.id, i.latest_version, i.live_version, i.metadata_hash, i.revision,
            v.content_hash AS latest_content_hash, v.state AS latest_state
     FROM jsonb_to_recordset($2::jsonb) AS d(ordinal integer, provider text, connector_id uuid, external_id text)
     JOIN source_items i ON i.tenant_id = $1 AND i.provider = d.provider AND i.external_id = d.external_id
       AND i.connector_id IS NOT DISTINCT FROM d.connector_id AND i.deleted_at IS NULL
     LEFT JOIN item_versions v ON v.item_id = i.id AND v.version = i.latest_version
     ORDER BY i.id
     FOR UPDATE OF i`,
    [tenantId, JSON.stringify(keys)],
  );
  return new Map(rows.map((row) => [row.ordinal, row]));
}

async function updateHeads(transaction: Transaction, decisions: Decision[]): Promise<void> {
  const now = new Date().toISOString();
  const rows = decisions.map(({ entry: { document, metadataHash }, itemId, version, revision, change }) => ({
    id: itemId,
    source_kind: document.sourceKind,
    title: document.title,
    // The same file again: what was found in it stands.
    keeps_title:
      change !== 'content' &&
      (isUnchanged(document) || (isFileDocument(document) && document.file.titleIsDefault === true)),
    keeps_author: change !== 'content' && (isUnchanged(document) || isFileDocument(document)),
    url: document.url ?? null,
    author_name: document.authorName ?? null,
    source_created_at: document.sourceCreatedAt ?? null,
    source_updated_at: document.sourceUpdatedAt ?? null,
    // Absent means now, null means unknown; a re-sync that finds no change still advances it.
    synced_at: document.syncedAt === undefined ? now : document.syncedAt,
    valid_from: document.validFrom ?? null,
    valid_until: document.validUntil ?? null,
    supersedes: document.supersedes ?? [],
    tags: document.tags ?? [],
    access_policy: document.accessPolicy ?? null,
    access_mode: document.accessPolicy?.mode ?? 'unknown',
    principals: document.accessPolicy?.principals ?? [],
    metadata: document.metadata ?? {},
    metadata_hash: metadataHash,
    latest_version: version,
    revision,
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
     FROM jsonb_to_recordset($1::jsonb) AS d(id uuid, source_kind text, title text, keeps_title boolean,
       keeps_author boolean, url text, author_name text, source_created_at timestamptz, source_updated_at timestamptz, synced_at timestamptz, valid_from timestamptz,
       valid_until timestamptz, supersedes text[], tags text[], access_policy jsonb, access_mode text,
       principals text[], metadata jsonb, metadata_hash text, latest_version integer, revision integer)
     WHERE i.id = d.id`,
    [JSON.stringify(rows)],
  );
}

async function insertVersions(
  transaction: Transaction,
  tenantId: string,
  requestId: string,
  decisions: Decision[],
): Promise<void> {
  const changed = decisions.filter(({ change }) => change === 'content');
  const rows = changed.map(({ entry: { document, contentHash }, itemId, version }) => ({
    item_id: itemId,
    version,
    title: document.title,
    // Of a file both are known once it was read.
    mime_type: 'body' in document ? document.mimeType : 'text/plain',
    body: 'body' in document ? document.body : null,
    content_hash: contentHash,
  }));
  if (rows.length === 0) return;
  await transaction.query(
    `INSERT INTO item_versions (item_id, version, tenant_id, request_id, state, title, mime_type, body, content_hash)
     SELECT d.item_id, d.version, $1, $2, 'accepted', d.title, d.mime_type, d.body, d.content_hash
     FROM jsonb_to_recordset($3::jsonb)
       AS d(item_id uuid, version integer, title text, mime_type text, body text, content_hash text)`,
    [tenantId, requestId, JSON.stringify(rows)],
  );
  for (const { entry, itemId, version } of changed) {
    if ('file' in entry.document) await insertItemFile(transaction, tenantId, { itemId, version }, entry.document.file);
  }
}

async function recordIngestion(
  transaction: Transaction,
  tenantId: string,
  requestId: string,
  apiKeyId: string | null,
  decisions: Decision[],
): Promise<void> {
  await transaction.query('INSERT INTO ingestions (tenant_id, request_id, api_key_id) VALUES ($1, $2, $3)', [
    tenantId,
    requestId,
    apiKeyId,
  ]);
  await insertIngestionItems(transaction, tenantId, requestId, decisions, 0);
}

/** An item that is accepted again within the request counts twice: once as superseded. */
async function appendIngestion(
  transaction: Transaction,
  tenantId: string,
  requestId: string,
  apiKeyId: string | null,
  decisions: Decision[],
): Promise<void> {
  const changed = decisions.filter(({ change }) => change !== 'none');
  if (changed.length === 0) return;
  await transaction.query(
    'INSERT INTO ingestions (tenant_id, request_id, api_key_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [tenantId, requestId, apiKeyId],
  );
  const rows: { next: number }[] = await transaction.query(
    `SELECT coalesce(max(ordinal) + 1, 0) AS next FROM ingestion_items WHERE tenant_id = $1 AND request_id = $2`,
    [tenantId, requestId],
  );
  await insertIngestionItems(transaction, tenantId, requestId, changed, rows[0]?.next ?? 0);
}

async function insertIngestionItems(
  transaction: Transaction,
  tenantId: string,
  requestId: string,
  decisions: Decision[],
  from: number,
): Promise<void> {
  const rows = decisions.map(({ itemId, version, change }, index) => ({
    ordinal: from + index,
    item_id: itemId,
    version,
    state: change === 'none' ? 'skipped' : 'accepted',
  }));
  await transaction.query(
    `INSERT INTO ingestion_items (tenant_id, request_id, ordinal, item_id, version, state)
     SELECT $1, $2, d.ordinal, d.item_id, d.version, d.state
     FROM jsonb_to_recordset($3::jsonb) AS d(ordinal integer, item_id uuid, version integer, state text)`,
    [tenantId, requestId, JSON.stringify(rows)],
  );
}

async function addToCollections(transaction: Transaction, tenantId: string, decisions: Decision[]): Promise<void> {
  const rows = decisions.flatMap(({ entry, itemId }) =>
    (entry.document.collectionIds ?? []).map((collectionId) => ({ collection_id: collectionId, item_id: itemId })),
  );
  if (rows.length === 0) return;
  await transaction.query(
    `INSERT INTO collection_items (collection_id, item_type, item_id, tenant_id)
     SELECT c.id, 'document', d.item_id, $1
     FROM jsonb_to_recordset($2::jsonb) AS d(collection_id uuid, item_id uuid)
     JOIN collections c ON c.id = d.collection_id AND c.tenant_id = $1
     ORDER BY c.id, d.item_id
     ON CONFLICT DO NOTHING`,
    [tenantId, JSON.stringify(rows)],
  );
}

function toOutbox(tenantId: string, requestId: string, decision: Decision): OutboxMessage[] {
  if (decision.change === 'none') return [];
  const payload = { tenantId, requestId, itemId: decision.itemId, version: decision.version };
  const extract = { tenantId, jobName: 'item.extract' as const, payload: { ...payload, epoch: 0 } };
  const refresh = {
    tenantId,
    jobName: 'item.refresh-metadata' as const,
    payload: { ...payload, epoch: decision.revision },
  };
  if (decision.change === 'metadata') return [refresh];
  // The live version goes on serving until the new one is searchable, and for good if that one fails.
  return decision.refreshesLive ? [extract, refresh] : [extract];
}
