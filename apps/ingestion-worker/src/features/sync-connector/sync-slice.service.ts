import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { AppError, type SyncSourcePayload } from '@candor/contracts';
import {
  advanceSyncedAt,
  claimSlice,
  completeRereads,
  continueRun,
  Database,
  findSourceById,
  listRereads,
  LostLeaseError,
  readClock,
  recordProgress,
  requireLease,
  type SourceConnector as StoredSource,
  type SyncLease,
  type SyncPhase,
  type WantedReread,
} from '@candor/persistence';
import type { ConnectorOptions } from '../../connectors/connector-options.js';
import { DEFAULT_RETRY_LIMITS } from '../../connectors/outbound-http/retry-request.js';
import type { ItemChanges, SourceConnector, SyncCursor } from '../../connectors/source-connector.port.js';
import { chooseRereadCount } from './choose-reread-count.js';
import { CompareIdsService } from './compare-ids.service.js';
import { LoadItemsService, type LoadOptions } from './load-items.service.js';
import { OpenConnectorService } from '../../connectors/open-connector.service.js';
import { StoreBatchService, type StorableBatch } from './store-batch.service.js';
import { SYNC_LIMITS, type SyncLimits } from './sync-limits.js';

const ADVANCE_BATCH = 2_000;

/** What became of a slice. */
export type SliceOutcome = 'more' | 'done';

/** What the changes of a slice are taken with. */
interface ChangesSlice {
  source: StoredSource;
  lease: SyncLease;
  connector: SourceConnector;
  options: LoadOptions;
  /** ms since 1970: the next slice goes on then. */
  expires: number;
}

/** One bounded part of a run: as many batches as its turn allows, each stored with its cursor. */
@Injectable()
export class SyncSliceService {
  constructor(
    private readonly database: Database,
    private readonly connectors: OpenConnectorService,
    private readonly items: LoadItemsService,
    private readonly batches: StoreBatchService,
    private readonly ids: CompareIdsService,
    @Inject(SYNC_LIMITS) private readonly limits: SyncLimits,
  ) {}

  /** Null when there is nothing to do: done before, or over. */
  claim(job: SyncSourcePayload): Promise<SyncLease | null> {
    const { runId: id, tenantId, slice } = job;
    return this.database.transaction((transaction) => claimSlice(transaction, { id, tenantId, slice }));
  }

  /** Throws LostLeaseError when the run is to stop or another's. */
  async work(lease: SyncLease, signal: AbortSignal): Promise<SliceOutcome> {
    const source = await this.database.read((manager) => findSourceById(manager, lease.run.sourceId));
    if (source?.state !== 'active' || lease.run.cancelRequested) throw new LostLeaseError();
    const connector = await this.connectors.open(source, this.chooseRetry(lease.run.phase));
    return this.workOn(lease.run.phase, source, lease, connector, signal);
  }

  /** What reports changes goes on where it stopped, so it may leave a longer pause to the run; a listing may not. */
  private chooseRetry(phase: SyncPhase): Pick<ConnectorOptions, 'retry'> | undefined {
    if (phase !== 'compare') return undefined;
    return { retry: { ...DEFAULT_RETRY_LIMITS, budgetMs: this.limits.listingPatienceMs } };
  }

  private async workOn(
    phase: SyncPhase,
    source: StoredSource,
    lease: SyncLease,
    connector: SourceConnector,
    signal: AbortSignal,
  ): Promise<SliceOutcome> {
    switch (phase) {
      case 'changes':
        if (!(await this.takeChanges(this.begin(source, lease, connector, signal)))) break;
        if (lease.run.mode === 'full') await this.enterPhase(lease, 'compare');
        else return this.finish(lease);
        break;
      case 'compare':
        await this.ids.list(source, lease, connector, signal);
        break;
      case 'delete': {
        const { compareFrom } = lease.run;
        if (!compareFrom) throw new Error('a comparison has no beginning');
        if (await this.ids.deleteMissing(source, lease, connector, compareFrom, signal)) return this.finish(lease);
      }
    }
    await this.database.transaction((transaction) => continueRun(transaction, lease));
    return 'more';
  }

  private begin(source: StoredSource, lease: SyncLease, connector: SourceConnector, signal: AbortSignal): ChangesSlice {
    // On what has kept the run from going on, and on nothing after it.
    const giveUp = lease.run.retries >= this.limits.patienceWithItem;
    const options = { signal, giveUp, retryFailed: false };
    return { source, lease, connector, options, expires: Date.now() + this.limits.maxSliceMs };
  }

  /** True when the provider has no more changes, and all is read that was to be read again. */
  private async takeChanges(slice: ChangesSlice): Promise<boolean> {
    const { lease, connector, expires } = slice;
    const { signal, giveUp } = slice.options;
    if (!(await this.reread(slice))) return false;
    let batches = 0;
    for await (const batch of this.timed(connector.changes(lease.cursor, signal, { giveUp }))) {
      signal.throwIfAborted();
      await this.take(slice, batch, { ...slice.options, retryFailed: lease.run.mode === 'full' });
      batches += 1;
      // Asked again with this cursor, the provider would begin the next run.
      if (batch.isLast) return true;
      const isPast = giveUp && !isSameCursor(batch.cursor, lease.cursor);
      if (isPast || batches >= this.limits.maxBatches || Date.now() >= expires) return false;
    }
    return true;
  }

  private async *timed<Batch extends ItemChanges>(
    batches: AsyncIterable<Batch>,
  ): AsyncGenerator<Batch & Pick<StorableBatch, 'readFrom'>, void> {
    let readFrom = await this.database.read(readClock);
    for await (const batch of batches) {
      yield { ...batch, readFrom };
      readFrom = await this.database.read(readClock);
    }
  }

  private async take({ source, lease }: ChangesSlice, batch: StorableBatch, options: LoadOptions): Promise<void> {
    if (batch.policyOf) await this.batches.applyPolicy(source, lease, batch.policyOf, options.signal);
    for await (const loaded of this.items.load(source, batch.items, options)) {
      options.signal.throwIfAborted();
      await this.batches.store(source, lease, batch, loaded);
    }
  }

  /**
   * What events and listings told of, and the changes may have left behind: all that was asked for before the run began;
   * false while some of it is left. What is asked for later belongs to the next run, which is asked for together with it.
   * It is read here already unless something is in this run's way: on a busy source it would renew the patience with that
   * for ever.
   */
  private async reread(slice: ChangesSlice): Promise<boolean> {
    const { startedAt, retries } = slice.lease.run;
    if (!slice.connector.refresh || !startedAt) return true;
    const sliceBegan = await this.database.read(readClock);
    if (!(await this.rereadAll(slice, startedAt))) return false;
    if (retries === 0) await this.rereadAll(slice, sliceBegan);
    return true;
  }

  private async rereadAll(slice: ChangesSlice, before: Date): Promise<boolean> {
    const { source, lease, options, expires } = slice;
    const count = chooseRereadCount(lease.run, this.limits);
    for (let batch = 0; batch < this.limits.maxBatches; batch += 1) {
      const wanted = await this.database.read((manager) => listRereads(manager, source.id, count, before));
      if (wanted.length === 0) return true;
      await this.rereadSome(slice, wanted);
      if (options.giveUp || Date.now() >= expires) return false;
    }
    return false;
  }

  /** Each is done with as soon as it is stored: the next request may be one more than the provider allows. */
  private async rereadSome(slice: ChangesSlice, wanted: readonly WantedReread[]): Promise<void> {
    const { lease, options } = slice;
    let left = [...wanted];
    for await (const changes of this.timed(this.refresh(slice, wanted))) {
      options.signal.throwIfAborted();
      await this.take(slice, changes, options);
      const named = namedIn(changes);
      await this.complete(
        lease,
        left.filter(({ externalId }) => named.has(externalId)),
      );
      left = left.filter(({ externalId }) => !named.has(externalId));
    }
    // Nothing was said of these: the source doesn't cover them.
    await this.complete(lease, left);
  }

  /** An item that is refused alone, and for so long, takes more requests than there are: it is left to the next full run. */
  private async *refresh(
    { lease, connector, options }: ChangesSlice,
    wanted: readonly WantedReread[],
  ): AsyncGenerator<ItemChanges, void> {
    const externalIds = wanted.map(({ externalId }) => externalId);
    try {
      yield* connector.refresh?.(externalIds, options.signal, { giveUp: options.giveUp }) ?? [];
    } catch (error) {
      const [externalId, ...others] = externalIds;
      const isLimited = error instanceof AppError && error.code === 'CONNECTOR.RATE_LIMITED';
      const isOverdue = lease.run.retries >= this.limits.maxRetries && others.length === 0;
      if (!isLimited || !isOverdue || externalId === undefined) throw error;
      yield { items: [], deletedIds: [], failures: [{ externalId, title: null, error }] };
    }
  }

  private async complete(lease: SyncLease, rereads: readonly WantedReread[]): Promise<void> {
    if (rereads.length === 0) return;
    await this.database.transaction(async (transaction) => {
      await requireLease(transaction, lease);
      await completeRereads(transaction, lease.run.sourceId, rereads);
      await recordProgress(transaction, lease, { counts: {}, isOffList: true });
    });
  }

  private enterPhase(lease: SyncLease, phase: SyncPhase): Promise<void> {
    return this.database.transaction(async (transaction) => {
      await requireLease(transaction, lease);
      await recordProgress(transaction, lease, { counts: {}, phase });
    });
  }

  /** What the provider didn't name is as it was when the run began. */
  private async finish({ run }: SyncLease): Promise<SliceOutcome> {
    const { startedAt } = run;
    if (run.mode === 'reconcile' || run.trigger === 'event' || !startedAt) return 'done';
    let after: string | null = null;
    do {
      const page: { after: string | null; limit: number } = { after, limit: ADVANCE_BATCH };
      after = await this.database.transaction((transaction) => advanceSyncedAt(transaction, run, startedAt, page));
    } while (after !== null);
    return 'done';
  }
}

/** One of them has been through the database. */
function isSameCursor(given: SyncCursor, stored: SyncCursor | null): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(given)), stored);
}

function namedIn({ items, deletedIds, failures }: ItemChanges): Set<string> {
  return new Set([...items, ...failures].map(({ externalId }) => externalId).concat(deletedIds));
}
