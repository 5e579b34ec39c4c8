import { v4 as randomUuid } from 'uuid';
import type { AppError, SyncCounts, SyncMode, SyncRunState } from '@candor/contracts';
import type { Transaction } from '../database.js';
import {
  enqueueSlice,
  lockSource,
  RUN_COLUMNS,
  startSyncRun,
  toRun,
  type SyncFailureRecord,
  type SyncPhase,
  type SyncRunRecord,
  type SyncRunRow,
} from './sync-run.repository.js';

/** Seconds that a slice may stay silent before the sweeper takes its worker to be dead. */
const LEASE_SECONDS = 90;
/** Failures kept of one run; all are counted. */
const MOST_FAILURES = 200;

/** A run that this process works on. Whoever claims it later takes it away: the lease of the former is void then. */
export interface SyncLease {
  run: SyncRunRecord;
  leaseId: string;
  cursor: Record<string, unknown> | null;
}

/** The run isn't ours any more: cancelled, its source paused or removed, or another worker went on with it. */
export class LostLeaseError extends Error {
  override readonly name = 'LostLeaseError';
}

type SyncSliceKey = Pick<SyncRunRecord, 'id' | 'tenantId' | 'slice'>;

/** Null when there is nothing to do: the slice was done, the run is over. */
export async function claimSlice(transaction: Transaction, key: SyncSliceKey): Promise<SyncLease | null> {
  const leaseId = randomUuid();
  const [rows]: [SyncRunRow[], number] = await transaction.query(
    `UPDATE sync_runs r SET state = 'running', started_at = coalesce(r.started_at, now()), lease_id = $4,
       lease_until = now() + make_interval(secs => $5), waiting_until = NULL, waiting_error_type = NULL,
       waiting_error_message = NULL
     WHERE r.id = $1 AND r.tenant_id = $2 AND r.slice = $3 AND r.state IN ('queued', 'running')
     RETURNING ${RUN_COLUMNS}`,
    [key.id, key.tenantId, key.slice, leaseId, LEASE_SECONDS],
  );
  if (!rows[0]) return null;
  const run = toRun(rows[0]);
  const sources: { cursor: Record<string, unknown> | null }[] = await transaction.query(
    'SELECT cursor FROM source_connectors WHERE id = $1',
    [run.sourceId],
  );
  const cursor = sources[0]?.cursor ?? null;
  return { run, leaseId, cursor };
}

/** Locks source and run for the commit of a batch. Throws LostLeaseError. */
export async function requireLease(transaction: Transaction, { run, leaseId }: SyncLease): Promise<void> {
  // Whoever removes or pauses it holds this lock until that is done.
  const source = await lockSource(transaction, run.sourceId);
  const runs: { cancel_requested: boolean }[] = await transaction.query(
    `SELECT cancel_requested FROM sync_runs WHERE id = $1 AND lease_id = $2 AND state = 'running' FOR UPDATE`,
    [run.id, leaseId],
  );
  if (source?.state !== 'active' || !runs[0] || runs[0].cancel_requested) throw new LostLeaseError();
}

/** False when it isn't ours any more, or is to stop. */
export async function heartbeat(transaction: Transaction, { run, leaseId }: SyncLease): Promise<boolean> {
  const [, count]: [unknown[], number] = await transaction.query(
    `UPDATE sync_runs r SET lease_until = now() + make_interval(secs => $3)
     FROM source_connectors s
     WHERE r.id = $1 AND r.lease_id = $2 AND r.state = 'running' AND NOT r.cancel_requested
       AND s.id = r.source_id AND s.state = 'active'`,
    [run.id, leaseId, LEASE_SECONDS],
  );
  return count === 1;
}

export interface SliceProgress {
  counts: Partial<SyncCounts>;
  failures?: readonly SyncFailureRecord[];
  /** Absent = as it was. */
  cursor?: Record<string, unknown>;
  phase?: SyncPhase;
  compareFrom?: Date;
  /** Something is off a list to which nothing is added as long as the run waits for what is on it. */
  isOffList?: boolean;
}

/**
 * In the transaction of what it counts, after `requireLease`: nothing is half written.
 *
 * `retries` begin anew only with what this run can't do a second time: the cursor has moved, the phase has, or a list of what
 * lies ahead of it has got shorter (items to be read again, items that a listing lacks). What else is stored, such as parts of
 * a batch or shared policies, may be stored again after each wait: a run that doesn't get any further would have patience for
 * ever.
 */
export async function recordProgress(
  transaction: Transaction,
  { run }: SyncLease,
  progress: SliceProgress,
): Promise<void> {
  const { counts, failures = [], cursor, phase, compareFrom, isOffList = false } = progress;
  const cursorJson = cursor === undefined ? null : JSON.stringify(cursor);
  const before: { failed: number; moves: boolean }[] = await transaction.query(
    `SELECT r.failed, r.phase <> coalesce($3, r.phase)
         OR ($2::jsonb IS NOT NULL AND s.cursor IS DISTINCT FROM $2::jsonb) AS moves
     FROM sync_runs r JOIN source_connectors s ON s.id = r.source_id WHERE r.id = $1`,
    [run.id, cursorJson, phase ?? null],
  );
  await transaction.query(
    `UPDATE sync_runs SET listed = listed + $2, accepted = accepted + $3, unchanged = unchanged + $4,
       metadata = metadata + $5, deleted = deleted + $6, failed = failed + $7, withheld = withheld + $8,
       suppressed = suppressed + $13,
       cursor_after = coalesce($9::jsonb, cursor_after), phase = coalesce($10, phase),
       compare_from = coalesce($11, compare_from), retries = CASE WHEN $14 THEN 0 ELSE retries END,
       lease_until = now() + make_interval(secs => $12)
     WHERE id = $1`,
    [
      run.id,
      counts.listed ?? 0,
      counts.accepted ?? 0,
      counts.unchanged ?? 0,
      counts.metadata ?? 0,
      counts.deleted ?? 0,
      counts.failed ?? 0,
      counts.withheld ?? 0,
      cursorJson,
      phase ?? null,
      compareFrom ?? null,
      LEASE_SECONDS,
      counts.suppressed ?? 0,
      isOffList || before[0]?.moves === true,
    ],
  );
  if (cursorJson !== null)
    await transaction.query('UPDATE source_connectors SET cursor = $2::jsonb WHERE id = $1', [
      run.sourceId,
      cursorJson,
    ]);
  await insertFailures(transaction, run.id, before[0]?.failed ?? 0, failures);
}

async function insertFailures(
  transaction: Transaction,
  runId: string,
  from: number,
  failures: readonly SyncFailureRecord[],
): Promise<void> {
  const rows = failures.slice(0, Math.max(0, MOST_FAILURES - from)).map(({ externalId, title, error }, index) => ({
    ordinal: from + index,
    external_id: externalId,
    title,
    error_type: error.type,
    error_message: error.message,
  }));
  if (rows.length === 0) return;
  await transaction.query(
    `INSERT INTO sync_run_failures (run_id, ordinal, external_id, title, error_type, error_message)
     SELECT $1, d.ordinal, d.external_id, d.title, d.error_type, d.error_message
     FROM jsonb_to_recordset($2::jsonb)
       AS d(ordinal integer, external_id text, title text, error_type text, error_message text)
     ON CONFLICT DO NOTHING`,
    [runId, JSON.stringify(rows)],
  );
}

/** Hands over to the next slice. False when the run isn't ours any more. */
export async function continueRun(transaction: Transaction, lease: SyncLease): Promise<boolean> {
  const [rows]: [SyncRunRow[], number] = await transaction.query(
    `UPDATE sync_runs r SET slice = r.slice + 1, lease_id = NULL, lease_until = now() + interval '60 seconds'
     WHERE r.id = $1 AND r.lease_id = $2 AND r.state = 'running' RETURNING ${RUN_COLUMNS}`,
    [lease.run.id, lease.leaseId],
  );
  if (!rows[0]) return false;
  await enqueueSlice(transaction, toRun(rows[0]));
  return true;
}

/** Goes on by itself after a while: the sweeper sends the next slice when the time has come. */
export async function suspendRun(
  transaction: Transaction,
  { run, leaseId }: SyncLease,
  waiting: { seconds: number; error: AppError },
): Promise<void> {
  await transaction.query(
    `UPDATE sync_runs SET lease_id = NULL, retries = retries + 1, waiting_error_type = $3, waiting_error_message = $4,
       waiting_until = now() + make_interval(secs => $5), lease_until = now() + make_interval(secs => $5)
     WHERE id = $1 AND lease_id = $2 AND state = 'running'`,
    [run.id, leaseId, waiting.error.code, waiting.error.message, waiting.seconds],
  );
}

export interface RunEnding {
  state: Extract<SyncRunState, 'succeeded' | 'succeeded_with_errors' | 'failed' | 'cancelled'>;
  error?: { type: string; message: string };
  /** All ids were compared with the provider's. */
  reconciled?: boolean;
}

/**
 * Ends a run and says so at its source. Null when it is over already, or not the lease's.
 * `leaseId` null = whoever holds it (a dead letter, a removal).
 */
export async function endRun(
  transaction: Transaction,
  run: { id: string; leaseId: string | null },
  ending: RunEnding,
): Promise<SyncRunRecord | null> {
  await transaction.query(
    `SELECT 1 FROM source_connectors s JOIN sync_runs r ON r.source_id = s.id WHERE r.id = $1 FOR UPDATE OF s`,
    [run.id],
  );
  const [rows]: [SyncRunRow[], number] = await transaction.query(
    `UPDATE sync_runs r SET state = $3, ended_at = now(), error_type = $4, error_message = $5, lease_id = NULL,
       lease_until = NULL, waiting_until = NULL
     WHERE r.id = $1 AND ($2::uuid IS NULL OR r.lease_id = $2) AND r.state IN ('queued', 'running')
     RETURNING ${RUN_COLUMNS}`,
    [run.id, run.leaseId, ending.state, ending.error?.type ?? null, ending.error?.message ?? null],
  );
  if (!rows[0]) return null;
  const ended = toRun(rows[0]);
  await tellSource(transaction, ended, ending);
  return ended;
}

async function tellSource(transaction: Transaction, run: SyncRunRecord, ending: RunEnding): Promise<void> {
  const succeeded = ending.state === 'succeeded' || ending.state === 'succeeded_with_errors';
  // Comparing ids proves nothing about contents, so it doesn't count as fresh.
  const isFresh = succeeded && run.mode !== 'reconcile';
  await transaction.query(
    `UPDATE source_connectors SET
       last_success_at = CASE WHEN $2 THEN now() ELSE last_success_at END,
       last_reconciled_at = CASE WHEN $3 THEN now() ELSE last_reconciled_at END,
       wants_full = wants_full OR $4,
       last_error_type = CASE WHEN $5 THEN $6 WHEN $7 THEN NULL ELSE last_error_type END,
       last_error_message = CASE WHEN $5 THEN $8 WHEN $7 THEN NULL ELSE last_error_message END,
       last_error_at = CASE WHEN $5 THEN now() WHEN $7 THEN NULL ELSE last_error_at END
     WHERE id = $1`,
    [
      run.sourceId,
      isFresh,
      ending.reconciled === true,
      // Its start took that away: begun and not brought to its end, it stays wanted.
      run.mode === 'full' && !succeeded,
      ending.error !== undefined,
      ending.error?.type ?? null,
      succeeded,
      ending.error?.message ?? null,
    ],
  );
  const wanted: { wanted_mode: SyncMode | null }[] = await transaction.query(
    `SELECT wanted_mode FROM source_connectors WHERE id = $1 AND state = 'active'`,
    [run.sourceId],
  );
  const mode = wanted[0]?.wanted_mode;
  // What asked for another run while this one was under way may not be in it.
  if (mode && succeeded)
    await startSyncRun(transaction, {
      tenantId: run.tenantId,
      sourceId: run.sourceId,
      mode,
      trigger: mode === 'incremental' ? 'event' : 'schedule',
      apiKeyId: null,
    });
}

/** Runs whose lease ran out and that no outbox row is waiting for. */
export async function findStrandedRuns(transaction: Transaction, limit: number): Promise<SyncRunRecord[]> {
  const rows: SyncRunRow[] = await transaction.query(
    `SELECT ${RUN_COLUMNS} FROM sync_runs r
     WHERE r.state IN ('queued', 'running') AND r.lease_until < now()
       AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.payload ? 'sourceId' AND o.payload->>'sourceId' = r.source_id::text
         AND o.payload->>'runId' = r.id::text)
     ORDER BY r.lease_until LIMIT $1 FOR UPDATE OF r SKIP LOCKED`,
    [limit],
  );
  return rows.map(toRun);
}

/** The queue still has its slice: look again later. */
export async function extendRunLease(transaction: Transaction, runId: string): Promise<void> {
  await transaction.query(`UPDATE sync_runs SET lease_until = now() + interval '60 seconds' WHERE id = $1`, [runId]);
}

/** Sends the next slice: the wait is over, or the queue or the worker lost the last one. */
export async function resendRun(transaction: Transaction, run: SyncRunRecord): Promise<void> {
  await transaction.query(
    `UPDATE sync_runs SET slice = slice + 1, lease_id = NULL, lease_until = now() + interval '60 seconds'
     WHERE id = $1`,
    [run.id],
  );
  await enqueueSlice(transaction, { ...run, slice: run.slice + 1 });
}
