import { IsNull } from 'typeorm';
import type { Transaction } from '../database.js';
import { ApiKeyEntity, ApiKeySecretEntity } from '../entities/api-key.entity.js';
import { TenantEntity } from '../entities/tenant.entity.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';
import { PREPARED_COMMENT } from '../prepared-statements.js';

export interface StoredSecret {
  apiKey: ApiKeyEntity;
  tenant: TenantEntity;
  secretSha256: Buffer;
}

/** The key behind a public id, whether or not it still holds, in one query; null when there is none or its secret has expired. */
export async function findKeyBySecret(transaction: Transaction, publicId: string): Promise<StoredSecret | null> {
  const found = await transaction
    .createQueryBuilder(ApiKeyEntity, 'k')
    .comment(PREPARED_COMMENT)
    .innerJoinAndMapOne('k.secret', ApiKeySecretEntity, 's', 's.apiKeyId = k.id')
    .innerJoinAndMapOne('k.tenant', TenantEntity, 't', 't.id = k.tenantId')
    .where('s.publicId = :publicId AND (s.expiresAt IS NULL OR s.expiresAt > now())', { publicId })
    .getOne();
  if (!found) return null;
  const { secret, tenant, ...apiKey } = found as ApiKeyEntity & { secret: ApiKeySecretEntity; tenant: TenantEntity };
  return { apiKey, tenant, secretSha256: secret.secretSha256 };
}

export function findApiKey(transaction: Transaction, tenantId: string, id: string): Promise<ApiKeyEntity | null> {
  return transaction.findOneBy(ApiKeyEntity, { tenantId, id });
}

export function findInstallationKey(transaction: Transaction): Promise<ApiKeyEntity | null> {
  return transaction.findOneBy(ApiKeyEntity, { isInstallationKey: true });
}

export async function insertApiKey(
  transaction: Transaction,
  apiKey: Omit<ApiKeyEntity, 'createdAt' | 'revokedAt'>,
  secret: { publicId: string; secretSha256: Buffer },
): Promise<ApiKeyEntity> {
  await transaction.insert(ApiKeyEntity, apiKey);
  await insertSecret(transaction, apiKey.id, secret);
  return transaction.findOneByOrFail(ApiKeyEntity, { id: apiKey.id });
}

export async function insertSecret(
  transaction: Transaction,
  apiKeyId: string,
  secret: { publicId: string; secretSha256: Buffer },
): Promise<void> {
  await transaction.insert(ApiKeySecretEntity, { ...secret, apiKeyId, expiresAt: null });
}

/** The secrets in use so far stop working at `expiresAt` (or earlier, where a rotation said so already). */
export async function expireSecrets(transaction: Transaction, apiKeyId: string, expiresAt: Date): Promise<void> {
  await transaction.query(
    `UPDATE api_key_secrets SET expires_at = least(coalesce(expires_at, $2), $2) WHERE api_key_id = $1`,
    [apiKeyId, expiresAt],
  );
}

export async function updateApiKey(
  transaction: Transaction,
  id: string,
  change: Partial<Pick<ApiKeyEntity, 'name' | 'allowedProviders' | 'principals' | 'rateLimitPerMinute'>>,
): Promise<ApiKeyEntity> {
  if (Object.keys(change).length > 0) await transaction.update(ApiKeyEntity, { id }, change);
  return transaction.findOneByOrFail(ApiKeyEntity, { id });
}

/** False when it was revoked before. */
export async function revokeApiKey(transaction: Transaction, id: string): Promise<boolean> {
  const result = await transaction.update(ApiKeyEntity, { id, revokedAt: IsNull() }, { revokedAt: new Date() });
  return (result.affected ?? 0) > 0;
}

export async function listApiKeys(
  transaction: Transaction,
  tenantId: string,
  page: { cursor?: string | undefined; limit: number },
): Promise<Page<ApiKeyEntity>> {
  const after = decodeCursor(page.cursor);
  const query = transaction
    .createQueryBuilder(ApiKeyEntity, 'k')
    .where('k.tenantId = :tenantId', { tenantId })
    .orderBy('k.createdAt')
    .addOrderBy('k.id')
    .limit(page.limit + 1);
  if (after) query.andWhere(`(k.createdAt, k.id) > (:at, :id)`, { ...after });
  return pageOfRows(await query.getMany(), page.limit, (key) => ({ at: key.createdAt.toISOString(), id: key.id }));
}
