import { Injectable } from '@nestjs/common';
import { v4 as randomUuid } from 'uuid';
import { AppError, type createTenantRoute, type ResponseOf } from '@candor/contracts';
import { insertApiKey, insertTenant, type Transaction } from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { generateApiKey } from '../../access/api-key-secret.js';
import { requireCaller } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { DEFAULT_RATE_LIMIT } from './api-keys.service.js';

@Injectable()
export class TenantsService {
  constructor(private readonly requests: RequestTransaction) {}

  /** Only the installation's first key may; the new tenant is reachable through the key in the response alone. */
  create(name: string): Promise<ResponseOf<typeof createTenantRoute>> {
    if (!requireCaller().apiKey.isInstallationKey)
      throw new AppError('AUTH.ACTION_NOT_ALLOWED', {
        message: "Only the installation's first key can create tenants.",
      });
    const { key, ...secret } = generateApiKey();
    const tenant = { id: randomUuid(), name, isDefault: false };
    Object.assign(requireRequestContext().audit, { targetType: 'tenant', targetId: tenant.id });
    const create = async (transaction: Transaction) => {
      await insertTenant(transaction, tenant);
      await insertApiKey(
        transaction,
        {
          id: randomUuid(),
          tenantId: tenant.id,
          name: 'Admin key',
          actorType: 'admin',
          allowedActions: ['admin'],
          allowedProviders: null,
          principals: null,
          rateLimitPerMinute: DEFAULT_RATE_LIMIT,
          isInstallationKey: false,
          expiresAt: null,
        },
        secret,
      );
      return { data: { id: tenant.id, name, key } };
    };
    return this.requests.run(create, { alsoOf: tenant.id });
  }
}
