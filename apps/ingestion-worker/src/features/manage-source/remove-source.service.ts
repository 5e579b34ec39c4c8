import { Injectable } from '@nestjs/common';
import type { AuditEventInput, RemoveSourcePayload } from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import {
  claimRemoval,
  completeRemoval,
  continueRemoval,
  Database,
  deleteNextItems,
  hasItemsLeft,
  type RemovalSlice,
} from '@candor/persistence';

const ITEMS_A_SLICE = 200;
/** Until the index has dropped what was sent; the deletes themselves are jobs of their own. */
const RECHECK_SECONDS = 2;

/** Takes a removed source's items out of the index, part by part, and certifies when the last one is gone. */
@Injectable()
export class RemoveSourceService {
  constructor(private readonly database: Database) {}

  removeSlice(job: RemoveSourcePayload): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const removal = await claimRemoval(transaction, job);
      if (!removal) return;
      const key = { tenantId: job.tenantId, sourceId: job.sourceId, requestId: removal.requestId };
      const itemIds = await deleteNextItems(transaction, key, removal, ITEMS_A_SLICE);
      await writeAuditEvents(
        transaction,
        itemIds.map((itemId) => ({
          ...eventOf(key, removal),
          action: 'item.delete' as const,
          outcome: 'accepted' as const,
          targetType: 'source_item',
          targetId: itemId,
          metadata: { sourceId: job.sourceId },
        })),
      );
      const last = itemIds.at(-1);
      if (last !== undefined) return continueRemoval(transaction, key, { after: last });
      if (await hasItemsLeft(transaction, key))
        return continueRemoval(transaction, key, { after: null, waitSeconds: RECHECK_SECONDS });
      await completeRemoval(transaction, job.sourceId);
      await writeAuditEvents(transaction, [
        {
          ...eventOf(key, removal),
          action: 'source.removed',
          outcome: 'succeeded',
          targetType: 'source',
          targetId: job.sourceId,
          metadata: { itemsTotal: removal.total, itemsRemaining: 0 },
        },
      ]);
    });
  }
}

function eventOf(
  key: { tenantId: string; requestId: string },
  { apiKeyId }: RemovalSlice,
): Pick<AuditEventInput, 'tenantId' | 'requestId' | 'actorApiKeyId' | 'actorType'> {
  return { tenantId: key.tenantId, requestId: key.requestId, actorApiKeyId: apiKeyId, actorType: 'service' };
}
