import { z } from 'zod';
import { auditActionSchema, auditOutcomeSchema } from '../audit/audit-actions.js';
import { instantSchema } from '../ids.js';
import { defineRoute } from './define-route.js';
import { pageOf, paginationQuery } from './pagination.js';

export const auditEventSchema = z
  .strictObject({
    id: z.uuid(),
    requestId: z.uuid(),
    action: z.string(),
    outcome: auditOutcomeSchema,
    actorApiKeyId: z.uuid().nullable(),
    actorType: z.string(),
    targetType: z.string().nullable(),
    targetId: z.string().nullable(),
    metadata: z.record(z.string(), z.json()),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'AuditEvent' });
export type AuditEventView = z.infer<typeof auditEventSchema>;

const auditEventsQuery = z.strictObject({
  ...paginationQuery,
  requestId: z.uuid({ error: 'must be a UUID' }).optional(),
  action: auditActionSchema.optional(),
  from: instantSchema.optional(),
  to: instantSchema.optional(),
});
export type AuditEventsQuery = z.infer<typeof auditEventsQuery>;

export const auditEventsRoute = defineRoute({
  method: 'GET',
  path: '/v1/audit-events',
  summary: 'Read the audit trail',
  action: 'audit:read',
  audit: 'audit.read',
  query: auditEventsQuery,
  response: pageOf(auditEventSchema),
  status: 200,
});
