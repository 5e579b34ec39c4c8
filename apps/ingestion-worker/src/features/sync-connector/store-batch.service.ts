import { Inject, Injectable } from '@nestjs/common';
import { accessPolicySchema, type AccessPolicy, type AuditEventInput, type QuotaLimits } from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import {
  acceptDocuments,
  Database,
  findDeletedSince,
  findKnownItems,
  findQuotaLimits,
  limitOf,
  markUnread,
  noteUnstored,
  readForPolicy,
  recordProgress,
  requireLease,
  storeContentRevisions,
  tombstoneItems,
  wantFullRun,
  withinStocks,
  type AcceptedItem,
  type SourceConnector as StoredSource,
  type StockLimits,
  type SyncLease,
  type Transaction,
} from '@candor/persistence';
import type { ItemChanges, ItemFailure, PolicyChange, SyncCursor } from '../../connectors/source-connector.port.js';
import { cleanJson, cleanText, isStorableId } from './clean-text.js';
import type { LoadedItem, LoadedItems } from './load-items.service.js';
import { SYNC_LIMITS, type SyncLimits } from './sync-limits.js';

/** `QuotaLimits`: of tenants that have none of their own. */
export const QUOTA_DEFAULTS = Symbol('QuotaDefaults');

/** What an event led to has no cursor. */
export interface StorableBatch extends ItemChanges {
  cursor?: SyncCursor;
  /** By the database's clock, before the first of it was read. */
  readFrom: Date;
}

/**
 * One commit a batch: items, deletes, counts, failures, audit events and the cursor after it. Where a batch comes in parts,
 * deletes and cursor go with its last one.
 */
@Injectable()
export class StoreBatchService {
  constructor(
    private readonly database: Database,
    @Inject(QUOTA_DEFAULTS) private readonly quotaDefaults: QuotaLimits,
    @Inject(SYNC_LIMITS) private readonly limits: Pick<SyncLimits, 'policyBatch'>,
  ) {}

  /**
   * Throws LostLeaseError, and stores nothing, when the run is not this process's any more. QUOTA.EXCEEDED ends the run
   * before its cursor moves: the next one goes on from there.
   */
  async store(source: StoredSource, lease: SyncLease, batch: StorableBatch, part: LoadedItems): Promise<void> {
    const { run } = lease;
    const { isLast } = part;
    const key = { tenantId: run.tenantId, sourceId: run.sourceId };
    const named = new Set(batch.items.map(({ externalId }) => externalId));
    const deletedIds = isLast ? batch.deletedIds.filter((id) => !named.has(id) && isStorableId(id)) : [];
    const told = { loaded: part.loaded, failures: isLast ? [...batch.failures, ...part.failures] : part.failures };
    await this.database.transaction(async (transaction) => {
      await requireLease(transaction, lease);
      // An event was faster: what was read is older than the deletion, and would undo it.
      const overtaken = await findDeletedSince(transaction, key, idsOf(told), batch.readFrom);
      const loaded = told.loaded.filter(({ document }) => !overtaken.has(document.externalId));
      const failures = told.failures.filter(({ externalId }) => !overtaken.has(externalId));
      const read = loaded.filter(({ isUnread }) => !isUnread);
      const suppressed = part.suppressed + overtaken.size;
      const accepted = await withinStocks(transaction, run.tenantId, await this.readLimits(transaction, run), () =>
        acceptDocuments(
          transaction,
          run.tenantId,
          run.id,
          loaded.map(({ document }) => document),
          run.apiKeyId,
          { append: true },
        ),
      );
      await storeContentRevisions(transaction, withRevisions(accepted, loaded));
      const unreadIds = failures.map(({ externalId }) => externalId).filter(isStorableId);
      await markUnread(transaction, key, source.provider, unreadIds);
      // Asking for everything anew would bring these no more than this run did.
      const refusedIds = failures.filter(({ error }) => !error.retryable).map(({ externalId }) => externalId);
      await noteUnstored(transaction, key, source.provider, refusedIds.filter(isStorableId), false);
      const known = await findKnownItems(transaction, key, source.provider, deletedIds);
      const deleted = await tombstoneItems(
        transaction,
        { tenantId: run.tenantId, requestId: run.id },
        [...known.values()].map(({ itemId }) => itemId),
      );
      await writeAuditEvents(transaction, [
        ...accepted.filter(({ change }) => change !== 'none').map((item) => acceptedEvent(lease, item)),
        ...deleted.map((itemId) => deletedEvent(lease, itemId)),
      ]);
      if (failures.some(({ error }) => error.retryable)) await wantFullRun(transaction, run.sourceId);
      const kept = accepted.filter(({ isKeptDeleted }) => !isKeptDeleted);
      const counted = (change: AcceptedItem['change']): number => kept.filter((item) => item.change === change).length;
      const unread = accepted.filter(({ change }, index) => change === 'none' && loaded[index]?.isUnread).length;
      await recordProgress(transaction, lease, {
        ...(isLast && batch.cursor ? { cursor: batch.cursor } : {}),
        counts: {
          listed: read.length + failures.length + suppressed,
          accepted: counted('content'),
          metadata: counted('metadata'),
          unchanged: counted('none') - unread,
          deleted: deleted.length,
          failed: failures.length,
          withheld: loaded.filter(({ isWithheld }) => isWithheld).length,
          suppressed: suppressed + accepted.length - kept.length,
        },
        failures: failures.map(toFailure),
      });
    });
  }

  /**
   * Gives a policy to all stored items that share it, a commit a page: each page holds from the next query on. One that
   * is interrupted goes on with the items that still have another. Throws LostLeaseError.
   */
  async applyPolicy(source: StoredSource, lease: SyncLease, change: PolicyChange, signal: AbortSignal): Promise<void> {
    const { run } = lease;
    const key = { tenantId: run.tenantId, sourceId: run.sourceId };
    const matching = cleanJson(change.matching);
    const accessPolicy = keepablePolicy(change.accessPolicy, source);
    let after: string | null = null;
    do {
      signal.throwIfAborted();
      const page = { after, limit: this.limits.policyBatch };
      after = await this.database.transaction(async (transaction) => {
        await requireLease(transaction, lease);
        const found = await readForPolicy(
          transaction,
          key,
          { matching, metadata: change.metadata, accessPolicy },
          page,
        );
        if (found.documents.length === 0) return null;
        const options = { append: true };
        const accepted = await acceptDocuments(
          transaction,
          run.tenantId,
          run.id,
          found.documents,
          run.apiKeyId,
          options,
        );
        await writeAuditEvents(
          transaction,
          accepted.map((item) => acceptedEvent(lease, item)),
        );
        const withheld = accessPolicy === null ? accepted.length : 0;
        await recordProgress(transaction, lease, { counts: { metadata: accepted.length, withheld } });
        return found.after;
      });
    } while (after !== null);
  }

  /** Syncs take turns with everything else, so how much waits doesn't limit them. */
  private async readLimits(transaction: Transaction, { tenantId }: SyncLease['run']): Promise<StockLimits> {
    const own = (await findQuotaLimits(transaction, tenantId)) ?? {};
    const limit = (quota: keyof StockLimits): number | null => limitOf(quota, own, this.quotaDefaults);
    return { items: limit('items'), storageBytes: limit('storageBytes') };
  }

  /** Tombstones of what a listing of everything lacks. */
  async storeDeletes(lease: SyncLease, itemIds: readonly string[]): Promise<void> {
    const { run } = lease;
    await this.database.transaction(async (transaction) => {
      await requireLease(transaction, lease);
      const deleted = await tombstoneItems(transaction, { tenantId: run.tenantId, requestId: run.id }, itemIds);
      await writeAuditEvents(
        transaction,
        deleted.map((itemId) => deletedEvent(lease, itemId)),
      );
      // The others of the batch are listed by now.
      await recordProgress(transaction, lease, { counts: { deleted: deleted.length }, isOffList: true });
    });
  }
}

function idsOf({ loaded, failures }: Pick<LoadedItems, 'loaded' | 'failures'>): string[] {
  const ids = [...loaded.map(({ document }) => document.externalId), ...failures.map(({ externalId }) => externalId)];
  return ids.filter(isStorableId);
}

function withRevisions(
  accepted: readonly AcceptedItem[],
  loaded: readonly LoadedItem[],
): { itemId: string; contentRevision: string | null }[] {
  return accepted.flatMap(({ itemId, isKeptDeleted }, index) => {
    const item = loaded[index];
    return !item || item.isUnread || isKeptDeleted ? [] : [{ itemId, contentRevision: item.contentRevision }];
  });
}

/** One that can't be kept opens nothing. */
function keepablePolicy(policy: AccessPolicy | null, { provider }: StoredSource): AccessPolicy | null {
  const parsed = accessPolicySchema.safeParse(policy && cleanJson(policy));
  return parsed.success && parsed.data.provider === provider ? parsed.data : null;
}

export function toFailure({ externalId, title, error }: ItemFailure) {
  return {
    externalId: cleanText(externalId),
    title: title === null ? null : cleanText(title),
    error: { type: error.code, message: cleanText(error.message) },
  };
}

function eventOf({ run }: SyncLease, itemId: string): Omit<AuditEventInput, 'action' | 'outcome' | 'metadata'> {
  return {
    tenantId: run.tenantId,
    requestId: run.id,
    actorApiKeyId: run.apiKeyId,
    actorType: 'service',
    targetType: 'source_item',
    targetId: itemId,
  };
}

function acceptedEvent(lease: SyncLease, item: AcceptedItem): AuditEventInput {
  const { provider, externalId, version, change } = item;
  const metadata = { sourceId: lease.run.sourceId, provider, externalId, version, change };
  return { ...eventOf(lease, item.itemId), action: 'item.accept', outcome: 'accepted', metadata };
}

function deletedEvent(lease: SyncLease, itemId: string): AuditEventInput {
  const metadata = { sourceId: lease.run.sourceId };
  return { ...eventOf(lease, itemId), action: 'item.delete', outcome: 'accepted', metadata };
}
