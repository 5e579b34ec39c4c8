import { AsyncLocalStorage } from 'node:async_hooks';
import { currentRequestContext } from '@candor/runtime/request-context';
import type { SystemPurpose } from './system-purposes.js';

/**
 * Whose rows a statement may touch: the database itself holds it to that (row-level security, docs/adr/0020).
 * `app` sees the tenants named, and nothing where none is; `system` sees all; `owner` is whoever the URL says.
 */
export interface DatabaseScope {
  readonly role: 'app' | 'system' | 'owner';
  /** As an array literal of Postgres. */
  readonly tenants: string;
  /** Why all tenants are looked at. */
  readonly purpose?: SystemPurpose;
}

export const NOTHING: DatabaseScope = { role: 'app', tenants: '{}' };
export const OWNER: DatabaseScope = { role: 'owner', tenants: '{}' };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function tenantScope(tenantIds: readonly string[]): DatabaseScope {
  const wrong = tenantIds.find((id) => !UUID.test(id));
  if (wrong !== undefined) throw new Error('a tenant id is a UUID');
  return { role: 'app', tenants: `{${[...new Set(tenantIds)].join(',')}}` };
}

export function systemScope(purpose: SystemPurpose): DatabaseScope {
  return { role: 'system', tenants: '{}', purpose };
}

const storage = new AsyncLocalStorage<DatabaseScope>();

export function runInScope<Result>(scope: DatabaseScope, run: () => Result): Result {
  return storage.run(scope, run);
}

/** What the statement that is being sent was scoped to. */
export function activeScope(): DatabaseScope | undefined {
  return storage.getStore();
}

/** The tenant that this request was authenticated for, or whose job this is: no query has a say in it. */
export function ambientScope(): DatabaseScope | undefined {
  const context = currentRequestContext();
  const tenantId = context?.caller?.tenantId ?? context?.tenantId;
  return tenantId === undefined ? undefined : tenantScope([tenantId]);
}
