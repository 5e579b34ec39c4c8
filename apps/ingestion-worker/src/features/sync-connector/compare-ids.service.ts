import { Inject, Injectable } from '@nestjs/common';
import { AppError, type SyncMode } from '@candor/contracts';
import {
  countUnlistedItems,
  Database,
  findSurpassed,
  findUnlistedItems,
  listRereads,
  markListed,
  markUnseen,
  noteUnstored,
  readClock,
  recordProgress,
  requestRereads,
  requireLease,
  takeMissed,
  wantFullRun,
  wantSync,
  type SourceConnector as StoredSource,
  type SourceKey,
  type SyncLease,
  type Transaction,
} from '@candor/persistence';
import type { ListedPage, ListingLimit, SourceConnector } from '../../connectors/source-connector.port.js';
import { isStorableId } from './clean-text.js';
import { StoreBatchService, toFailure } from './store-batch.service.js';
import { SYNC_LIMITS, type SyncLimits } from './sync-limits.js';

/**
 * Reconciliation: finds what was deleted unseen, and what no change told of; never takes a listing that failed or is empty
 * for a deletion of everything.
 */
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
    for await (const page of connector.listIds(signal)) {
      signal.throwIfAborted();
      if ('onlyUnder' in page) {
        limit = page;
        continue;
      }
      const entries = Array.isArray(page) ? { ids: page } : page;
      listed += entries.ids.length;
      stored += await this.take(source, connector, entries);
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
      // A listing may name more than there is.
      const counts = lease.run.mode === 'reconcile' ? { listed: stored } : {};
      // A full run told it with its changes.
      const failures = limit && lease.run.mode === 'reconcile' ? [toFailure(limit.failure)] : [];
      const failed = failures.length;
      await this.askForMissed(transaction, source, lease, connector, compareFrom);
      await recordProgress(transaction, lease, {
        counts: { ...counts, failed },
        failures,
        compareFrom,
        phase: 'delete',
      });
    });
  }

  /** How many of them are stored. */
  private take(source: StoredSource, connector: SourceConnector, page: ListedPage): Promise<number> {
    const key = { tenantId: source.tenantId, sourceId: source.id };
    const { provider } = source;
    const ids = page.ids.filter(isStorableId);
    if (ids.length === 0) return Promise.resolve(0);
    return this.database.transaction(async (transaction) => {
      const stored = await markListed(transaction, key, provider, ids);
      if (stored < ids.length && page.areGuesses !== true) await noteUnstored(transaction, key, provider, ids, true);
      if (connector.refresh && page.activeAt)
        await requestRereads(transaction, source.id, await findSurpassed(transaction, key, provider, page.activeAt));
      return stored;
    });
  }

  /** What a listing names for the first time isn't missed yet: the next changes may bring it. What they didn't is asked for. */
  private async askForMissed(
    transaction: Transaction,
    { id: sourceId, tenantId }: StoredSource,
    { run }: SyncLease,
    connector: SourceConnector,
    compareFrom: Date,
  ): Promise<void> {
    const missed = await takeMissed(transaction, run, compareFrom);
    const want = (mode: SyncMode): Promise<void> =>
      wantSync(transaction, { tenantId, sourceId, mode, trigger: 'schedule', apiKeyId: null });
    if (connector.refresh) {
      await requestRereads(transaction, sourceId, missed);
      if ((await listRereads(transaction, sourceId, 1)).length > 0) await want('incremental');
    } else if (missed.length > 0) {
      // Also for the schedule, should that run fail.
      await wantFullRun(transaction, sourceId);
      await want('full');
    }
  }

  /** What the listing can't see counts as listed. */
  private async keepUnseen(key: SourceKey, compareFrom: Date, { onlyUnder }: ListingLimit): Promise<void> {
    await this.database.transaction((transaction) => markUnseen(transaction, key, compareFrom, onlyUnder));
  }

  /** Tombstones some of what the listing lacks; true when nothing is left. */
  async deleteMissing(
    source: StoredSource,
    lease: SyncLease,
    connector: SourceConnector,
    compareFrom: Date,
    signal: AbortSignal,
  ): Promise<boolean> {
    const key = { tenantId: source.tenantId, sourceId: source.id };
    const expires = Date.now() + this.limits.maxSliceMs;
    for (let batch = 0; batch < this.limits.maxBatches; batch += 1) {
      signal.throwIfAborted();
      const missing = await this.database.read((manager) =>
        findUnlistedItems(manager, key, compareFrom, this.limits.deleteBatch),
      );
      if (missing.length === 0) return true;
      const externalIds = missing.map(({ externalId }) => externalId);
      const gone = await this.keepLiving(source, connector, externalIds, signal);
      const deleted = missing.filter(({ externalId }) => gone.has(externalId));
      await this.batches.storeDeletes(
        lease,
        deleted.map(({ itemId }) => itemId),
      );
      if (Date.now() >= expires) return false;
    }
    return false;
  }

  /** The ids that are gone for certain; the others count as listed. */
  private async keepLiving(
    source: StoredSource,
    connector: SourceConnector,
    externalIds: readonly string[],
    signal: AbortSignal,
  ): Promise<Set<string>> {
    if (!connector.confirmGone) return new Set(externalIds);
    const gone = new Set(await connector.confirmGone(externalIds, signal));
    const living = externalIds.filter((id) => !gone.has(id));
    const key = { tenantId: source.tenantId, sourceId: source.id };
    await this.database.transaction((transaction) => markListed(transaction, key, source.provider, living));
    return gone;
  }
}
