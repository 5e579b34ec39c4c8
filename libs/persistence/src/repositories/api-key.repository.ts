import { IsNull } from 'typeorm';
import type { Transaction } from '../database.js';
import { ApiKeyEntity, ApiKeySecretEntity } from '../entities/api-key.entity.js';
import type { TenantEntity } from '../entities/tenant.entity.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';
import { PREPARED } from '../prepared-statements.js';

export interface StoredSecret {
  apiKey: ApiKeyEntity;
  tenant: TenantEntity;
  secretSha256: Buffer;
}

/** Named as the entities name their fields, so that a row is both of them at once. */
const SECRET_COLUMNS = `k.id, k.tenant_id AS "tenantId", k.name, k.actor_type AS "actorType",
  k.allowed_actions AS "allowedActions", k.allowed_providers AS "allowedProviders", k.principals,
  k.rate_limit_per_minute AS "rateLimitPerMinute", k.is_installation_key AS "isInstallationKey",
  k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt", k.created_at AS "createdAt",
  t.name AS "tenantName", t.is_default AS "isDefault", t.audit_query_text AS "auditQueryText",
  t.created_at AS "tenantCreatedAt", t.external_models AS "externalModels", t.retention, t.quotas, t.erased_at AS "erasedAt",
  s.secret_sha256 AS "secretSha256"`;

type SecretRow = ApiKeyEntity &
  Omit<TenantEntity, 'id' | 'name' | 'createdAt'> & {
    tenantName: string;
    tenantCreatedAt: Date;
    secretSha256: Buffer;
  };

/**
 * The key behind a public id, whether or not it still holds; null when there is none or its secret has expired. In SQL,
 * because every request begins with it: the query builder took longer than the query.
 */
export async function findKeyBySecret(transaction: Transaction, publicId: string): Promise<StoredSecret | null> {
  const [row]: SecretRow[] = await transaction.query(
    `${PREPARED}SELECT ${SECRET_COLUMNS} FROM api_key_secrets s
       JOIN api_keys k ON k.id = s.api_key_id JOIN tenants t ON t.id = k.tenant_id
     WHERE s.public_id = $1 AND t.erased_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > now())`,
    [publicId],
  );
  if (!row) return null;
  const { tenantName, tenantCreatedAt, secretSha256, ...rest } = row;
  const { isDefault, auditQueryText, externalModels, retention, quotas, erasedAt, ...apiKey } = rest;
  const settings = { isDefault, auditQueryText, externalModels, retention, quotas, erasedAt };
  const tenant = { id: apiKey.tenantId, name: tenantName, createdAt: tenantCreatedAt, ...settings };
  return { apiKey, tenant, secretSha256 };
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
