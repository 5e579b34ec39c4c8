import { z } from 'zod';
import { generationIdSchema, requestIdSchema, tenantIdSchema } from '../ids.js';
import { defineJob } from './define-job.js';

const generationJobFields = {
  tenantId: tenantIdSchema,
  requestId: requestIdSchema,
  generationId: generationIdSchema,
};

/** `round` counts the parts of a generation's work: only the newest one is carried out. */
export const generationWorkPayloadSchema = z.strictObject({
  ...generationJobFields,
  round: z.number().int().nonnegative(),
});
export type GenerationWorkPayload = z.infer<typeof generationWorkPayloadSchema>;

/** One bounded part of a build; each part enqueues the next, so that tenants take turns. */
export const buildGenerationJob = defineJob({
  name: 'generation.build',
  version: 1,
  queue: 'build-generation',
  payload: generationWorkPayloadSchema,
  attempts: 8,
  backoffMs: 1_000,
  timeoutMs: 600_000,
  jobId: ({ generationId, round }) => `build-${generationId}-${round}`,
});

/** One bounded part of comparing the index with the database and repairing it. */
export const reconcileGenerationJob = defineJob({
  name: 'generation.reconcile',
  version: 1,
  queue: 'build-generation',
  payload: generationWorkPayloadSchema,
  attempts: 8,
  backoffMs: 1_000,
  timeoutMs: 600_000,
  jobId: ({ generationId, round }) => `reconcile-${generationId}-${round}`,
});

export const promoteGenerationJob = defineJob({
  name: 'generation.promote',
  version: 1,
  queue: 'manage-generation',
  /** `runId` is ours alone: callers choose request ids. */
  payload: z.strictObject({ ...generationJobFields, runId: z.guid() }),
  attempts: 8,
  backoffMs: 500,
  timeoutMs: 600_000,
  jobId: ({ runId }) => `promote-${runId}`,
});
export type PromoteGenerationPayload = z.infer<typeof promoteGenerationJob.payload>;

/** Drops the index of a generation that no request can be using any more. */
export const retireGenerationJob = defineJob({
  name: 'generation.retire',
  version: 1,
  queue: 'manage-generation',
  payload: generationWorkPayloadSchema,
  attempts: 20,
  backoffMs: 1_000,
  timeoutMs: 60_000,
  jobId: ({ generationId, round }) => `retire-${generationId}-${round}`,
});
