import { AppError, quotaLimitsSchema, type Quota, type QuotaLimits } from '@candor/contracts';
import type { Transaction } from '../database.js';

/** What is there, whoever stored it. */
export interface Stocks {
  items: number;
  storageBytes: number;
  queuedIngestions: number;
}

/** The limit that holds: the tenant's own, where it says one, else the installation's; null = none. */
export function limitOf(quota: Quota, own: QuotaLimits, defaults: QuotaLimits): number | null {
  const limit = own[quota];
  return limit === undefined ? (defaults[quota] ?? null) : limit;
}

const UNFINISHED = `SELECT count(*) FROM item_versions WHERE tenant_id = $1 AND state IN ('accepted', 'extracting', 'indexing')`;

export async function readStocks(transaction: Transaction, tenantId: string): Promise<Stocks> {
  const [row]: Record<keyof Stocks, string>[] = await transaction.query(
    `SELECT coalesce(sum(items), 0) AS items, coalesce(sum(storage_bytes), 0) AS "storageBytes",
       (${UNFINISHED}) AS "queuedIngestions" FROM tenant_usage WHERE tenant_id = $1`,
    [tenantId],
  );
  const numberOf = (stock: keyof Stocks): number => Math.max(0, Number(row?.[stock] ?? 0));
  return {
    items: numberOf('items'),
    storageBytes: numberOf('storageBytes'),
    queuedIngestions: numberOf('queuedIngestions'),
  };
}

export async function findQuotaLimits(transaction: Transaction, tenantId: string): Promise<QuotaLimits | null> {
  const [row]: { quotas: unknown }[] = await transaction.query('SELECT quotas FROM tenants WHERE id = $1', [tenantId]);
  return row ? quotaLimitsSchema.parse(row.quotas) : null;
}

/** False when there is no such tenant. */
export async function saveQuotaLimits(
  transaction: Transaction,
  tenantId: string,
  limits: QuotaLimits,
): Promise<boolean> {
  const [rows]: [unknown[], number] = await transaction.query(
    'UPDATE tenants SET quotas = $2 WHERE id = $1 RETURNING id',
    [tenantId, JSON.stringify(limits)],
  );
  return rows.length > 0;
}

const STOCKS = ['items', 'storageBytes', 'queuedIngestions'] as const satisfies Quota[];
/** A queue that is full has room again when some of it is done. */
const QUEUE_RETRY_SECONDS = 30;

export type StockLimits = Partial<Record<(typeof STOCKS)[number], number | null>>;

/**
 * Does what stores, and takes it back where the tenant has more than it may afterwards. Writers of a tenant with limits
 * go one after the other, so no two of them share the last room. What a tenant has too much of already is not made worse,
 * and may become less.
 *
 * @throws AppError QUOTA.EXCEEDED, QUOTA.QUEUE_FULL; thrown within the transaction, which keeps nothing then.
 */
export async function withinStocks<Result>(
  transaction: Transaction,
  tenantId: string,
  limits: StockLimits,
  work: () => Promise<Result>,
): Promise<Result> {
  const limited = STOCKS.filter((quota) => (limits[quota] ?? null) !== null);
  if (limited.length === 0) return work();
  await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended('quota ' || $1, 0))`, [tenantId]);
  const before = await readStocks(transaction, tenantId);
  const result = await work();
  const after = await readStocks(transaction, tenantId);
  for (const quota of limited) {
    const limit = limits[quota] ?? 0;
    if (after[quota] > limit && after[quota] > before[quota]) throw refusal(quota, limit, before[quota]);
  }
  return result;
}

function refusal(quota: (typeof STOCKS)[number], limit: number, used: number): AppError {
  const details = { quota, limit, used, resetAt: null };
  if (quota === 'queuedIngestions')
    return new AppError('QUOTA.QUEUE_FULL', {
      message: `The tenant may have ${limit} versions waiting to be indexed, and has ${used}.`,
      details,
      retryAfterSeconds: QUEUE_RETRY_SECONDS,
    });
  return new AppError('QUOTA.EXCEEDED', {
    message: `This would exceed the tenant's quota "${quota}" of ${limit}; ${used} are used.`,
    details,
  });
}

/** Adds the ledger's entries up, for everybody: one row a tenant is left of those that were there. */
export async function foldUsage(transaction: Transaction): Promise<void> {
  await transaction.query(
    `WITH folded AS (
       DELETE FROM tenant_usage u WHERE u.tenant_id IN
         (SELECT tenant_id FROM tenant_usage GROUP BY tenant_id HAVING count(*) > 1)
       RETURNING u.tenant_id, u.items, u.storage_bytes)
     INSERT INTO tenant_usage (tenant_id, items, storage_bytes)
     SELECT tenant_id, sum(items), sum(storage_bytes) FROM folded GROUP BY tenant_id`,
  );
}
