import type { Transaction } from '../database.js';

/** An item's job failed and comes back. */
export interface ItemWait {
  job: { tenantId: string; itemId: string; version: number };
  error: { type: string; message: string };
  nextAttemptAt: Date;
  /** `performance.now()`. */
  failedAt: number;
}

/**
 * Written where the versions are unfinished; entering a stage or ending clears the reason. One that has entered a stage
 * since its failure waits no more: its age is what two clocks agree on.
 */
export async function recordWaits(transaction: Transaction, waits: readonly ItemWait[]): Promise<void> {
  await transaction.query(
    `UPDATE item_versions v SET error_type = d.type, error_message = d.message, next_attempt_at = d.at
     FROM unnest($1::uuid[], $2::uuid[], $3::integer[], $4::text[], $5::text[], $6::timestamptz[],
         $7::double precision[]) AS d(tenant_id, item_id, version, type, message, at, age_ms)
     WHERE v.item_id = d.item_id AND v.version = d.version AND v.tenant_id = d.tenant_id
       AND v.state IN ('accepted', 'extracting', 'indexing')
       AND v.state_at <= statement_timestamp() - make_interval(secs => d.age_ms / 1000)`,
    [
      waits.map(({ job }) => job.tenantId),
      waits.map(({ job }) => job.itemId),
      waits.map(({ job }) => job.version),
      waits.map(({ error }) => error.type),
      waits.map(({ error }) => error.message),
      waits.map(({ nextAttemptAt }) => nextAttemptAt.toISOString()),
      waits.map(({ failedAt }) => performance.now() - failedAt),
    ],
  );
}
