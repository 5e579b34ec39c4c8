import type { ReadScope, Visibility } from '@candor/persistence/views';

export function toVisibility(tenantId: string, scope: ReadScope): Visibility {
  return {
    tenantId,
    providers: scope.allowedProviders === null ? null : [...scope.allowedProviders],
    principals: scope.principals === null ? null : [...scope.principals],
  };
}
