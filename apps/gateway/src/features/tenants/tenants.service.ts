import { Injectable } from '@nestjs/common';
import { v4 as randomUuid } from 'uuid';
import {
  AppError,
  type createTenantRoute,
  type listTenantsRoute,
  type QueryOf,
  type ResponseOf,
} from '@candor/contracts';
import { Database, insertApiKey, insertTenant, listTenants, type Transaction } from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { generateApiKey } from '../../access/api-key-secret.js';
import { requireCaller } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { DEFAULT_RATE_LIMIT } from '../../access/default-rate-limit.js';

@Injectable()
export class TenantsService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  async list(query: QueryOf<typeof listTenantsRoute>): Promise<ResponseOf<typeof listTenantsRoute>> {
    requireInstallationKey('list');
    const page = await this.database.system('tenants').read((manager) => listTenants(manager, query));
    const data = page.rows.map(({ id, name, isDefault, createdAt, erasedAt }) => ({
      id,
      name,
      isDefault,
      createdAt: createdAt.toISOString(),
      erasedAt: erasedAt?.toISOString() ?? null,
    }));
    return { data, pagination: { cursor: page.cursor, hasMore: page.hasMore } };
  }

  /** Only the installation's first key may; the new tenant is reachable through the key in the response alone. */
  create(name: string): Promise<ResponseOf<typeof createTenantRoute>> {
    requireInstallationKey('create');
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

function requireInstallationKey(verb: string): void {
  if (!requireCaller().apiKey.isInstallationKey)
    throw new AppError('AUTH.ACTION_NOT_ALLOWED', {
      message: `Only the installation's first key can ${verb} tenants.`,
    });
}
