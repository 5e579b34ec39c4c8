import type { EntityManager } from 'typeorm';
import type { AppError, ItemJobPayload } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { ItemVersionEntity, SourceItemEntity } from '../entities/source-item.entity.js';
import { addToCorpora, corpusTermOf } from './item-completion.repository.js';
import { deleteRelationsOf } from './item-relation.repository.js';
import { endIngestionItems, TERMINAL_STATES } from './item-stages.repository.js';

export async function failVersion(transaction: Transaction, job: ItemJobPayload, error: AppError): Promise<boolean> {
  const version = await transaction.findOne(ItemVersionEntity, {
    where: { itemId: job.itemId, version: job.version, tenantId: job.tenantId },
    lock: { mode: 'pessimistic_write' },
  });
  if (!version || TERMINAL_STATES.includes(version.state)) return false;
  await transaction.query(
    `UPDATE item_versions SET state = 'failed', state_at = now(), error_type = $3, error_message = $4
     WHERE item_id = $1 AND version = $2`,
    [job.itemId, job.version, error.code, error.message],
  );
  const ended = [{ item_id: job.itemId, version: job.version }];
  await endIngestionItems(transaction, ended, 'failed', { type: error.code, message: error.message });
  return true;
}

/** An accepted row of a version that is searchable already is one whose metadata alone changed. */
const WAITS_FOR_REFRESH = `state = 'accepted' AND EXISTS (SELECT 1 FROM item_versions v
  WHERE v.item_id = ingestion_items.item_id AND v.version = ingestion_items.version AND v.state = 'indexed')`;

/** Ends a metadata refresh for the request that asked for it. */
export async function completeRefresh(transaction: Transaction, job: ItemJobPayload): Promise<void> {
  await transaction.query(
    `UPDATE ingestion_items SET state = 'indexed', state_at = now()
     WHERE tenant_id = $1 AND request_id = $2 AND item_id = $3 AND ${WAITS_FOR_REFRESH}`,
    [job.tenantId, job.requestId, job.itemId],
  );
}

/** The request that asked for the refresh learns that it failed; the version itself stays searchable as it is. */
export async function failRefresh(transaction: Transaction, job: ItemJobPayload, error: AppError): Promise<void> {
  await transaction.query(
    `UPDATE ingestion_items SET state = 'failed', state_at = now(), error_type = $4, error_message = $5
     WHERE tenant_id = $1 AND request_id = $2 AND item_id = $3 AND ${WAITS_FOR_REFRESH}`,
    [job.tenantId, job.requestId, job.itemId, error.code, error.message],
  );
}

/** Tombstones the item; null when there is none that is not deleted yet. */
export async function tombstoneItem(
  transaction: Transaction,
  tenantId: string,
  itemId: string,
): Promise<SourceItemEntity | null> {
  const item = await transaction.findOne(SourceItemEntity, {
    where: { id: itemId, tenantId },
    lock: { mode: 'pessimistic_write' },
  });
  if (!item || item.deletedAt) return null;
  await transaction.query(
    'UPDATE source_items SET deleted_at = now(), revision = revision + 1, updated_at = now() WHERE id = $1',
    [itemId],
  );
  await transaction.query(
    `UPDATE item_versions SET state = 'superseded', state_at = now()
     WHERE item_id = $1 AND state IN ('accepted', 'extracting', 'indexing')`,
    [itemId],
  );
  await transaction.query(
    `UPDATE ingestion_items SET state = 'superseded', state_at = now()
     WHERE item_id = $1 AND state IN ('accepted', 'extracting', 'indexing')`,
    [itemId],
  );
  return transaction.findOneByOrFail(SourceItemEntity, { id: itemId });
}

/** Whether an item may be taken out of the indices: it was deleted, or the database knows none of that id. */
export async function isDeleted(
  manager: Pick<EntityManager, 'findOne'>,
  { itemId, tenantId }: Pick<ItemJobPayload, 'itemId' | 'tenantId'>,
): Promise<boolean> {
  const head = await manager.findOne(SourceItemEntity, {
    select: { id: true, deletedAt: true },
    where: { id: itemId, tenantId },
  });
  return head === null || head.deletedAt !== null;
}

/** Removes content for good once the index holds no chunk of the item; false when that was done before. */
export async function purgeItem(
  transaction: Transaction,
  job: ItemJobPayload,
  generationIds: readonly string[],
): Promise<boolean> {
  const head = await lockHead(transaction, job);
  if (!head?.deletedAt || head.purgedAt) return false;
  if (head.liveVersion !== null) {
    const { contentHash } = await transaction.findOneByOrFail(ItemVersionEntity, {
      itemId: job.itemId,
      version: head.liveVersion,
    });
    const term = corpusTermOf({ itemId: job.itemId, version: head.liveVersion, contentHash });
    await addToCorpora(transaction, [{ generationIds, sum: -term, items: -1 }]);
  }
  await transaction.query('DELETE FROM chunks WHERE item_id = $1', [job.itemId]);
  await deleteRelationsOf(transaction, job.tenantId, job.itemId);
  await transaction.query('DELETE FROM generation_items WHERE item_id = $1', [job.itemId]);
  await transaction.query('DELETE FROM collection_items WHERE item_id = $1', [job.itemId]);
  await transaction.query(
    `UPDATE item_versions SET state = 'deleted', state_at = now(), title = '', body = NULL, text = NULL, blocks = NULL
     WHERE item_id = $1`,
    [job.itemId],
  );
  await transaction.query(
    `UPDATE source_items SET purged_at = now(), live_version = NULL, title = '', url = NULL, author_name = NULL,
       metadata = '{}', tags = '{}', supersedes = '{}', access_policy = NULL, principals = '{}', updated_at = now() WHERE id = $1`,
    [job.itemId],
  );
  return true;
}

async function lockHead(transaction: Transaction, job: ItemJobPayload): Promise<SourceItemEntity | null> {
  return transaction.findOne(SourceItemEntity, {
    where: { id: job.itemId, tenantId: job.tenantId },
    lock: { mode: 'pessimistic_write' },
  });
}
