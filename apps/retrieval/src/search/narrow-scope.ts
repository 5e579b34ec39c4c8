import { PROVIDERS, type CallerScope, type Provider } from '@candor/contracts';
import type { KeyHead, ReadScope } from '@candor/persistence/views';

/** The token's scope and what the key allows now, whichever is narrower: a scope never grows on its way. */
export function narrowToKey(
  token: Pick<CallerScope, 'allowedProviders' | 'principals'>,
  key: Pick<KeyHead, 'allowedProviders' | 'principals'> | null,
): ReadScope {
  return {
    allowedProviders: intersect(token.allowedProviders, key?.allowedProviders ?? null),
    principals: intersect(token.principals, key?.principals ?? null),
  };
}

/** The scope with the providers that the request asks for; asking never widens it. */
export function narrowToRequest(scope: ReadScope, requested: readonly Provider[] | null): ReadScope {
  return { ...scope, allowedProviders: intersect(scope.allowedProviders, requested) };
}

/** In alphabetical order. */
export function listProviders(scope: ReadScope): Provider[] {
  const { allowedProviders } = scope;
  return PROVIDERS.filter((provider) => allowedProviders === null || allowedProviders.includes(provider)).sort();
}

/** null stands for everything. */
function intersect<Value>(left: readonly Value[] | null, right: readonly Value[] | null): readonly Value[] | null {
  if (left === null || right === null) return left ?? right;
  return left.filter((value) => right.includes(value));
}
