import type { SyncMode } from '@candor/contracts';
import type { Transaction } from '../database.js';

export interface SourceSchedule {
  sourceId: string;
  tenantId: string;
  mode: Extract<SyncMode, 'incremental' | 'reconcile'>;
  everyMinutes: number;
  nextAt: Date;
}

interface ScheduleRow {
  id: string;
  tenant_id: string;
  sync_every_minutes: number | null;
  reconcile_every_minutes: number | null;
  next_run_at: Date | null;
  next_reconcile_at: Date | null;
}

/** Of all active sources, or of one. */
export async function listSchedules(transaction: Transaction, sourceId: string | null): Promise<SourceSchedule[]> {
  const rows: ScheduleRow[] = await transaction.query(
    `SELECT id, tenant_id, sync_every_minutes, reconcile_every_minutes, next_run_at, next_reconcile_at
     FROM source_connectors WHERE state = 'active' AND ($1::uuid IS NULL OR id = $1)`,
    [sourceId],
  );
  return rows.flatMap((row) => {
    const of = (mode: SourceSchedule['mode'], everyMinutes: number | null, nextAt: Date | null): SourceSchedule[] =>
      everyMinutes === null
        ? []
        : [{ sourceId: row.id, tenantId: row.tenant_id, mode, everyMinutes, nextAt: nextAt ?? new Date() }];
    return [
      ...of('incremental', row.sync_every_minutes, row.next_run_at),
      ...of('reconcile', row.reconcile_every_minutes, row.next_reconcile_at),
    ];
  });
}

/** Says when the schedule fires next, for people and for a queue that lost its schedules. */
export async function advanceSchedule(
  transaction: Transaction,
  sourceId: string,
  mode: SourceSchedule['mode'],
): Promise<void> {
  const [column, every] =
    mode === 'incremental' ? ['next_run_at', 'sync_every_minutes'] : ['next_reconcile_at', 'reconcile_every_minutes'];
  await transaction.query(
    `UPDATE source_connectors SET ${column} = now() + make_interval(mins => ${every}) WHERE id = $1`,
    [sourceId],
  );
}
