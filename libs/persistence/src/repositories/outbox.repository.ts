import type { ItemJobPayload, JobName } from '@candor/contracts';
import type { Database, Transaction, TransactionRunner } from '../database.js';

export interface OutboxMessage {
  tenantId: string;
  jobName: JobName;
  payload: Record<string, unknown>;
  /** Where it comes from, when the caller knows; else it is looked up. */
  lane?: string;
}

export interface OutboxRow extends OutboxMessage {
  id: string;
  lane: string;
}

/** Where rows come from: a connector, or what is pushed of one provider. */
export type OutboxLane = Pick<OutboxRow, 'tenantId' | 'lane'>;

/** A subselect an item and not a join: rows are numbered in the order given. */
const LANE = `coalesce(d.lane,
  (SELECT coalesce(i.connector_id::text, i.provider) FROM source_items i WHERE i.id = (d.payload->>'itemId')::uuid),
  d.payload->>'sourceId', '')`;

/** A job row written with the change that wants it; the dispatcher hands it to the queue. */
export async function enqueue(transaction: Transaction, messages: readonly OutboxMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const rows = messages.map(({ tenantId, jobName, payload, lane }) => ({
    tenant_id: tenantId,
    job_name: jobName,
    payload,
    lane,
  }));
  await transaction.query(
    `INSERT INTO outbox (tenant_id, job_name, payload, lane)
     SELECT d.tenant_id, d.job_name, d.payload, ${LANE}
     FROM jsonb_to_recordset($1::jsonb) AS d(tenant_id uuid, job_name text, payload jsonb, lane text)`,
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
  /** Only rows of these jobs. */
  jobNames: readonly string[];
  /** Asked with the lanes that have rows: how many each may have, in their order. */
  share: (lanes: readonly OutboxLane[]) => number[];
}

/**
 * Lanes with rows that can be had, from one to the next along the index: the cost depends on their number and not on the
 * backlog. A lane without any would be given a share that nobody takes. Parameter: $1 job names.
 */
const LANES = `WITH RECURSIVE lanes AS (
    (SELECT tenant_id, lane FROM outbox ORDER BY tenant_id, lane LIMIT 1)
    UNION ALL
    SELECT next.tenant_id, next.lane FROM lanes l CROSS JOIN LATERAL (
      SELECT o.tenant_id, o.lane FROM outbox o WHERE (o.tenant_id, o.lane) > (l.tenant_id, l.lane)
      ORDER BY o.tenant_id, o.lane LIMIT 1
    ) next
  )
  SELECT l.tenant_id AS "tenantId", l.lane FROM lanes l
  WHERE EXISTS (SELECT 1 FROM outbox o WHERE o.tenant_id = l.tenant_id AND o.lane = l.lane
    AND o.job_name = ANY($1) AND (o.claimed_until IS NULL OR o.claimed_until < now()))`;

/** Locks each lane's oldest free rows; `turn` counts 1, 2, … within a lane. Parameters: $1 job names, $2 tenants, $3 lanes, $4 rows of each. */
const LOCK_HEADS = `SELECT x.*, row_number() OVER (PARTITION BY t.tenant_id, t.lane ORDER BY x.id) AS turn
  FROM unnest($2::uuid[], $3::text[], $4::integer[]) AS t(tenant_id, lane, share) CROSS JOIN LATERAL (
    SELECT o.id, o.tenant_id, o.lane, o.job_name, o.payload FROM outbox o
    WHERE o.tenant_id = t.tenant_id AND o.lane = t.lane AND (o.claimed_until IS NULL OR o.claimed_until < now())
      AND o.job_name = ANY($1)
    ORDER BY o.id LIMIT t.share FOR UPDATE OF o SKIP LOCKED
  ) x
  ORDER BY turn, x.id`;

interface OutboxColumns {
  id: string;
  tenant_id: string;
  lane: string;
  job_name: JobName;
  payload: Record<string, unknown>;
}

export interface Backlog {
  jobName: string;
  rows: number;
  oldestSeconds: number;
}

/**
 * The way out of the outbox: rows are leased, so that no transaction stays open over the network, and removed once sent.
 * A crash on the way sends twice, which job ids make harmless; rows are never lost.
 */
export class OutboxRepository {
  private readonly everybody: TransactionRunner;

  constructor(database: Database) {
    this.everybody = database.system('dispatch');
  }

  /** Leases unsent rows, one of each lane in turn; a row of a dispatcher that died is free again after a minute. */
  async claim({ jobNames, share }: OutboxClaimOptions): Promise<OutboxRow[]> {
    return this.everybody.transaction(async (transaction) => {
      const lanes = await transaction.query<OutboxLane[]>(LANES, [jobNames]);
      if (lanes.length === 0) return [];
      const rows = await transaction.query<OutboxColumns[]>(LOCK_HEADS, [
        jobNames,
        lanes.map(({ tenantId }) => tenantId),
        lanes.map(({ lane }) => lane),
        share(lanes),
      ]);
      // A statement of its own: the planner doesn't know how few rows are locked, and would read the whole table to join them.
      await transaction.query(
        'UPDATE outbox SET claimed_until = now() + make_interval(secs => $2) WHERE id = ANY($1::bigint[])',
        [rows.map(({ id }) => id), CLAIM_SECONDS],
      );
      return rows.map(rowOf);
    });
  }

  /** Removes rows, and starts the lease of the versions whose jobs they were. */
  async markSent(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.everybody.read((manager) =>
      manager.query(
        `WITH sent AS (DELETE FROM outbox o WHERE o.id = ANY($1::bigint[]) RETURNING o.payload)
         UPDATE item_versions v SET lease_until = now() + make_interval(secs => $2)
         FROM sent WHERE sent.payload ? 'itemId' AND v.item_id = (sent.payload->>'itemId')::uuid
           AND v.version = (sent.payload->>'version')::integer
           AND v.state IN ('accepted', 'extracting', 'indexing')
           AND (v.lease_until IS NULL OR v.lease_until < now() + make_interval(secs => $2 / 2))`,
        [ids, DISPATCH_LEASE_SECONDS],
      ),
    );
  }

  /** Gives claimed rows back at once. `error` is an error code, kept for people. */
  async release(ids: readonly string[], error: string): Promise<void> {
    await this.everybody.read((manager) =>
      manager.query('UPDATE outbox SET claimed_until = NULL, last_error = $2 WHERE id = ANY($1::bigint[])', [
        ids,
        error,
      ]),
    );
  }

  /** What waits, by job: rows, and seconds since the oldest was written. Reads the whole table. */
  async backlog(): Promise<Backlog[]> {
    return this.everybody.read((manager) =>
      manager.query(
        `SELECT job_name AS "jobName", count(*)::float8 AS rows,
           greatest(0, extract(epoch FROM now() - min(created_at)))::float8 AS "oldestSeconds"
         FROM outbox GROUP BY job_name`,
      ),
    );
  }

  async size(): Promise<number> {
    const rows: { count: string }[] = await this.everybody.read((manager) =>
      manager.query('SELECT count(*) AS count FROM outbox'),
    );
    return Number(rows[0]?.count ?? 0);
  }
}

function rowOf(row: OutboxColumns): OutboxRow {
  return { id: row.id, tenantId: row.tenant_id, lane: row.lane, jobName: row.job_name, payload: row.payload };
}
