import type { AppError } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { GenerationEntity, type PromotionRun } from '../entities/generation.entity.js';
import { countSteps, type StepCounts } from './generation-content.repository.js';
import { lockGenerations } from './generation.repository.js';
import { enqueue } from './outbox.repository.js';
import { retireGeneration } from './generation-work.repository.js';

/** Asks the worker to check and to swap; whoever waits reads the outcome from the row. */
export async function requestPromotion(
  transaction: Transaction,
  generation: { id: string; tenantId: string },
  run: { runId: string; requestId: string },
): Promise<void> {
  const promotion: PromotionRun = { ...run, requestedAt: new Date().toISOString(), outcome: null };
  await transaction.query('UPDATE generations SET promotion = $2 WHERE id = $1', [
    generation.id,
    JSON.stringify(promotion),
  ]);
  const payload = { tenantId: generation.tenantId, requestId: run.requestId, generationId: generation.id };
  await enqueue(transaction, [
    { tenantId: generation.tenantId, jobName: 'generation.promote', payload: { ...payload, runId: run.runId } },
  ]);
}

/** The refusal, for whoever waits for it. A newer run's record stays. */
export async function refusePromotion(
  transaction: Transaction,
  generationId: string,
  runId: string,
  error: AppError,
): Promise<void> {
  await endRun(transaction, generationId, runId, {
    outcome: 'refused',
    errorType: error.code,
    errorMessage: error.message,
  });
}

export type Promotion =
  | { kind: 'promoted'; previousId: string | null; retiredIds: string[] }
  | { kind: 'already_live' }
  | { kind: 'wrong_state'; status: GenerationEntity['status'] }
  | { kind: 'empty'; steps: StepCounts }
  | { kind: 'incomplete'; steps: StepCounts };

/**
 * The swap. Whoever completes an item of the tenant waits for the rows that are locked here, finds that the live
 * generation is another one, and starts again: so nothing can become searchable in the old one alone.
 */
export async function promoteGeneration(
  transaction: Transaction,
  run: { tenantId: string; generationId: string; runId: string; requestId: string },
): Promise<Promotion> {
  await lockGenerations(transaction, run.tenantId);
  const rows = await lockUsed(transaction, run.tenantId);
  const target = rows.find((row) => row.id === run.generationId);
  const live = rows.find((row) => row.status === 'live');
  if (!target) return { kind: 'wrong_state', status: 'retired' };
  if (target.status === 'live') {
    await endRun(transaction, target.id, run.runId, { outcome: 'promoted' });
    return { kind: 'already_live' };
  }
  if (target.status !== 'ready' && target.status !== 'previous') return { kind: 'wrong_state', status: target.status };
  const steps = await countSteps(transaction, target);
  if (steps.total > 0 && steps.missing === steps.total) return { kind: 'empty', steps };
  if (steps.done < steps.total) return { kind: 'incomplete', steps };

  if (live) await demote(transaction, live);
  await transaction.query(
    `UPDATE generations SET status = 'live', promoted_at = now(), demoted_at = NULL, corpus_sum = $2, item_count = $3
     WHERE id = $1`,
    [target.id, live?.corpusSum ?? '0', live?.itemCount ?? 0],
  );
  await transaction.query('DELETE FROM generation_items WHERE generation_id = $1', [target.id]);
  await endRun(transaction, target.id, run.runId, { outcome: 'promoted' });

  // Two to roll back to would double what every change costs.
  const older = rows.filter((row) => row.status === 'previous' && row.id !== target.id);
  for (const row of older)
    await retireGeneration(transaction, { id: row.id, tenantId: row.tenantId, requestId: run.requestId });
  return { kind: 'promoted', previousId: live?.id ?? null, retiredIds: older.map((row) => row.id) };
}

/** Promotions whose jobs were lost are sent again. */
export async function resendStalledPromotions(transaction: Transaction, limit: number): Promise<number> {
  const rows = await transaction
    .createQueryBuilder(GenerationEntity, 'g')
    .where(`g.promotion IS NOT NULL AND g.promotion->>'outcome' IS NULL`)
    .andWhere(`(g.promotion->>'requestedAt')::timestamptz < now() - interval '60 seconds'`)
    .andWhere(`g.status IN ('ready', 'previous')`)
    .andWhere(
      `NOT EXISTS (SELECT 1 FROM outbox o WHERE o.tenant_id = g.tenant_id AND o.job_name = 'generation.promote'
         AND o.payload->>'generationId' = g.id::text)`,
    )
    .limit(limit)
    .setLock('pessimistic_write')
    .setOnLocked('skip_locked')
    .getMany();
  for (const row of rows)
    if (row.promotion)
      await requestPromotion(transaction, row, { runId: row.promotion.runId, requestId: row.promotion.requestId });
  return rows.length;
}

async function lockUsed(transaction: Transaction, tenantId: string): Promise<GenerationEntity[]> {
  // Not FOR UPDATE: rows that refer to them are being inserted all the time, and don't mind.
  await transaction.query(
    `SELECT 1 FROM generations WHERE tenant_id = $1 AND status IN ('building', 'ready', 'live', 'previous')
     ORDER BY id FOR NO KEY UPDATE`,
    [tenantId],
  );
  return transaction.findBy(GenerationEntity, { tenantId });
}

/** From now on a record of its own says what it holds; that it holds every live item is what being live means. */
async function demote(transaction: Transaction, live: GenerationEntity): Promise<void> {
  await transaction.query(`UPDATE generations SET status = 'previous', demoted_at = now() WHERE id = $1`, [live.id]);
  await transaction.query(
    `INSERT INTO generation_items (generation_id, item_id, version)
     SELECT $1, i.id, i.live_version FROM source_items i
     WHERE i.tenant_id = $2 AND i.deleted_at IS NULL AND i.live_version IS NOT NULL
     ON CONFLICT (generation_id, item_id) DO UPDATE SET version = excluded.version`,
    [live.id, live.tenantId],
  );
}

async function endRun(
  transaction: Transaction,
  generationId: string,
  runId: string,
  end: Pick<PromotionRun, 'outcome' | 'errorType' | 'errorMessage'>,
): Promise<void> {
  await transaction.query(
    `UPDATE generations SET promotion = promotion || $3::jsonb WHERE id = $1 AND promotion->>'runId' = $2`,
    [generationId, runId, JSON.stringify(end)],
  );
}
