import { z } from 'zod';
import { requestIdSchema, tenantIdSchema } from '../ids.js';
import { defineJob } from './define-job.js';

const sourceJobFields = {
  tenantId: tenantIdSchema,
  requestId: requestIdSchema,
  sourceId: z.guid(),
};
const slice = z.number().int().nonnegative();

/** One bounded part of a sync run. Each part enqueues the next, so that connectors take turns. */
export const syncSourceJob = defineJob({
  name: 'source.sync',
  version: 1,
  queue: 'sync-connector',
  payload: z.strictObject({ ...sourceJobFields, runId: z.guid(), slice }),
  attempts: 8,
  backoffMs: 1_000,
  // Comparing all ids is one listing, which no provider lets us resume.
  timeoutMs: 1_800_000,
  jobId: ({ runId, slice }) => `sync-${runId}-${slice}`,
});
export type SyncSourcePayload = z.infer<typeof syncSourceJob.payload>;

/** One part of the removal of a source: tombstones and index deletes, then the certificate. */
export const removeSourceJob = defineJob({
  name: 'source.remove',
  version: 1,
  queue: 'manage-source',
  payload: z.strictObject({ ...sourceJobFields, slice }),
  attempts: 8,
  backoffMs: 1_000,
  timeoutMs: 60_000,
  jobId: ({ sourceId, slice }) => `remove-source-${sourceId}-${slice}`,
});
export type RemoveSourcePayload = z.infer<typeof removeSourceJob.payload>;

export const checkSourceJob = defineJob({
  name: 'source.check',
  version: 1,
  queue: 'manage-source',
  payload: z.strictObject({ ...sourceJobFields, checkId: z.guid() }),
  attempts: 3,
  backoffMs: 1_000,
  timeoutMs: 30_000,
  jobId: ({ checkId }) => `check-source-${checkId}`,
});
export type CheckSourcePayload = z.infer<typeof checkSourceJob.payload>;

/** Brings the queue's schedules of one source in line with what Postgres says. */
export const scheduleSourceJob = defineJob({
  name: 'source.schedule',
  version: 1,
  queue: 'manage-source',
  payload: z.strictObject(sourceJobFields),
  attempts: 8,
  backoffMs: 1_000,
  timeoutMs: 30_000,
  jobId: ({ requestId, sourceId }) => `schedule-source-${sourceId}-${requestId}`,
});
export type ScheduleSourcePayload = z.infer<typeof scheduleSourceJob.payload>;

/** Sent by a schedule: starts a run if none is active. */
export const startDueRunJob = defineJob({
  name: 'source.due',
  version: 1,
  queue: 'manage-source',
  payload: z.strictObject({ ...sourceJobFields, mode: z.enum(['incremental', 'reconcile']) }),
  attempts: 3,
  backoffMs: 1_000,
  timeoutMs: 30_000,
  jobId: ({ sourceId, mode }) => `due-${sourceId}-${mode}`,
});
export type StartDueRunPayload = z.infer<typeof startDueRunJob.payload>;
