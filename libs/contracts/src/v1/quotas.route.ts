import { z } from 'zod';
import { uuidSchema } from '../ids.js';
import { defineRoute } from './define-route.js';

/**
 * What a tenant may have and do. Stocks: `items` that aren't deleted; `storageBytes` as sent, of all versions that are kept;
 * `queuedIngestions`, versions that aren't indexed yet. Rates: `requestsPerMinute` of all its keys; `answersPerDay`, requests that may ask a model.
 */
export const QUOTAS = ['items', 'storageBytes', 'queuedIngestions', 'requestsPerMinute', 'answersPerDay'] as const;
export type Quota = (typeof QUOTAS)[number];

const limit = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullable().optional();
/** null = no limit; absent = the installation's default. */
export const quotaLimitsSchema = z.strictObject({
  items: limit,
  storageBytes: limit,
  queuedIngestions: limit,
  requestsPerMinute: limit,
  answersPerDay: limit,
} satisfies Record<Quota, typeof limit>);
export type QuotaLimits = z.infer<typeof quotaLimitsSchema>;

const quotaStateSchema = z
  .strictObject({
    quota: z.enum(QUOTAS),
    /** null = none. */
    limit: z.number().int().nullable(),
    /** Whether it is the tenant's own or the installation's default. */
    isOwn: z.boolean(),
    used: z.number().int(),
    /** When a rate's window ends; null for stocks, and where nothing was used. */
    resetAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'QuotaState' });
export type QuotaState = z.infer<typeof quotaStateSchema>;
const tenantQuotas = z.strictObject({
  data: z.strictObject({ tenantId: z.guid(), quotas: z.array(quotaStateSchema) }),
});

export const quotasRoute = defineRoute({
  method: 'GET',
  path: '/v1/quotas',
  summary: 'What the tenant may have and do, and how much of it is used',
  description: 'Counts the whole tenant, so it needs a key that may see the whole tenant.',
  action: 'admin',
  audit: 'quota.read',
  // Whoever ran into one has to be able to see it.
  rateLimited: false,
  response: tenantQuotas,
  status: 200,
});
export const setQuotasRoute = defineRoute({
  method: 'PUT',
  path: '/v1/quotas',
  summary: "Set a tenant's quotas",
  description:
    "Only the installation's first key may. Replaces all of the tenant's own limits; what is not named falls back to the installation's default. Nothing that was accepted is lost by a lower limit: only new work is refused.",
  action: 'admin',
  audit: 'quota.update',
  body: z.strictObject({ tenantId: uuidSchema, limits: quotaLimitsSchema }).meta({ id: 'SetQuotas' }),
  response: tenantQuotas,
  status: 200,
});
