import type { ItemJobPayload, JobName } from '@candor/contracts';
import type { Database, Transaction } from '../database.js';

export interface OutboxMessage {
  tenantId: string;
  jobName: JobName;
  payload: Record<string, unknown>;
}

export interface OutboxRow extends OutboxMessage {
  id: string;
}

/** A job row written with the change that wants it; the dispatcher hands it to the queue. */
export async function enqueue(transaction: Transaction, messages: readonly OutboxMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const rows = messages.map(({ tenantId, jobName, payload }) => ({ tenant_id: tenantId, job_name: jobName, payload }));
  await transaction.query(
    `INSERT INTO outbox (tenant_id, job_name, payload)
     SELECT d.tenant_id, d.job_name, d.payload
     FROM jsonb_to_recordset($1::jsonb) AS d(tenant_id uuid, job_name text, payload jsonb)`,
    [JSON.stringify(rows)],
  );
}

export function enqueueItemJob(transaction: Transaction, jobName: JobName, payload: ItemJobPayload): Promise<void> {
  return enqueue(transaction, [{ tenantId: payload.tenantId, jobName, payload }]);
}

/** Seconds in which a dispatched item job is expected to show progress before the sweeper asks the queue about it. */
const DISPATCH_LEASE_SECONDS = 60;

export class OutboxRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes up to `limit` rows, round-robin over tenants, hands them to `send` and removes those it returns, in one
   * transaction: a crash on the way sends twice, which job ids make harmless; rows are never lost.
   */
  async dispatch(limit: number, send: (rows: OutboxRow[]) => Promise<string[]>): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const rows: { id: string; tenant_id: string; job_name: JobName; payload: Record<string, unknown> }[] =
        await transaction.query(
          `SELECT o.id, o.tenant_id, o.job_name, o.payload FROM outbox o
           JOIN (SELECT id, row_number() OVER (PARTITION BY tenant_id ORDER BY id) AS turn FROM outbox) t ON t.id = o.id
           ORDER BY t.turn, o.id LIMIT $1 FOR UPDATE OF o SKIP LOCKED`,
          [limit],
        );
      if (rows.length === 0) return 0;
      const sent = await send(
        rows.map((row) => ({ id: row.id, tenantId: row.tenant_id, jobName: row.job_name, payload: row.payload })),
      );
      if (sent.length === 0) return 0;
      await transaction.query(
        `UPDATE item_versions v SET lease_until = now() + make_interval(secs => $2)
         FROM outbox o WHERE o.id = ANY($1::bigint[]) AND o.payload ? 'itemId'
           AND v.item_id = (o.payload->>'itemId')::uuid AND v.version = (o.payload->>'version')::integer`,
        [sent, DISPATCH_LEASE_SECONDS],
      );
      await transaction.query('DELETE FROM outbox WHERE id = ANY($1::bigint[])', [sent]);
      return sent.length;
    });
  }

  async size(): Promise<number> {
    const rows: { count: string }[] = await this.database.read((manager) =>
      manager.query('SELECT count(*) AS count FROM outbox'),
    );
    return Number(rows[0]?.count ?? 0);
  }
}
