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
const DISPATCH_LEASE_SECONDS = 30;
/** Seconds after which the rows of a dispatcher that died are free again. */
const CLAIM_SECONDS = 60;

export interface OutboxClaimOptions {
  /** At most so many rows of one tenant. */
  perTenant: number;
  /** Only rows of these jobs. */
  jobNames: readonly string[];
}

/** Tenants with rows, from one to the next along the index: the cost depends on their number and not on the backlog. */
const TENANTS = `WITH RECURSIVE tenants AS (
    (SELECT tenant_id FROM outbox ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT o.tenant_id FROM outbox o WHERE o.tenant_id > t.tenant_id ORDER BY o.tenant_id LIMIT 1)
    FROM tenants t WHERE t.tenant_id IS NOT NULL
  )
  SELECT tenant_id FROM tenants WHERE tenant_id IS NOT NULL`;

/**
 * Locks each tenant's oldest free rows; `turn` counts 1, 2, … within a tenant.
 * Parameters: $1 rows wanted in all, $2 rows of one tenant, $3 job names or null for all, $4 tenants.
 */
const LOCKED_HEADS = `heads AS MATERIALIZED (
    SELECT x.*, row_number() OVER (PARTITION BY t.tenant_id ORDER BY x.id) AS turn
    FROM unnest($4::uuid[]) AS t(tenant_id) CROSS JOIN LATERAL (
      SELECT o.id, o.tenant_id, o.job_name, o.payload FROM outbox o
      WHERE o.tenant_id = t.tenant_id AND (o.claimed_until IS NULL OR o.claimed_until < now())
        AND ($3::text[] IS NULL OR o.job_name = ANY($3))
      ORDER BY o.id LIMIT $2 FOR UPDATE OF o SKIP LOCKED
    ) x
  ), chosen AS (
    SELECT * FROM heads ORDER BY turn, id LIMIT $1
  )`;

/** The parameters of `LOCKED_HEADS`; no more rows of a tenant are locked than its fair part. */
async function shareOut(
  transaction: Transaction,
  limit: number,
  options: { perTenant: number; jobNames: readonly string[] | null },
): Promise<unknown[]> {
  const tenants = await transaction.query<{ tenant_id: string }[]>(TENANTS);
  const share = Math.min(options.perTenant, Math.ceil(limit / Math.max(tenants.length, 1)));
  return [limit, share, options.jobNames, tenants.map((row) => row.tenant_id)];
}

interface OutboxColumns {
  id: string;
  tenant_id: string;
  job_name: JobName;
  payload: Record<string, unknown>;
}

/**
 * The way out of the outbox: rows are leased, so that no transaction stays open over the network, and removed once sent.
 * A crash on the way sends twice, which job ids make harmless; rows are never lost.
 */
export class OutboxRepository {
  constructor(private readonly database: Database) {}

  /** Leases up to `limit` unsent rows, round-robin over tenants; a row of a dispatcher that died is free again after a minute. */
  async claim(limit: number, options: OutboxClaimOptions): Promise<OutboxRow[]> {
    const [rows] = await this.database.transaction(async (transaction) =>
      transaction.query<[(OutboxColumns & { turn: string })[], number]>(
        `WITH ${LOCKED_HEADS}
         UPDATE outbox o SET claimed_until = now() + make_interval(secs => $5)
         FROM chosen h WHERE o.id = h.id RETURNING h.id, h.tenant_id, h.job_name, h.payload, h.turn`,
        [...(await shareOut(transaction, limit, options)), CLAIM_SECONDS],
      ),
    );
    const inTurn = rows.sort(
      (left, right) => Number(left.turn) - Number(right.turn) || Number(left.id) - Number(right.id),
    );
    return inTurn.map(rowOf);
  }

  async markSent(ids: readonly string[]): Promise<void> {
    await this.database.transaction((transaction) => removeSent(transaction, ids));
  }

  /** Gives claimed rows back at once. `error` is an error code, kept for people; undefined = they only wait for their turn. */
  async release(ids: readonly string[], error: string | undefined): Promise<void> {
    await this.database.read((manager) =>
      manager.query(
        'UPDATE outbox SET claimed_until = NULL, last_error = coalesce($2, last_error) WHERE id = ANY($1::bigint[])',
        [ids, error ?? null],
      ),
    );
  }

  async size(): Promise<number> {
    const rows: { count: string }[] = await this.database.read((manager) =>
      manager.query('SELECT count(*) AS count FROM outbox'),
    );
    return Number(rows[0]?.count ?? 0);
  }
}

function rowOf(row: OutboxColumns): OutboxRow {
  return { id: row.id, tenantId: row.tenant_id, jobName: row.job_name, payload: row.payload };
}

async function removeSent(transaction: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await transaction.query(
    `WITH sent AS (
       SELECT (o.payload->>'itemId')::uuid AS item_id, (o.payload->>'version')::integer AS version
       FROM outbox o WHERE o.id = ANY($1::bigint[]) AND o.payload ? 'itemId')
     UPDATE item_versions v SET lease_until = now() + make_interval(secs => $2)
     FROM sent WHERE v.item_id = sent.item_id AND v.version = sent.version
       AND v.state IN ('accepted', 'extracting', 'indexing')`,
    [ids, DISPATCH_LEASE_SECONDS],
  );
  await transaction.query('DELETE FROM outbox WHERE id = ANY($1::bigint[])', [ids]);
}
