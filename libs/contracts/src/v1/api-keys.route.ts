import { z } from 'zod';
import { actionSchema, actorTypeSchema } from '../caller-scope.js';
import { instantSchema } from '../ids.js';
import { providerSchema } from '../providers.js';
import { defineRoute } from './define-route.js';
import { idParams, pageOf, paginationQuery } from './pagination.js';

const name = z.string().trim().min(1, 'must contain at least one non-whitespace character').max(200);
const editableFields = {
  name,
  /** null = every provider. */
  allowedProviders: z.array(providerSchema).min(1).nullable(),
  /** null = a service key; else the ACL identities the key acts for. */
  principals: z.array(z.string().min(1).max(320)).max(10_000).nullable(),
  /** Requests a minute and action; null = no limit; absent = the default of 60, or less where the creating key has less. */
  rateLimitPerMinute: z.number().int().min(1).max(1_000_000).nullable().optional(),
};

export const createApiKeyBodySchema = z
  .strictObject({
    ...editableFields,
    actorType: actorTypeSchema,
    allowedActions: z.array(actionSchema).min(1),
    /** null = never; absent = when the creating key does. */
    expiresAt: instantSchema
      .refine((value) => Date.parse(value) > Date.now(), 'must lie in the future')
      .nullable()
      .optional(),
  })
  .meta({ id: 'CreateApiKey' });
export type CreateApiKeyBody = z.infer<typeof createApiKeyBodySchema>;

export const updateApiKeyBodySchema = z.strictObject(editableFields).partial().meta({ id: 'UpdateApiKey' });
export type UpdateApiKeyBody = z.infer<typeof updateApiKeyBodySchema>;

const apiKeyFields = {
  id: z.guid(),
  name: z.string(),
  actorType: actorTypeSchema,
  allowedActions: z.array(actionSchema),
  allowedProviders: z.array(providerSchema).nullable(),
  principals: z.array(z.string()).nullable(),
  rateLimitPerMinute: z.number().int().nullable(),
  expiresAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
};
export const apiKeySchema = z.strictObject(apiKeyFields).meta({ id: 'ApiKey' });
export type ApiKeyView = z.infer<typeof apiKeySchema>;
/** `key` is shown this once. */
const withSecret = z.strictObject({ data: z.strictObject({ ...apiKeyFields, key: z.string() }) });

export const listApiKeysRoute = defineRoute({
  method: 'GET',
  path: '/v1/api-keys',
  summary: 'List API keys',
  action: 'keys:manage',
  audit: 'api_key.read',
  query: z.strictObject(paginationQuery),
  response: pageOf(apiKeySchema),
  status: 200,
});
export const createApiKeyRoute = defineRoute({
  method: 'POST',
  path: '/v1/api-keys',
  summary: 'Create an API key',
  description:
    'Nobody can grant what they do not have: actions, providers and principals stay within the creating key, no key outlives the one ' +
    "that made it, and only an administrator's may have a higher rate limit than its own.",
  action: 'keys:manage',
  audit: 'api_key.create',
  body: createApiKeyBodySchema,
  response: withSecret,
  status: 201,
});
export const updateApiKeyRoute = defineRoute({
  method: 'PATCH',
  path: '/v1/api-keys/:id',
  summary: 'Change name, limit, providers or principals',
  action: 'keys:manage',
  audit: 'api_key.update',
  params: idParams,
  body: updateApiKeyBodySchema,
  response: z.strictObject({ data: apiKeySchema }),
  status: 200,
});
export const rotateApiKeyRoute = defineRoute({
  method: 'POST',
  path: '/v1/api-keys/:id/rotate',
  summary: 'Make a second secret',
  description:
    'The secrets used so far stop working after the overlap. Only of a key that may do no more than the calling one, and no longer. Takes no `Idempotency-Key`: an answer with a secret is not stored.',
  action: 'keys:manage',
  audit: 'api_key.rotate',
  params: idParams,
  body: z
    .strictObject({
      overlapSeconds: z
        .number()
        .int()
        .min(0)
        .max(30 * 86_400)
        .default(86_400),
    })
    .prefault({}),
  response: withSecret,
  status: 201,
});
export const revokeApiKeyRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/api-keys/:id',
  summary: 'Revoke an API key',
  description: 'Takes effect on the next request, also for work that waits in a queue.',
  action: 'keys:manage',
  audit: 'api_key.revoke',
  params: idParams,
  response: z.null(),
  status: 204,
});

export const createTenantRoute = defineRoute({
  method: 'POST',
  path: '/v1/tenants',
  summary: 'Create a tenant with its own admin key',
  description: "Only the installation's first key may.",
  action: 'admin',
  audit: 'tenant.create',
  body: z.strictObject({ name }).meta({ id: 'CreateTenant' }),
  response: z.strictObject({ data: z.strictObject({ id: z.guid(), name: z.string(), key: z.string() }) }),
  status: 201,
});

export const callerRoute = defineRoute({
  method: 'GET',
  path: '/v1/user/me',
  summary: 'Who am I',
  action: 'authenticated',
  audit: 'caller.read',
  response: z.strictObject({
    data: z.strictObject({
      id: z.guid(),
      name: z.string(),
      email: z.string().nullable(),
      externalId: z.string().nullable(),
      authMethod: z.literal('api_key'),
      permissions: z.array(z.string()),
    }),
  }),
  status: 200,
});
