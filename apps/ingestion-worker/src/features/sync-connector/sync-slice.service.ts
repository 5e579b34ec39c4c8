import { Inject, Injectable } from '@nestjs/common';
import type { SyncSourcePayload } from '@candor/contracts';
import {
  advanceSyncedAt,
  claimSlice,
  completeRereads,
  continueRun,
  Database,
  findSourceById,
  listRereads,
  LostLeaseError,
  recordProgress,
  requireLease,
  type SourceConnector as StoredSource,
  type SyncLease,
  type SyncPhase,
} from '@candor/persistence';
import type { ConnectorOptions } from '../../connectors/connector-options.js';
import { DEFAULT_RETRY_LIMITS } from '../../connectors/outbound-http/retry-request.js';
import type { SourceConnector } from '../../connectors/source-connector.port.js';
import { CompareIdsService } from './compare-ids.service.js';
import { LoadItemsService, type LoadOptions } from './load-items.service.js';
import { OpenConnectorService } from '../../connectors/open-connector.service.js';
import { StoreBatchService, type StorableBatch } from './store-batch.service.js';
import { SYNC_LIMITS, type SyncLimits } from './sync-limits.js';

const ADVANCE_BATCH = 2_000;
/** Of one slice; the next one goes on with the rest. */
const MOST_REREADS = 200;

/** What became of a slice. */
export type SliceOutcome = 'more' | 'done';

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
        if (!(await this.takeChanges(source, lease, connector, signal))) break;
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

  /** True when the provider has no more changes. */
  private async takeChanges(
    source: StoredSource,
    lease: SyncLease,
    connector: SourceConnector,
    signal: AbortSignal,
  ): Promise<boolean> {
    const expires = Date.now() + this.limits.maxSliceMs;
    // Of the batch that has kept the run from going on, and of no other.
    const giveUp = lease.run.retries >= this.limits.patienceWithItem;
    await this.reread(source, lease, connector, { signal, giveUp, retryFailed: false });
    let batches = 0;
    for await (const batch of connector.changes(lease.cursor, signal, { giveUp })) {
      signal.throwIfAborted();
      await this.take(source, lease, batch, { signal, giveUp, retryFailed: lease.run.mode === 'full' });
      batches += 1;
      // Asked again with this cursor, the provider would begin the next run.
      if (batch.isLast) return true;
      if (giveUp || batches >= this.limits.maxBatches || Date.now() >= expires) return false;
    }
    return true;
  }

  private async take(
    source: StoredSource,
    lease: SyncLease,
    batch: StorableBatch,
    options: LoadOptions,
  ): Promise<void> {
    if (batch.policyOf) await this.batches.applyPolicy(source, lease, batch.policyOf, options.signal);
    for await (const loaded of this.items.load(source, batch.items, options)) {
      options.signal.throwIfAborted();
      await this.batches.store(source, lease, batch, loaded);
    }
  }

  /** What events told of, and the changes may have left behind. */
  private async reread(
    source: StoredSource,
    lease: SyncLease,
    connector: SourceConnector,
    options: LoadOptions,
  ): Promise<void> {
    if (!connector.refresh) return;
    const wanted = await this.database.read((manager) => listRereads(manager, source.id, MOST_REREADS));
    if (wanted.length === 0) return;
    const externalIds = wanted.map(({ externalId }) => externalId);
    const { signal, giveUp } = options;
    for await (const changes of connector.refresh(externalIds, signal, { giveUp })) {
      signal.throwIfAborted();
      await this.take(source, lease, changes, options);
    }
    await this.database.transaction((transaction) => completeRereads(transaction, source.id, wanted));
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
