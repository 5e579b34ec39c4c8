import { z } from 'zod';
import { defineRoute } from './define-route.js';
import { pageOf, paginationQuery } from './pagination.js';

/** What retention removes, each after days of its own. `docs/guides/audit-and-compliance.md` says what that means for each. */
export const RETENTION_KINDS = {
  queryText: 'What was asked, in audit events: text and salt go, the event and its seal stay.',
  auditEvents: 'Audit events, by whole sealed batches; a sealed event records which.',
  tombstones: 'What is left of deleted items once their content is gone; a source that still has one brings it back.',
  feedback: 'What callers said of answers; calibrations made from it stay.',
  syncRuns: 'Sync runs that have ended, with their errors.',
  ingestRecords: 'Ingest requests whose items have ended, and dead letters.',
} as const satisfies Record<string, string>;
export type RetentionKind = keyof typeof RETENTION_KINDS;
export const RETENTION_KIND_NAMES = Object.keys(RETENTION_KINDS) as [RetentionKind, ...RetentionKind[]];

const days = z.number().int().min(1, 'must be at least 1 day').max(36_500).nullable();
/** Days that each kind is kept; null = for ever, which is the default of each. */
export const retentionSchema = z
  .strictObject({
    queryText: days,
    auditEvents: days,
    tombstones: days,
    feedback: days,
    syncRuns: days,
    ingestRecords: days,
  })
  .meta({ id: 'Retention' });
export type Retention = z.infer<typeof retentionSchema>;

export const tenantSettingsSchema = z
  .strictObject({
    id: z.guid(),
    name: z.string(),
    isDefault: z.boolean(),
    /** false = audit events hold only the SHA-256 of a query. */
    auditQueryText: z.boolean(),
    /** What the tenant said of sending its content to an external model; null = nothing. */
    externalModels: z.boolean().nullable(),
    /** What holds: what was said, else whether it is the installation's own tenant, whose operator configures the model. */
    externalModelsAllowed: z.boolean(),
    retention: retentionSchema,
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'TenantSettings' });
export type TenantSettings = z.infer<typeof tenantSettingsSchema>;

export const updateTenantBodySchema = z
  .strictObject({
    name: z.string().trim().min(1, 'must contain at least one non-whitespace character').max(200),
    auditQueryText: z.boolean(),
    externalModels: z.boolean().nullable(),
    /** Only the kinds named are changed. */
    retention: retentionSchema.partial(),
  })
  .partial()
  .meta({ id: 'UpdateTenant' });
export type UpdateTenantBody = z.infer<typeof updateTenantBodySchema>;

export const tenantRoute = defineRoute({
  method: 'GET',
  path: '/v1/tenant',
  summary: "The caller's tenant and its settings",
  action: 'admin',
  audit: 'tenant.read',
  response: z.strictObject({ data: tenantSettingsSchema }),
  status: 200,
});

export const updateTenantRoute = defineRoute({
  method: 'PATCH',
  path: '/v1/tenant',
  summary: "Change the tenant's name, consent, retention or what its audit trail keeps",
  description: 'A consent that is withdrawn holds for the next request, also for one that waits in a queue.',
  action: 'admin',
  audit: 'tenant.update',
  body: updateTenantBodySchema,
  response: z.strictObject({ data: tenantSettingsSchema }),
  status: 200,
});

export const listTenantsRoute = defineRoute({
  method: 'GET',
  path: '/v1/tenants',
  summary: 'List the tenants of the installation',
  description: "Only the installation's first key may.",
  action: 'admin',
  audit: 'tenant.read',
  query: z.strictObject(paginationQuery),
  response: pageOf(
    z
      .strictObject({
        id: z.guid(),
        name: z.string(),
        isDefault: z.boolean(),
        createdAt: z.iso.datetime(),
        erasedAt: z.iso.datetime().nullable(),
      })
      .meta({ id: 'Tenant' }),
  ),
  status: 200,
});

export const previewRetentionRoute = defineRoute({
  method: 'GET',
  path: '/v1/tenant/retention-preview',
  summary: 'What retention would remove now',
  action: 'admin',
  audit: 'tenant.read',
  response: z.strictObject({
    data: z.strictObject(
      Object.fromEntries(RETENTION_KIND_NAMES.map((kind) => [kind, z.number().int().nonnegative()])) as Record<
        RetentionKind,
        z.ZodNumber
      >,
    ),
  }),
  status: 200,
});
