import type { Transaction } from '../database.js';
import { ChunkEntity } from '../entities/chunk.entity.js';
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
  const chunks =
    item.liveVersion === null
      ? []
      : await transaction.find(ChunkEntity, {
          select: { id: true, ordinal: true },
          where: { itemId: id, version: item.liveVersion },
          order: { ordinal: 'ASC' },
        });
  return { item, versions, chunkIds: chunks.map((chunk) => chunk.id) };
}

/** The tombstone's state, also for purged items; null when the tenant never had it. */
export async function findTombstone(
  transaction: Transaction,
  tenantId: string,
  id: string,
): Promise<SourceItemEntity | null> {
  return transaction.findOneBy(SourceItemEntity, { tenantId, id });
}
