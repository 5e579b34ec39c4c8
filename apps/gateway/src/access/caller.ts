import type { ApiKeyEntity, LibraryViewer, TenantEntity, Visibility } from '@candor/persistence';
import { allowsAction, type ApiKeyId, type CallerScope, type TenantId } from '@candor/contracts';
import { requireRequestContext } from '@candor/runtime';

/** The authenticated caller of this request. */
export interface Caller {
  apiKey: ApiKeyEntity;
  tenant: TenantEntity;
  scope: CallerScope;
  /** The claimed `Idempotency-Key`, if the request has one. */
  idempotencyKey?: string;
  /** The answer is kept under that key: it was committed with the change. */
  isAnswerKept?: boolean;
}

export function toCaller(apiKey: ApiKeyEntity, tenant: TenantEntity): Caller {
  return {
    apiKey,
    tenant,
    scope: {
      tenantId: apiKey.tenantId as TenantId,
      apiKeyId: apiKey.id as ApiKeyId,
      actorType: apiKey.actorType,
      allowedActions: apiKey.allowedActions,
      allowedProviders: apiKey.allowedProviders,
      principals: apiKey.principals,
    },
  };
}

/** Only for handlers behind the access guard. */
export function requireCaller(): Caller {
  const caller = requireRequestContext().apiKey as Caller | undefined;
  if (!caller) throw new Error('no caller: the access guard did not run');
  return caller;
}

/** What the caller may see, for the repositories' own filters. */
export function visibilityOf({ scope }: Caller): Visibility {
  return { tenantId: scope.tenantId, providers: scope.allowedProviders, principals: scope.principals };
}

/** The same where prompts stand beside documents: to a key without their action they are absent. */
export function libraryViewerOf(caller: Caller): LibraryViewer {
  return { ...visibilityOf(caller), prompts: allowsAction(caller.scope, 'prompts:*') };
}
