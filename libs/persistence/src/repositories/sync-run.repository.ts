import { v4 as randomUuid } from 'uuid';
import type { SourceState, SyncCounts, SyncMode, SyncRunState, SyncTrigger } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';
import { enqueue } from './outbox.repository.js';
import type { SourceViewer } from './source-connector.repository.js';

/** Seconds in which the queue is expected to bring a slice to a worker before the sweeper asks about it. */
const DISPATCH_LEASE_SECONDS = 60;

/** `changes`: what the provider reports; `compare`: a listing of all ids; `delete`: what that listing lacks. */
export type SyncPhase = 'changes' | 'compare' | 'delete';

interface TypedError {
  type: string;
  message: string;
}

export interface SyncRunRecord {
  id: string;
  tenantId: string;
  sourceId: string;
  mode: SyncMode;
  trigger: SyncTrigger;
  apiKeyId: string | null;
  state: SyncRunState;
  phase: SyncPhase;
  slice: number;
  /** How often in a row it had to wait. */
  retries: number;
  waiting: { until: Date; error: TypedError } | null;
  cancelRequested: boolean;
  /** Items that no listing has named since then are gone. */
  compareFrom: Date | null;
  counts: SyncCounts;
  error: TypedError | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
}

export interface SyncRunRow {
  id: string;
  tenant_id: string;
  source_id: string;
  mode: SyncMode;
  trigger: SyncTrigger;
  api_key_id: string | null;
  state: SyncRunState;
  phase: SyncPhase;
  slice: number;
  retries: number;
  waiting_until: Date | null;
  waiting_error_type: string | null;
  waiting_error_message: string | null;
  cancel_requested: boolean;
  compare_from: Date | null;
  listed: number;
  accepted: number;
  unchanged: number;
  metadata: number;
  deleted: number;
  failed: number;
  withheld: number;
  suppressed: number;
  error_type: string | null;
  error_message: string | null;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
}

export const RUN_COLUMNS = `r.id, r.tenant_id, r.source_id, r.mode, r.trigger, r.api_key_id, r.state, r.phase, r.slice,
  r.retries, r.waiting_until, r.waiting_error_type, r.waiting_error_message, r.cancel_requested, r.compare_from,
  r.listed, r.accepted, r.unchanged, r.metadata, r.deleted, r.failed, r.withheld, r.suppressed, r.error_type, r.error_message,
  r.created_at, r.started_at, r.ended_at`;

export interface NewSyncRun {
  tenantId: string;
  sourceId: string;
  mode: SyncMode;
  trigger: SyncTrigger;
  apiKeyId: string | null;
}

/** Of two calls at once the database lets one insert; each further round means that the active run ended in between. */
const MAX_ROUNDS = 5;

/** Starts a run, or returns the active one. The caller knows that the source is active. */
export async function startSyncRun(
  transaction: Transaction,
  run: NewSyncRun,
): Promise<{ run: SyncRunRecord; alreadyActive: boolean }> {
  await lockSource(transaction, run.sourceId);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const inserted: SyncRunRow[] = await transaction.query(
      `INSERT INTO sync_runs AS r (id, tenant_id, source_id, mode, trigger, api_key_id, phase, lease_until, cursor_before)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8),
         (SELECT s.cursor FROM source_connectors s WHERE s.id = $3))
       ON CONFLICT (source_id) WHERE state IN ('queued', 'running') DO NOTHING RETURNING ${RUN_COLUMNS}`,
      [
        randomUuid(),
        run.tenantId,
        run.sourceId,
        run.mode,
        run.trigger,
        run.apiKeyId,
        run.mode === 'reconcile' ? 'compare' : 'changes',
        DISPATCH_LEASE_SECONDS,
      ],
    );
    if (inserted[0]) {
      // A run that lists everything forgets what was known of the changes, and does what any other does. Another one
      // leaves open what it doesn't do itself. `wants_full` goes now, and not when the run is through: what asks for
      // everything in the course of it asks for the next one.
      await transaction.query(
        `UPDATE source_connectors SET wanted_mode = CASE WHEN $2 = 'full' OR wanted_mode = $2 THEN NULL ELSE wanted_mode END,
           cursor = CASE WHEN $2 = 'full' THEN NULL ELSE cursor END, wants_full = wants_full AND $2 <> 'full' WHERE id = $1`,
        [run.sourceId, run.mode],
      );
      const started = toRun(inserted[0]);
      await enqueueSlice(transaction, started);
      return { run: started, alreadyActive: false };
    }
    const active: SyncRunRow[] = await transaction.query(
      `SELECT ${RUN_COLUMNS} FROM sync_runs r WHERE r.source_id = $1 AND r.state IN ('queued', 'running')`,
      [run.sourceId],
    );
    if (active[0]) return { run: toRun(active[0]), alreadyActive: true };
  }
  throw new Error('a sync run was neither inserted nor found');
}

/** Whoever changes runs or items of a source takes its lock first: in another order two of them would wait for each other. */
export async function lockSource(transaction: Transaction, sourceId: string): Promise<{ state: SourceState } | null> {
  const rows: { state: SourceState }[] = await transaction.query(
    'SELECT state FROM source_connectors WHERE id = $1 FOR UPDATE',
    [sourceId],
  );
  return rows[0] ?? null;
}

/** Starts a run, or has one started as soon as the active one is over: what it is for came too late for that one. */
export async function wantSync(transaction: Transaction, run: NewSyncRun): Promise<void> {
  const { alreadyActive } = await startSyncRun(transaction, run);
  if (!alreadyActive) return;
  // A full run does what any two others do.
  await transaction.query(
    `UPDATE source_connectors SET wanted_mode = CASE WHEN coalesce(wanted_mode, $2) = $2 THEN $2 ELSE 'full' END
     WHERE id = $1`,
    [run.sourceId, run.mode],
  );
}

/** Something was left out that a listing from the beginning would find. The caller holds the source's lock. */
export async function wantFullRun(transaction: Transaction, sourceId: string): Promise<void> {
  await transaction.query('UPDATE source_connectors SET wants_full = true WHERE id = $1', [sourceId]);
}

export function enqueueSlice(
  transaction: Transaction,
  run: Pick<SyncRunRecord, 'id' | 'tenantId' | 'sourceId' | 'slice'>,
): Promise<void> {
  const { id, tenantId, sourceId, slice } = run;
  const payload = { tenantId, requestId: id, sourceId, runId: id, slice };
  return enqueue(transaction, [{ tenantId, jobName: 'source.sync', payload }]);
}

const VISIBLE_RUN = `r.tenant_id = $1
  AND ($2::text[] IS NULL OR r.source_id IN (SELECT s.id FROM source_connectors s WHERE s.tenant_id = $1 AND s.provider = ANY($2)))`;

export async function findSyncRun(
  transaction: Transaction,
  viewer: SourceViewer,
  id: string,
): Promise<SyncRunRecord | null> {
  const rows: SyncRunRow[] = await transaction.query(
    `SELECT ${RUN_COLUMNS} FROM sync_runs r WHERE ${VISIBLE_RUN} AND r.id = $3`,
    [viewer.tenantId, viewer.providers, id],
  );
  return rows[0] ? toRun(rows[0]) : null;
}

/** As it is now, whoever asks. */
export async function findRunState(transaction: Transaction, id: string): Promise<SyncRunRecord | null> {
  const rows: SyncRunRow[] = await transaction.query(`SELECT ${RUN_COLUMNS} FROM sync_runs r WHERE r.id = $1`, [id]);
  return rows[0] ? toRun(rows[0]) : null;
}

/** Newest first. */
export async function listSyncRuns(
  transaction: Transaction,
  viewer: SourceViewer,
  filter: {
    sourceId?: string | undefined;
    state?: SyncRunState | undefined;
    cursor?: string | undefined;
    limit: number;
  },
): Promise<Page<SyncRunRecord>> {
  const after = decodeCursor(filter.cursor);
  const rows: SyncRunRow[] = await transaction.query(
    `SELECT ${RUN_COLUMNS} FROM sync_runs r WHERE ${VISIBLE_RUN}
       AND ($3::uuid IS NULL OR r.source_id = $3) AND ($4::text IS NULL OR r.state = $4)
       AND ($5::timestamptz IS NULL OR (r.created_at, r.id) < ($5::timestamptz, $6::uuid))
     ORDER BY r.created_at DESC, r.id DESC LIMIT $7`,
    [
      viewer.tenantId,
      viewer.providers,
      filter.sourceId ?? null,
      filter.state ?? null,
      after?.at ?? null,
      after?.id ?? null,
      filter.limit + 1,
    ],
  );
  return pageOfRows(rows.map(toRun), filter.limit, (row) => ({ at: row.createdAt.toISOString(), id: row.id }));
}

export interface SyncFailureRecord {
  externalId: string;
  title: string | null;
  error: TypedError;
}

export async function listSyncFailures(
  transaction: Transaction,
  runId: string,
  limit: number,
): Promise<SyncFailureRecord[]> {
  const rows: { external_id: string; title: string | null; error_type: string; error_message: string }[] =
    await transaction.query(
      `SELECT external_id, title, error_type, error_message FROM sync_run_failures
       WHERE run_id = $1 ORDER BY ordinal LIMIT $2`,
      [runId, limit],
    );
  return rows.map((row) => ({
    externalId: row.external_id,
    title: row.title,
    error: { type: row.error_type, message: row.error_message },
  }));
}

/** One that nobody works on ends at once, a running one at its next batch. Null when there is no such run. */
export async function cancelSyncRun(
  transaction: Transaction,
  viewer: SourceViewer,
  id: string,
): Promise<SyncRunRecord | null> {
  const found = await findSyncRun(transaction, viewer, id);
  if (!found) return null;
  await lockSource(transaction, found.sourceId);
  const [rows]: [StoppedRow[], number] = await transaction.query(
    `UPDATE sync_runs SET cancel_requested = true,
       state = CASE WHEN lease_id IS NULL THEN 'cancelled' ELSE state END,
       ended_at = CASE WHEN lease_id IS NULL THEN now() END
     WHERE id = $1 AND state IN ('queued', 'running') RETURNING mode, state`,
    [id],
  );
  await keepFullWanted(transaction, found.sourceId, rows);
  return findSyncRun(transaction, viewer, id);
}

/**
 * At once: what the run's worker would store next is refused. For sources that are removed, or told to cover other things;
 * the caller holds the source's lock.
 */
export async function endActiveRun(transaction: Transaction, sourceId: string): Promise<void> {
  const [rows]: [StoppedRow[], number] = await transaction.query(
    `UPDATE sync_runs SET state = 'cancelled', cancel_requested = true, ended_at = now(), lease_id = NULL,
       lease_until = NULL, waiting_until = NULL
     WHERE source_id = $1 AND state IN ('queued', 'running') RETURNING mode, state`,
    [sourceId],
  );
  await keepFullWanted(transaction, sourceId, rows);
}

type StoppedRow = Pick<SyncRunRow, 'mode' | 'state'>;

/** A full run that was begun and not brought to its end stays wanted, whatever it was for. */
async function keepFullWanted(
  transaction: Transaction,
  sourceId: string,
  stopped: readonly StoppedRow[],
): Promise<void> {
  if (stopped.some(({ mode, state }) => mode === 'full' && state === 'cancelled'))
    await wantFullRun(transaction, sourceId);
}

export function toRun(row: SyncRunRow): SyncRunRecord {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    sourceId: row.source_id,
    mode: row.mode,
    trigger: row.trigger,
    apiKeyId: row.api_key_id,
    state: row.state,
    phase: row.phase,
    slice: row.slice,
    retries: row.retries,
    waiting:
      row.waiting_until === null || row.waiting_error_type === null
        ? null
        : {
            until: row.waiting_until,
            error: { type: row.waiting_error_type, message: row.waiting_error_message ?? '' },
          },
    cancelRequested: row.cancel_requested,
    compareFrom: row.compare_from,
    counts: {
      listed: row.listed,
      accepted: row.accepted,
      unchanged: row.unchanged,
      metadata: row.metadata,
      deleted: row.deleted,
      failed: row.failed,
      withheld: row.withheld,
      suppressed: row.suppressed,
    },
    error: row.error_type === null ? null : { type: row.error_type, message: row.error_message ?? '' },
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}
