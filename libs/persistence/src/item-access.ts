import { ANYONE, type AccessPolicy, type Provider } from '@candor/contracts';
import type { SourceItemEntity } from './entities/source-item.entity.js';

/** What a caller may read, whatever it asks for. */
export interface ReadScope {
  /** null = every provider; [] = none. */
  allowedProviders: readonly Provider[] | null;
  /** null = a service key. */
  principals: readonly string[] | null;
}

export type AccessFacts = Pick<SourceItemEntity, 'provider' | 'accessMode' | 'principals'>;

/** Says who may see an item by the item's own head; what is not plainly allowed is withheld. */
export function maySeeItem(scope: ReadScope, item: AccessFacts): boolean {
  if (scope.allowedProviders !== null && !scope.allowedProviders.includes(item.provider)) return false;
  if (scope.principals === null) return true;
  const { principals } = scope;
  switch (item.accessMode) {
    case 'provider_scope':
      return true;
    case 'acl':
      return item.principals.some((principal) => principal === ANYONE || principals.includes(principal));
    default:
      // `unknown`, and whatever a newer writer may store.
      return false;
  }
}

const IDENTITY = /@|^(?:user|group|channel|domain):/;

/**
 * The policy as this caller may see it. Service keys get it unchanged. A key with principals learns of no other reader:
 * the list is cut to the principals it shares, and of the provider's own fields only plain values stay (lists and
 * objects hold member ids), unless they name an identity that is not the caller's.
 */
export function cutAccessPolicy(
  policy: AccessPolicy | null,
  callerPrincipals: readonly string[] | null,
): AccessPolicy | null {
  if (policy === null || callerPrincipals === null) return policy;
  const isShared = (principal: string): boolean => principal === ANYONE || callerPrincipals.includes(principal);
  const { provider, mode, principals, ...providerFields } = policy;
  const shown = Object.entries(providerFields).filter(([, value]) => isPlain(value) && !namesAnother(value, isShared));
  return {
    ...Object.fromEntries(shown),
    provider,
    mode,
    ...(principals === undefined ? {} : { principals: principals.filter(isShared) }),
  };
}

function isPlain(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function namesAnother(value: unknown, isShared: (principal: string) => boolean): boolean {
  if (typeof value !== 'string' || !IDENTITY.test(value)) return false;
  return !isShared(value) && !isShared(`user:${value}`);
}
