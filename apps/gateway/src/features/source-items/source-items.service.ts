import { Injectable } from '@nestjs/common';
import {
  AppError,
  deleteItemJob,
  type deleteSourceItemRoute,
  type ItemJobPayload,
  type ResponseOf,
  type SourceItem,
} from '@candor/contracts';
import {
  Database,
  enqueueItemJob,
  findSourceItem,
  findTombstone,
  markDeletedByCaller,
  maySeeItem,
  tombstoneItem,
  type SourceItemEntity,
} from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { toSourceItem } from './to-source-item.js';

@Injectable()
export class SourceItemsService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  /** 404 alike for absent, deleted, out of scope and another tenant's. */
  async read(id: string): Promise<SourceItem> {
    const { scope } = requireCaller();
    Object.assign(requireRequestContext().audit, { targetType: 'source_item', targetId: id });
    const found = await this.database.read((manager) => findSourceItem(manager, scope.tenantId, id));
    if (!found || !maySeeItem(scope, found.item)) throw notFound();
    return toSourceItem(found, scope, new Date());
  }

  /** Tombstone, outbox row and audit event in one commit; from then on no query returns the item. */
  delete(id: string): Promise<ResponseOf<typeof deleteSourceItemRoute>> {
    const { scope } = requireCaller();
    const { requestId, audit } = requireRequestContext();
    Object.assign(audit, { targetType: 'source_item', targetId: id });
    return this.requests.run(async (transaction) => {
      const before = await findTombstone(transaction, scope.tenantId, id, { lock: true });
      if (!before) throw notFound();
      // A purged item has no policy left: only service keys are told that it is gone, within their providers.
      const { provider, principals } = before;
      const accessMode = before.purgedAt ? 'unknown' : before.accessMode;
      if (!maySeeItem(scope, { provider, principals, accessMode })) throw notFound();
      const item = before.deletedAt ? null : await tombstoneItem(transaction, scope.tenantId, id);
      // Also of one that its source deleted: who asks for that wants it to hold.
      await markDeletedByCaller(transaction, scope.tenantId, id);
      if (!item) return answer(id, before);
      await enqueueItemJob(transaction, deleteItemJob.name, {
        tenantId: scope.tenantId,
        requestId,
        itemId: id,
        version: item.latestVersion,
        epoch: item.revision,
      } as ItemJobPayload);
      return answer(id, item);
    });
  }
}

function answer(id: string, item: SourceItemEntity): ResponseOf<typeof deleteSourceItemRoute> {
  return { sourceItemId: id, status: item.purgedAt ? 'deleted' : 'deleting' };
}

function notFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such source item.' });
}
