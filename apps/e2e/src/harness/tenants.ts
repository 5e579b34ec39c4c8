import { createApiKeyRoute, createTenantRoute, type Action, type ActorType, type Provider } from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';
import type { World } from './world.js';

export interface Tenant {
  id: string;
  /** May do everything in the tenant, without a rate limit. */
  admin: ApiClient;
}

export interface KeyFields {
  name?: string;
  actorType?: ActorType;
  allowedActions?: Action[];
  allowedProviders?: Provider[] | null;
  principals?: string[] | null;
  rateLimitPerMinute?: number | null;
  expiresAt?: string;
}

export interface IssuedKey {
  id: string;
  key: string;
  client: ApiClient;
}

/** A tenant of the suite's own, so that suites can't see each other's items. */
export async function createTenant({ admin }: World, name: string): Promise<Tenant> {
  const { data } = await admin.call(createTenantRoute, { body: { name } });
  const { client } = await createKey(admin.withKey(data.key), { actorType: 'admin', allowedActions: ['admin'] });
  return { id: data.id, admin: client };
}

/** A key that reads and asks, over all providers and without limits, unless the fields say otherwise. */
export async function createKey(creator: ApiClient, fields: KeyFields = {}): Promise<IssuedKey> {
  const { data } = await creator.call(createApiKeyRoute, {
    body: {
      name: 'Test key',
      actorType: 'agent',
      allowedActions: ['search', 'context', 'reason', 'documents:read'],
      allowedProviders: null,
      principals: null,
      rateLimitPerMinute: null,
      ...fields,
    },
  });
  return { id: data.id, key: data.key, client: creator.withKey(data.key) };
}
