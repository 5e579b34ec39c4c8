import type { Source, SyncRun } from '@candor/contracts';
import type { SourceOverview, SyncRunRecord } from '@candor/persistence';

function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}

function everyMinutes(minutes: number | null): { everyMinutes: number } | null {
  return minutes === null ? null : { everyMinutes: minutes };
}

/** What is shown of a source: which credentials are set, and no value of any. */
export function toSource(source: SourceOverview): Source {
  const { lastCheck, lastError, removalTotal } = source;
  return {
    id: source.id,
    name: source.name,
    provider: source.provider,
    settings: source.settings as Source['settings'],
    credentials: { fields: source.credentialFields, keyId: source.credentialsKeyId },
    schedule: everyMinutes(source.syncEveryMinutes),
    reconcile: everyMinutes(source.reconcileEveryMinutes),
    state: source.state,
    lastCheck: lastCheck && toCheck(lastCheck),
    lastSuccessAt: iso(source.lastSuccessAt),
    lastReconciledAt: iso(source.lastReconciledAt),
    lastError: lastError && { ...lastError, at: lastError.at.toISOString() },
    nextRunAt: source.state === 'active' ? iso(source.nextRunAt) : null,
    activeRunId: source.activeRunId,
    items: source.items,
    removal: removalTotal === null ? null : { itemsTotal: removalTotal, itemsRemaining: source.itemsRemaining },
    createdAt: source.createdAt.toISOString(),
    updatedAt: source.updatedAt.toISOString(),
  };
}

export function toCheck({
  status,
  account,
  error,
  checkedAt,
}: NonNullable<SourceOverview['lastCheck']>): NonNullable<Source['lastCheck']> {
  return { status, account, error, checkedAt };
}

export function toSyncRun(run: SyncRunRecord): SyncRun {
  return {
    id: run.id,
    sourceId: run.sourceId,
    mode: run.mode,
    trigger: run.trigger,
    state: run.state,
    // A run that was ended while it waited waits no more.
    waiting:
      run.endedAt === null && run.waiting ? { until: run.waiting.until.toISOString(), error: run.waiting.error } : null,
    cancelRequested: run.cancelRequested,
    counts: run.counts,
    error: run.error,
    createdAt: run.createdAt.toISOString(),
    startedAt: iso(run.startedAt),
    endedAt: iso(run.endedAt),
  };
}
