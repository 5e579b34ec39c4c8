import { v4 as randomUuid } from 'uuid';
import type { AppError, GenerationWorkPayload } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { GenerationEntity, type GenerationRecipe, type ReconcileReport } from '../entities/generation.entity.js';
import { countSteps } from './generation-content.repository.js';
import { findGeneration, lockGenerations, nextNumber, WRITABLE_STATES } from './generation.repository.js';
import { enqueue } from './outbox.repository.js';

/** Longest silence of the work before the sweeper sends it again, seconds. */
const WORK_LEASE_SECONDS = 60;
/** Requests that began while it was still used have ended by then. */
const RETIRE_GRACE_SECONDS = 30;

export type WorkKind = 'build' | 'reconcile' | 'retire';
const JOB_OF = {
  build: 'generation.build',
  reconcile: 'generation.reconcile',
  retire: 'generation.retire',
} as const satisfies Record<WorkKind, string>;

/** A build beside the live generation; null while another one is building or waits to be promoted. */
export async function createGeneration(
  transaction: Transaction,
  wanted: { tenantId: string; requestId: string; model: string | null },
): Promise<GenerationEntity | null> {
  await lockGenerations(transaction, wanted.tenantId);
  const pending: unknown[] = await transaction.query(
    `SELECT 1 FROM generations WHERE tenant_id = $1 AND status IN ('building', 'ready')`,
    [wanted.tenantId],
  );
  if (pending.length > 0) return null;
  const id = randomUuid();
  await transaction.query(
    `INSERT INTO generations (id, tenant_id, number, name, status, pipeline_fingerprint, requested_model, request_id)
     VALUES ($1, $2, $3, $4, 'building', '', $5, $6)`,
    [
      id,
      wanted.tenantId,
      await nextNumber(transaction, wanted.tenantId),
      `pending-${id}`,
      wanted.model,
      wanted.requestId,
    ],
  );
  await startWork(transaction, { id, ...wanted }, 'build');
  return transaction.findOneByOrFail(GenerationEntity, { id });
}

/** Puts the generation to work; false when it is at some already. */
export async function startWork(
  transaction: Transaction,
  generation: { id: string; tenantId: string; requestId: string },
  work: 'build' | 'reconcile',
): Promise<boolean> {
  const [rows]: [{ work_round: number }[], number] = await transaction.query(
    `UPDATE generations SET work = $2, work_round = work_round + 1, work_phase = 'fill', work_cursor = NULL,
       work_started_at = NULL, work_items = 0, work_lease_until = now() + make_interval(secs => $3), request_id = $4,
       report = NULL, error_type = NULL, error_message = NULL
     WHERE id = $1 AND work IS NULL AND status = ANY($5::text[]) RETURNING work_round`,
    [generation.id, work, WORK_LEASE_SECONDS, generation.requestId, WRITABLE_STATES],
  );
  const round = rows[0]?.work_round;
  if (round === undefined) return false;
  await send(transaction, work, { ...generation, round });
  return true;
}

/** The generation, when the job is the newest of its work; null = there is nothing to do for it. */
export async function claimWork(
  transaction: Transaction,
  job: GenerationWorkPayload,
  work: WorkKind,
): Promise<GenerationEntity | null> {
  const [, claimed]: [unknown, number] = await transaction.query(
    `UPDATE generations SET work_lease_until = now() + make_interval(secs => $5),
       work_started_at = coalesce(work_started_at, now())
     WHERE id = $1 AND tenant_id = $2 AND work = $3 AND work_round = $4
       AND ($3 = 'retire' OR status = ANY($6::text[]))`,
    [job.generationId, job.tenantId, work, job.round, WORK_LEASE_SECONDS, WRITABLE_STATES],
  );
  return claimed === 1 ? transaction.findOneByOrFail(GenerationEntity, { id: job.generationId }) : null;
}

/** The index is there from now on: every change of an item reaches it. False when the build was given up. */
export async function prepareGeneration(
  transaction: Transaction,
  job: GenerationWorkPayload,
  prepared: { name: string; pipelineFingerprint: string; recipe: GenerationRecipe; chunking: string },
): Promise<boolean> {
  const [, changed]: [unknown, number] = await transaction.query(
    `UPDATE generations SET name = $3, pipeline_fingerprint = $4, recipe = $5, chunking = $6
     WHERE id = $1 AND work_round = $2 AND status = 'building'`,
    [
      job.generationId,
      job.round,
      prepared.name,
      prepared.pipelineFingerprint,
      JSON.stringify(prepared.recipe),
      prepared.chunking,
    ],
  );
  return changed === 1;
}

/** Somebody is still at it; false when the work was given up or taken over. */
export async function extendWorkLease(transaction: Transaction, job: GenerationWorkPayload): Promise<boolean> {
  const [, changed]: [unknown, number] = await transaction.query(
    `UPDATE generations SET work_lease_until = now() + make_interval(secs => $3)
     WHERE id = $1 AND work_round = $2 AND work IS NOT NULL AND status = ANY($4::text[])`,
    [job.generationId, job.round, WORK_LEASE_SECONDS, WRITABLE_STATES],
  );
  return changed === 1;
}

export interface WorkProgress {
  cursor: string | null;
  phase: 'fill' | 'verify';
  /** Items written since the last call. */
  items: number;
  /** Differences found since the last call. */
  found?: ReconcileReport;
}

/** Keeps how far the work is; false when it was given up or taken over: stop. */
export async function saveProgress(
  transaction: Transaction,
  job: GenerationWorkPayload,
  progress: WorkProgress,
): Promise<boolean> {
  const found = progress.found ?? { missing: 0, outdated: 0, dangling: 0 };
  const [, changed]: [unknown, number] = await transaction.query(
    `UPDATE generations SET work_cursor = $3, work_phase = $4, work_items = work_items + $5,
       work_lease_until = now() + make_interval(secs => $6),
       report = jsonb_build_object(
         'missing', coalesce((report->>'missing')::integer, 0) + $7,
         'outdated', coalesce((report->>'outdated')::integer, 0) + $8,
         'dangling', coalesce((report->>'dangling')::integer, 0) + $9)
     WHERE id = $1 AND work_round = $2 AND work IS NOT NULL AND status = ANY($10::text[])`,
    [
      job.generationId,
      job.round,
      progress.cursor,
      progress.phase,
      progress.items,
      WORK_LEASE_SECONDS,
      found.missing,
      found.outdated,
      found.dangling,
      WRITABLE_STATES,
    ],
  );
  return changed === 1;
}

/** The rest of the work goes into a job of its own. */
export async function continueWork(
  transaction: Transaction,
  job: GenerationWorkPayload,
  work: WorkKind,
): Promise<void> {
  const [rows]: [{ work_round: number }[], number] = await transaction.query(
    `UPDATE generations SET work_round = work_round + 1, work_lease_until = now() + make_interval(secs => $3)
     WHERE id = $1 AND work_round = $2 AND work = $4 RETURNING work_round`,
    [job.generationId, job.round, WORK_LEASE_SECONDS, work],
  );
  const round = rows[0]?.work_round;
  if (round === undefined) return;
  await send(transaction, work, { ...job, id: job.generationId, round });
}

/**
 * Ends the work; a build is `ready` from then on. `incomplete` when an item became searchable that it lacks: go on.
 * `lost` when it was given up or taken over.
 */
export async function finishWork(
  transaction: Transaction,
  job: GenerationWorkPayload,
): Promise<GenerationEntity | 'incomplete' | 'lost'> {
  await lockGenerations(transaction, job.tenantId);
  // Every completion holds this row to its end: those before are counted below, those after find the generation ready.
  await transaction.query(`SELECT 1 FROM generations WHERE tenant_id = $1 AND status = 'live' FOR NO KEY UPDATE`, [
    job.tenantId,
  ]);
  const found = await findGeneration(transaction, job.tenantId, job.generationId);
  if (found && found.status !== 'live') {
    const { total, done } = await countSteps(transaction, found);
    if (done < total) return 'incomplete';
  }
  const [, changed]: [unknown, number] = await transaction.query(
    `UPDATE generations SET work = NULL, work_lease_until = NULL, reconciled_at = now(),
       built_at = coalesce(built_at, now()), error_type = NULL, error_message = NULL,
       status = CASE status WHEN 'building' THEN 'ready' ELSE status END
     WHERE id = $1 AND work_round = $2 AND work IN ('build', 'reconcile') AND status = ANY($3::text[])`,
    [job.generationId, job.round, WRITABLE_STATES],
  );
  return changed === 1 ? transaction.findOneByOrFail(GenerationEntity, { id: job.generationId }) : 'lost';
}

/** A build that can't go on has failed; anything else goes on being what it was, with the error beside it. */
export async function failWork(transaction: Transaction, generationId: string, error: AppError): Promise<void> {
  await transaction.query(
    `UPDATE generations SET work = NULL, work_lease_until = NULL, error_type = $2, error_message = $3,
       status = CASE status WHEN 'building' THEN 'failed' ELSE status END
     WHERE id = $1`,
    [generationId, error.code, error.message],
  );
}

/** Gives it up; the index is dropped when no request can be using it. False for one that is live, or given up already. */
export async function retireGeneration(
  transaction: Transaction,
  generation: { id: string; tenantId: string; requestId: string },
): Promise<boolean> {
  await lockGenerations(transaction, generation.tenantId);
  const [, changed]: [unknown, number] = await transaction.query(
    `UPDATE generations SET status = 'retiring', work = 'retire', work_round = work_round + 1, request_id = $3,
       promotion = NULL,
       retire_after = greatest(coalesce(demoted_at, now()) + make_interval(secs => $4), now()),
       work_lease_until = greatest(coalesce(demoted_at, now()) + make_interval(secs => $4), now())
     WHERE id = $1 AND tenant_id = $2 AND (status IN ('building', 'ready', 'previous', 'failed') OR (status = 'retiring' AND work IS NULL))`,
    [generation.id, generation.tenantId, generation.requestId, RETIRE_GRACE_SECONDS],
  );
  return changed === 1;
}

/** Its index is gone; what it held is kept as a sum. */
export async function completeRetirement(transaction: Transaction, generationId: string): Promise<boolean> {
  const [, changed]: [unknown, number] = await transaction.query(
    `UPDATE generations SET status = 'retired', work = NULL, work_lease_until = NULL, retired_at = now()
     WHERE id = $1 AND status = 'retiring'`,
    [generationId],
  );
  if (changed === 1) await transaction.query('DELETE FROM generation_items WHERE generation_id = $1', [generationId]);
  return changed === 1;
}

interface WorkRow {
  id: string;
  tenant_id: string;
  request_id: string | null;
  work: WorkKind;
  work_round: number;
}

/** Work whose jobs were lost, or that has become due, is sent again. Returns how much. */
export async function resendStalledWork(transaction: Transaction, limit: number): Promise<number> {
  const [rows]: [WorkRow[], number] = await transaction.query(
    `UPDATE generations g SET work_round = g.work_round + 1, work_lease_until = now() + make_interval(secs => $2)
     WHERE g.id IN (
       SELECT s.id FROM generations s WHERE s.work IS NOT NULL AND s.work_lease_until < now()
         AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.tenant_id = s.tenant_id
           AND o.payload->>'generationId' = s.id::text AND (o.payload->>'round')::integer = s.work_round)
       ORDER BY s.work_lease_until LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING g.id, g.tenant_id, g.request_id, g.work, g.work_round`,
    [limit, WORK_LEASE_SECONDS],
  );
  for (const row of rows) {
    const requestId = row.request_id ?? row.id;
    await send(transaction, row.work, { id: row.id, tenantId: row.tenant_id, requestId, round: row.work_round });
  }
  return rows.length;
}

/** Once a day the live index is compared with the database. Returns for how many tenants that begins. */
export async function startDueReconciliations(transaction: Transaction, limit: number): Promise<number> {
  const rows: { id: string; tenant_id: string }[] = await transaction.query(
    `SELECT id, tenant_id FROM generations
     WHERE status = 'live' AND work IS NULL
       AND coalesce(reconciled_at, promoted_at, created_at) < now() - interval '1 day'
     ORDER BY reconciled_at NULLS FIRST LIMIT $1 FOR UPDATE SKIP LOCKED`,
    [limit],
  );
  for (const row of rows)
    await startWork(transaction, { id: row.id, tenantId: row.tenant_id, requestId: randomUuid() }, 'reconcile');
  return rows.length;
}

function send(
  transaction: Transaction,
  work: WorkKind,
  { id, tenantId, requestId, round }: { id: string; tenantId: string; requestId: string; round: number },
): Promise<void> {
  return enqueue(transaction, [
    { tenantId, jobName: JOB_OF[work], payload: { tenantId, requestId, generationId: id, round } },
  ]);
}
