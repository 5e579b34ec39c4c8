import { Injectable } from '@nestjs/common';
import { v4 as randomUuid } from 'uuid';
import { AppError } from '@candor/contracts';
import {
  Database,
  ensureDefaultTenant,
  findInstallationKey,
  findKeyBySecret,
  insertApiKey,
  insertSecret,
  isUniqueViolation,
  type Transaction,
} from '@candor/persistence';
import { generateApiKey, parseApiKey, sameSecret, type ApiKeySecret } from './api-key-secret.js';

/** The installation's first key: administers the default tenant, may create tenants, isn't rate limited. */
@Injectable()
export class FirstKeyService {
  constructor(private readonly database: Database) {}

  /** Makes the first key from `bootstrapKey` when the installation has none; later starts change nothing. */
  async bootstrap(bootstrapKey: string): Promise<'created' | 'exists'> {
    const secret = parseApiKey(bootstrapKey);
    if (!secret)
      throw new AppError('CONFIG.INVALID', { message: 'CANDOR_BOOTSTRAP_KEY must look like gm_<publicId>_<secret>' });
    try {
      return await this.database.system('bootstrap').transaction(async (transaction) => {
        if (await findInstallationKey(transaction)) return 'exists';
        await insertInstallationKey(transaction, secret);
        return 'created';
      });
    } catch (error) {
      // Another gateway of the same installation was first.
      if (isUniqueViolation(error, 'api_keys_one_installation_key')) return 'exists';
      throw error;
    }
  }

  /**
   * For installations that keep the key in a file: returns the kept key while it is valid. A database without a first key
   * takes it over, since one of another profile may know no other; one that has a first key gets another secret for it, as when the
   * file was lost.
   */
  async ensure(keptKey: string | null): Promise<string> {
    return this.database.system('bootstrap').transaction(async (transaction) => {
      const installation = await findInstallationKey(transaction);
      const kept = parseApiKey(keptKey ?? '');
      const stored = kept ? await findKeyBySecret(transaction, kept.publicId) : null;
      const isKept = kept && stored && sameSecret(stored.secretSha256, kept.secretSha256);
      if (isKept && installation && stored.apiKey.id === installation.id && !installation.revokedAt) return kept.key;
      const secret = !installation && !stored && kept ? kept : generateApiKey();
      if (installation) await insertSecret(transaction, installation.id, secret);
      else await insertInstallationKey(transaction, secret);
      return secret.key;
    });
  }
}

async function insertInstallationKey(transaction: Transaction, secret: ApiKeySecret): Promise<void> {
  const tenant = await ensureDefaultTenant(transaction, randomUuid());
  await insertApiKey(
    transaction,
    {
      id: randomUuid(),
      tenantId: tenant.id,
      name: 'Installation key',
      actorType: 'admin',
      allowedActions: ['admin'],
      allowedProviders: null,
      principals: null,
      rateLimitPerMinute: null,
      isInstallationKey: true,
      expiresAt: null,
    },
    { publicId: secret.publicId, secretSha256: secret.secretSha256 },
  );
}
