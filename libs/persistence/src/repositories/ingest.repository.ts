import { v4 as randomUuid } from 'uuid';
import { AppError, type Provider } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { hashContent, hashMetadata } from '../hash-document.js';
import type { DeletedItem } from './deleted-item.repository.js';
import { insertItemFile, type NewDocument } from './item-file.repository.js';
import {
  isUnchanged,
  takeHeads,
  updateHeads,
  type Decision,
  type LockedHead,
  type Prepared,
  type UnchangedDocument,
  type Writer,
} from './item-head.repository.js';
import { saveRelations } from './item-relation.repository.js';
import { enqueue, type OutboxMessage } from './outbox.repository.js';
import { readRelations } from '../read-relations.js';

export interface AcceptOptions {
  /** One of many calls under a request id, as a sync run makes them: only what changes something is recorded. */
  append?: boolean;
  /** Absent = a source's own sync, which writes whatever is its source's. */
  writer?: Writer;
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
  const { heads, deleted } = await takeHeads(transaction, tenantId, prepared, options.writer);
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

/** With time to be sent and taken; what waits longer gets another lease when it is sent. */
const FIRST_LEASE_SECONDS = 60;

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
    `INSERT INTO item_versions
       (item_id, version, tenant_id, request_id, state, title, mime_type, body, content_hash, lease_until)
     SELECT d.item_id, d.version, $1, $2, 'accepted', d.title, d.mime_type, d.body, d.content_hash,
       now() + make_interval(secs => $4)
     FROM jsonb_to_recordset($3::jsonb)
       AS d(item_id uuid, version integer, title text, mime_type text, body text, content_hash text)`,
    [tenantId, requestId, JSON.stringify(rows), FIRST_LEASE_SECONDS],
  );
  for (const { entry, itemId, version } of changed) {
    if ('file' in entry.document) await insertItemFile(transaction, tenantId, { itemId, version }, entry.document.file);
  }
}

/** What a caller sends under a request id that it used before goes on with that ingestion; it is nobody else's to add to. */
async function recordIngestion(
  transaction: Transaction,
  tenantId: string,
  requestId: string,
  apiKeyId: string | null,
  decisions: Decision[],
): Promise<void> {
  const earlier = await holdIngestion(transaction, tenantId, requestId, apiKeyId);
  if (earlier && (earlier.apiKeyId === null || earlier.apiKeyId !== apiKeyId))
    throw new AppError('RESOURCE.CONFLICT', {
      message: 'An ingest request that was not made with this API key had this X-Request-Id.',
    });
  await insertIngestionItems(transaction, tenantId, requestId, decisions, earlier?.items ?? 0);
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
  const earlier = await holdIngestion(transaction, tenantId, requestId, apiKeyId);
  await insertIngestionItems(transaction, tenantId, requestId, changed, earlier?.items ?? 0);
}

/**
 * Makes the ingestion, or gives the one that there is, held until the transaction ends: two calls at once don't take the
 * same places in it. Always after the items' heads, so that nobody who holds it waits for one of these.
 */
async function holdIngestion(
  transaction: Transaction,
  tenantId: string,
  requestId: string,
  apiKeyId: string | null,
): Promise<{ apiKeyId: string | null; items: number } | null> {
  const made: unknown[] = await transaction.query(
    `INSERT INTO ingestions (tenant_id, request_id, api_key_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
     RETURNING request_id`,
    [tenantId, requestId, apiKeyId],
  );
  if (made.length > 0) return null;
  const [held]: { api_key_id: string | null }[] = await transaction.query(
    'SELECT api_key_id FROM ingestions WHERE tenant_id = $1 AND request_id = $2 FOR NO KEY UPDATE',
    [tenantId, requestId],
  );
  // A statement of its own: it sees what was committed while the one before waited.
  const [row]: { items: number }[] = await transaction.query(
    `SELECT coalesce(max(ordinal) + 1, 0) AS items FROM ingestion_items WHERE tenant_id = $1 AND request_id = $2`,
    [tenantId, requestId],
  );
  // Retention took it in between.
  if (!held || !row)
    throw new AppError('RESOURCE.CONFLICT', {
      message: 'The ingestion of this X-Request-Id was being removed; send it again.',
      retryAfterSeconds: 1,
    });
  return { apiKeyId: held.api_key_id, items: row.items };
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
  // A file is read in a process of its own first.
  const jobName = 'file' in decision.entry.document ? ('item.extract' as const) : ('item.index' as const);
  const { connectorId, provider } = decision.entry.document;
  const lane = connectorId ?? provider;
  const first = { tenantId, jobName, payload: { ...payload, epoch: 0 }, lane };
  const refresh = {
    tenantId,
    jobName: 'item.refresh-metadata' as const,
    payload: { ...payload, epoch: decision.revision },
    lane,
  };
  if (decision.change === 'metadata') return [refresh];
  // The live version goes on serving until the new one is searchable, and for good if that one fails.
  return decision.refreshesLive ? [first, refresh] : [first];
}
