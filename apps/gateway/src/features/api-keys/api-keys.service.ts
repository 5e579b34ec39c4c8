import { Injectable } from '@nestjs/common';
import { v4 as randomUuid } from 'uuid';
import {
  allowsAction,
  AppError,
  type ApiKeyView,
  type CreateApiKeyBody,
  type createApiKeyRoute,
  type listApiKeysRoute,
  type QueryOf,
  type ResponseOf,
  type UpdateApiKeyBody,
} from '@candor/contracts';
import {
  Database,
  expireSecrets,
  findApiKey,
  insertApiKey,
  insertSecret,
  listApiKeys,
  revokeApiKey,
  updateApiKey,
  type ApiKeyEntity,
  type Transaction,
} from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { generateApiKey } from '../../access/api-key-secret.js';
import { requireCaller, type Caller } from '../../access/caller.js';
import { DEFAULT_RATE_LIMIT } from '../../access/default-rate-limit.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { requireGrantable } from './require-grantable.js';

type KeyWithSecret = ResponseOf<typeof createApiKeyRoute>;

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  async list(query: QueryOf<typeof listApiKeysRoute>): Promise<ResponseOf<typeof listApiKeysRoute>> {
    const { scope } = requireCaller();
    const page = await this.database.read((manager) => listApiKeys(manager, scope.tenantId, query));
    return { data: page.rows.map(toView), pagination: { cursor: page.cursor, hasMore: page.hasMore } };
  }

  create(body: CreateApiKeyBody): Promise<KeyWithSecret> {
    const caller = requireCaller();
    const limits = limitsFor(caller, body);
    requireGrantable(caller, { ...body, ...limits });
    const { key, ...secret } = generateApiKey();
    return this.requests.run(async (transaction) => {
      const created = await insertApiKey(
        transaction,
        {
          id: randomUuid(),
          tenantId: caller.scope.tenantId,
          name: body.name,
          actorType: body.actorType,
          allowedActions: [...new Set(body.allowedActions)],
          allowedProviders: body.allowedProviders,
          principals: body.principals,
          ...limits,
          isInstallationKey: false,
        },
        secret,
      );
      noteKey(created.id);
      return { data: { ...toView(created), key } };
    });
  }

  update(id: string, body: UpdateApiKeyBody): Promise<{ data: ApiKeyView }> {
    requireGrantable(requireCaller(), body);
    return this.requests.run(async (transaction) => {
      await this.requireKey(transaction, id);
      requireRequestContext().audit.metadata['changed'] = Object.keys(body);
      return { data: toView(await updateApiKey(transaction, id, body)) };
    });
  }

  rotate(id: string, overlapSeconds: number): Promise<KeyWithSecret> {
    const caller = requireCaller();
    return this.requests.run(async (transaction) => {
      const apiKey = await this.requireKey(transaction, id);
      if (apiKey.revokedAt) throw new AppError('RESOURCE.CONFLICT', { message: 'The key is revoked.' });
      // Whoever gets a new secret can act as the key, so it must not reach further than theirs.
      requireGrantable(caller, apiKey);
      const { key, ...secret } = generateApiKey();
      await expireSecrets(transaction, id, new Date(Date.now() + overlapSeconds * 1000));
      await insertSecret(transaction, id, secret);
      return { data: { ...toView(apiKey), key } };
    });
  }

  revoke(id: string): Promise<null> {
    return this.requests.run(async (transaction) => {
      await this.requireKey(transaction, id);
      if (id === requireCaller().scope.apiKeyId) throw new AppError('API_KEY.SELF_REVOKE');
      await revokeApiKey(transaction, id);
      return null;
    });
  }

  private async requireKey(transaction: Transaction, id: string): Promise<ApiKeyEntity> {
    noteKey(id);
    const found = await findApiKey(transaction, requireCaller().scope.tenantId, id);
    if (!found) throw new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such API key.' });
    // It reaches beyond its tenant, so no key of the tenant may act for it or take it away.
    if (found.isInstallationKey && found.id !== requireCaller().scope.apiKeyId)
      throw new AppError('AUTH.ACTION_NOT_ALLOWED', {
        message: "Only the installation's first key can change itself.",
      });
    return found;
  }
}

/** What isn't asked for is the default, as far as the creating key itself reaches. */
function limitsFor(
  { apiKey, scope }: Caller,
  { rateLimitPerMinute, expiresAt }: CreateApiKeyBody,
): Pick<ApiKeyEntity, 'rateLimitPerMinute' | 'expiresAt'> {
  const ownLimit = allowsAction(scope, 'admin') ? null : apiKey.rateLimitPerMinute;
  return {
    rateLimitPerMinute:
      rateLimitPerMinute === undefined ? Math.min(DEFAULT_RATE_LIMIT, ownLimit ?? Infinity) : rateLimitPerMinute,
    expiresAt: expiresAt === undefined ? apiKey.expiresAt : expiresAt === null ? null : new Date(expiresAt),
  };
}

function noteKey(id: string): void {
  Object.assign(requireRequestContext().audit, { targetType: 'api_key', targetId: id });
}

function toView(apiKey: ApiKeyEntity): ApiKeyView {
  return {
    id: apiKey.id,
    name: apiKey.name,
    actorType: apiKey.actorType,
    allowedActions: apiKey.allowedActions,
    allowedProviders: apiKey.allowedProviders,
    principals: apiKey.principals,
    rateLimitPerMinute: apiKey.rateLimitPerMinute,
    expiresAt: apiKey.expiresAt?.toISOString() ?? null,
    revokedAt: apiKey.revokedAt?.toISOString() ?? null,
    createdAt: apiKey.createdAt.toISOString(),
  };
}
