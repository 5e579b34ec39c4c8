import type { Transaction } from '../database.js';
import { TenantEntity } from '../entities/tenant.entity.js';

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

/** The installation's own tenant; made on first use, once, whoever comes first. */
export async function ensureDefaultTenant(transaction: Transaction, id: string): Promise<TenantEntity> {
  await transaction.query(
    `INSERT INTO tenants (id, name, is_default) VALUES ($1, 'Default', true) ON CONFLICT DO NOTHING`,
    [id],
  );
  return transaction.findOneByOrFail(TenantEntity, { isDefault: true });
}
