import { z } from 'zod';
import { uuidSchema } from '../ids.js';
import { defineRoute } from './define-route.js';
import { itemErrorSchema } from './ingest.route.js';
import { idParams, pageOf, paginationQuery } from './pagination.js';

export const SYNC_RUN_STATES = [
  'queued',
  'running',
  'succeeded',
  'succeeded_with_errors',
  'failed',
  'cancelled',
] as const;
export const syncRunStateSchema = z.enum(SYNC_RUN_STATES);
export type SyncRunState = z.infer<typeof syncRunStateSchema>;

/** `reconcile` (scheduled only) compares ids; `full` lists everything anew and then compares ids. */
export const syncModeSchema = z.enum(['incremental', 'full', 'reconcile']);
export type SyncMode = z.infer<typeof syncModeSchema>;
export const syncTriggerSchema = z.enum(['request', 'schedule', 'event']);
export type SyncTrigger = z.infer<typeof syncTriggerSchema>;

const count = z.number().int().nonnegative();
export const syncCountsSchema = z.strictObject({
  /** Items that the provider named. */
  listed: count,
  /** New or changed content, handed to ingestion. */
  accepted: count,
  unchanged: count,
  /** Title, access or dates changed, and the content did not: nothing is embedded again. */
  metadata: count,
  deleted: count,
  /** Items that could not be read; the run went on without them. */
  failed: count,
  /** Items without a readable access policy. */
  withheld: count,
  /** Items that a caller deleted: named by the provider again, and not taken in again. */
  suppressed: count,
});
export type SyncCounts = z.infer<typeof syncCountsSchema>;

export const syncFailureSchema = z.strictObject({
  externalId: z.string(),
  title: z.string().nullable(),
  error: itemErrorSchema,
});

const runFields = {
  /** Also the `requestId` of what it ingests: `GET /v1/ingestions/:requestId`. */
  id: z.guid(),
  sourceId: z.guid(),
  mode: syncModeSchema,
  trigger: syncTriggerSchema,
  state: syncRunStateSchema,
  /** The provider asked for patience, or can't be reached: the run goes on by itself then. */
  waiting: z.strictObject({ until: z.iso.datetime(), error: itemErrorSchema }).nullable(),
  cancelRequested: z.boolean(),
  counts: syncCountsSchema,
  error: itemErrorSchema.nullable(),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
};
export const syncRunSchema = z.strictObject(runFields).meta({ id: 'SyncRun' });
export type SyncRun = z.infer<typeof syncRunSchema>;

/** The first failures, at most 100; `counts.failed` counts all. */
export const syncRunDetailsSchema = z
  .strictObject({ ...runFields, failures: z.array(syncFailureSchema) })
  .meta({ id: 'SyncRunDetails' });
export type SyncRunDetails = z.infer<typeof syncRunDetailsSchema>;

export const startSyncBodySchema = z
  .strictObject({
    sourceId: uuidSchema,
    mode: z.enum(['incremental', 'full']).default('incremental'),
  })
  .meta({ id: 'StartSync' });
export type StartSyncBody = z.infer<typeof startSyncBodySchema>;

export const listSyncRunsRoute = defineRoute({
  method: 'GET',
  path: '/v1/sync-runs',
  summary: 'List sync runs',
  description: 'Newest first.',
  action: 'sync:read',
  audit: 'sync.read',
  query: z.strictObject({
    ...paginationQuery,
    sourceId: uuidSchema.optional(),
    state: syncRunStateSchema.optional(),
  }),
  response: pageOf(syncRunSchema),
  status: 200,
  rateLimited: false,
});
export const startSyncRoute = defineRoute({
  method: 'POST',
  path: '/v1/sync-runs',
  summary: 'Start a sync',
  description: 'A source has one active run at most: while there is one, it is returned with `alreadyActive: true`.',
  action: 'sync:write',
  audit: 'sync.start',
  body: startSyncBodySchema,
  response: z.strictObject({ data: z.strictObject({ ...runFields, alreadyActive: z.boolean() }) }),
  status: 202,
  idempotent: true,
});
export const getSyncRunRoute = defineRoute({
  method: 'GET',
  path: '/v1/sync-runs/:id',
  summary: 'Read a sync run',
  action: 'sync:read',
  audit: 'sync.read',
  params: idParams,
  response: z.strictObject({ data: syncRunDetailsSchema }),
  status: 200,
  rateLimited: false,
});
export const cancelSyncRoute = defineRoute({
  method: 'POST',
  path: '/v1/sync-runs/:id/cancel',
  summary: 'Cancel a sync run',
  description: 'It stops at its next batch; what was stored before stays. A run that is over is returned as it is.',
  action: 'sync:write',
  audit: 'sync.cancel',
  params: idParams,
  body: z.strictObject({}).optional(),
  response: z.strictObject({ data: syncRunSchema }),
  status: 202,
  idempotent: true,
});
