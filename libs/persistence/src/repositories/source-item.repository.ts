import type { Transaction } from '../database.js';
import { ItemVersionEntity, SourceItemEntity } from '../entities/source-item.entity.js';

export interface SourceItemDetails {
  item: SourceItemEntity;
  versions: ItemVersionEntity[];
  chunkIds: string[];
}

/** Null when absent, deleted or another tenant's; access is the caller's to check. */
export async function findSourceItem(
  transaction: Transaction,
  tenantId: string,
  id: string,
): Promise<SourceItemDetails | null> {
  const item = await transaction.findOneBy(SourceItemEntity, { tenantId, id });
  if (!item || item.deletedAt) return null;
  const versions = await transaction.find(ItemVersionEntity, {
    select: {
      itemId: true,
      version: true,
      contentHash: true,
      state: true,
      recordedAt: true,
      supersededAt: true,
      errorType: true,
      errorMessage: true,
    },
    where: { itemId: id },
    order: { version: 'ASC' },
  });
  // Of the live generation alone: others may have cut the same text differently.
  const chunks: { id: string }[] = await transaction.query(
    `SELECT c.id FROM chunks c WHERE c.item_id = $2 AND c.version = $3 AND c.chunking =
       coalesce((SELECT g.chunking FROM generations g WHERE g.tenant_id = $1 AND g.status = 'live'), '')
     ORDER BY c.ordinal`,
    [tenantId, id, item.liveVersion],
  );
  return { item, versions, chunkIds: chunks.map((chunk) => chunk.id) };
}

/** The tombstone's state, also for purged items; null when the tenant never had it. With `lock` held until the transaction ends. */
export async function findTombstone(
  transaction: Transaction,
  tenantId: string,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<SourceItemEntity | null> {
  const held = lock ? ({ lock: { mode: 'pessimistic_write' } } as const) : {};
  return transaction.findOne(SourceItemEntity, { where: { tenantId, id }, ...held });
}
