import { z } from 'zod';
import { requestIdSchema, tenantIdSchema } from '../ids.js';
import { defineJob } from './define-job.js';

/** Of what a schedule starts for all tenants: no tenant's, no request's. */
export const EVERY_TENANT = '00000000-0000-0000-0000-000000000000';

/** Seals what has committed since, for every tenant. Sent by a schedule. */
export const sealAuditJob = defineJob({
  name: 'audit.seal',
  version: 1,
  queue: 'seal-audit',
  payload: z.strictObject({ tenantId: tenantIdSchema, requestId: requestIdSchema }),
  attempts: 3,
  backoffMs: 1_000,
  timeoutMs: 600_000,
  jobId: () => 'seal-audit',
});

const everyTenant = sealAuditJob.payload;

/** Removes what tenants keep no longer. Sent by a schedule. */
export const applyRetentionJob = defineJob({
  name: 'retention.apply',
  version: 1,
  queue: 'retention',
  payload: everyTenant,
  attempts: 3,
  backoffMs: 5_000,
  timeoutMs: 3_600_000,
  jobId: () => 'apply-retention',
});

/** Goes on with every erasure that isn't done, where it stands. Sent by a schedule. */
export const runErasuresJob = defineJob({
  name: 'erasure.run',
  version: 1,
  queue: 'erasure',
  payload: everyTenant,
  attempts: 3,
  backoffMs: 5_000,
  timeoutMs: 3_600_000,
  jobId: () => 'run-erasures',
});
