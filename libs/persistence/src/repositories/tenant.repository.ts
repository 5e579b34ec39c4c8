import type { Transaction } from '../database.js';
import { TenantEntity } from '../entities/tenant.entity.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';

export async function insertTenant(
  transaction: Transaction,
  tenant: Pick<TenantEntity, 'id' | 'name' | 'isDefault'>,
): Promise<TenantEntity> {
  await transaction.insert(TenantEntity, { ...tenant, auditQueryText: true });
  return transaction.findOneByOrFail(TenantEntity, { id: tenant.id });
}

export function findTenant(transaction: Transaction, id: string): Promise<TenantEntity | null> {
  return transaction.findOneBy(TenantEntity, { id });
}

/** Until the end of the transaction nobody else changes it: for changes that rest on what is there. */
export function lockTenant(transaction: Transaction, id: string): Promise<TenantEntity> {
  return transaction.findOneOrFail(TenantEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
}

export async function updateTenant(
  transaction: Transaction,
  id: string,
  change: Partial<Pick<TenantEntity, 'name' | 'auditQueryText' | 'externalModels' | 'retention'>>,
): Promise<TenantEntity> {
  if (Object.keys(change).length > 0) await transaction.update(TenantEntity, { id }, change);
  return transaction.findOneByOrFail(TenantEntity, { id });
}

export async function listTenants(
  transaction: Transaction,
  page: { cursor?: string | undefined; limit: number },
): Promise<Page<TenantEntity>> {
  const after = decodeCursor(page.cursor);
  const query = transaction
    .createQueryBuilder(TenantEntity, 't')
    .orderBy('t.createdAt')
    .addOrderBy('t.id')
    .limit(page.limit + 1);
  if (after) query.andWhere(`(t.createdAt, t.id) > (:at, :id)`, { ...after });
  return pageOfRows(await query.getMany(), page.limit, (tenant) => ({
    at: tenant.createdAt.toISOString(),
    id: tenant.id,
  }));
}

/** The installation's own tenant; made on first use, once, whoever comes first. */
export async function ensureDefaultTenant(transaction: Transaction, id: string): Promise<TenantEntity> {
  await transaction.query(
    `INSERT INTO tenants (id, name, is_default) VALUES ($1, 'Default', true) ON CONFLICT DO NOTHING`,
    [id],
  );
  return transaction.findOneByOrFail(TenantEntity, { isDefault: true });
}
