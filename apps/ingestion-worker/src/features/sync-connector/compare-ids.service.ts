import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@candor/contracts';
import {
  countUnlistedItems,
  Database,
  findUnlistedItems,
  markListed,
  markUnseen,
  readClock,
  recordProgress,
  requireLease,
  type SourceConnector as StoredSource,
  type SourceKey,
  type SyncLease,
} from '@candor/persistence';
import type { ListingLimit, SourceConnector } from '../../connectors/source-connector.port.js';
import { isStorableId } from './clean-text.js';
import { StoreBatchService, toFailure } from './store-batch.service.js';
import { SYNC_LIMITS, type SyncLimits } from './sync-limits.js';

/** Reconciliation: finds what was deleted unseen, and never takes a listing that failed or is empty for a deletion of everything. */
@Injectable()
export class CompareIdsService {
  constructor(
    private readonly database: Database,
    private readonly batches: StoreBatchService,
    @Inject(SYNC_LIMITS) private readonly limits: SyncLimits,
  ) {}

  /**
   * Goes through all ids at the provider; nothing is deleted before the last one was read.
   * Errors: CONNECTOR.LISTING_REFUSED when none of the stored items is among them.
   */
  async list(source: StoredSource, lease: SyncLease, connector: SourceConnector, signal: AbortSignal): Promise<void> {
    const key = { tenantId: source.tenantId, sourceId: source.id };
    const compareFrom = await this.database.read(readClock);
    let listed = 0;
    let stored = 0;
    let limit: ListingLimit | null = null;
    for await (const ids of connector.listIds(signal)) {
      signal.throwIfAborted();
      if (!Array.isArray(ids)) {
        limit = ids;
        continue;
      }
      listed += ids.length;
      const storable = ids.filter(isStorableId);
      if (storable.length > 0)
        stored += await this.database.transaction((transaction) =>
          markListed(transaction, key, source.provider, storable),
        );
    }
    signal.throwIfAborted();
    if (limit) await this.keepUnseen(key, compareFrom, limit);
    const missing = await this.database.read((manager) => countUnlistedItems(manager, key, compareFrom));
    if (stored === 0 && missing > 0)
      throw new AppError('CONNECTOR.LISTING_REFUSED', {
        message: `The provider lists ${listed} items and none of the ${missing} that are stored; nothing was deleted.`,
      });
    await this.database.transaction(async (transaction) => {
      await requireLease(transaction, lease);
      const counts = lease.run.mode === 'reconcile' ? { listed } : {};
      // A full run told it with its changes.
      const failures = limit && lease.run.mode === 'reconcile' ? [toFailure(limit.failure)] : [];
      const failed = failures.length;
      await recordProgress(transaction, lease, {
        counts: { ...counts, failed },
        failures,
        compareFrom,
        phase: 'delete',
      });
    });
  }

  /** What the listing can't see counts as listed. */
  private async keepUnseen(key: SourceKey, compareFrom: Date, { onlyUnder }: ListingLimit): Promise<void> {
    await this.database.transaction((transaction) => markUnseen(transaction, key, compareFrom, onlyUnder));
  }

  /** Tombstones some of what the listing lacks; true when nothing is left. */
  async deleteMissing(
    source: StoredSource,
    lease: SyncLease,
    compareFrom: Date,
    signal: AbortSignal,
  ): Promise<boolean> {
    const key = { tenantId: source.tenantId, sourceId: source.id };
    for (let batch = 0; batch < this.limits.maxBatches; batch += 1) {
      signal.throwIfAborted();
      const missing = await this.database.read((manager) =>
        findUnlistedItems(manager, key, compareFrom, this.limits.deleteBatch),
      );
      if (missing.length === 0) return true;
      await this.batches.storeDeletes(lease, missing);
    }
    return false;
  }
}
