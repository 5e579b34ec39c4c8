import { z } from 'zod';
import { apiKeyIdSchema, tenantIdSchema } from './ids.js';
import { providerSchema } from './providers.js';

/** What a key may be allowed to do; `admin` includes all. */
export const ACTIONS = [
  'search',
  'context',
  'reason',
  'documents:read',
  'documents:write',
  'collections:*',
  'prompts:*',
  'sources:read',
  'sources:write',
  'sync:read',
  'sync:write',
  'ingest',
  'audit:read',
  'keys:manage',
  'proposals:review',
  'generations:manage',
  'admin',
] as const;
export const actionSchema = z.enum(ACTIONS);
export type Action = z.infer<typeof actionSchema>;

export const actorTypeSchema = z.enum(['agent', 'application', 'admin']);
export type ActorType = z.infer<typeof actorTypeSchema>;

/**
 * Everything a request may see and do, taken from its API key. It travels signed in jobs and calls;
 * retrieval reads the key's head again before anything leaves, so a scope only ever narrows.
 */
export const callerScopeSchema = z.strictObject({
  tenantId: tenantIdSchema,
  apiKeyId: apiKeyIdSchema,
  actorType: actorTypeSchema,
  allowedActions: z.array(actionSchema),
  /** null = every provider. */
  allowedProviders: z.array(providerSchema).nullable(),
  /** null = a service key that sees every item of its providers; else the ACL identities it acts for. */
  principals: z.array(z.string()).nullable(),
});
export type CallerScope = z.infer<typeof callerScopeSchema>;

export function allowsAction(scope: Pick<CallerScope, 'allowedActions'>, action: Action): boolean {
  return scope.allowedActions.includes('admin') || scope.allowedActions.includes(action);
}
