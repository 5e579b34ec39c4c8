import { z } from 'zod';
import {
  buildGenerationJob,
  promoteGenerationJob,
  reconcileGenerationJob,
  retireGenerationJob,
} from './generation-jobs.js';
import { applyRetentionJob, runErasuresJob, sealAuditJob } from './compliance-jobs.js';
import { defineJob, itemJobPayloadSchema, type ItemJobPayload } from './define-job.js';
import { LONGEST_RUN_MS, queuedRunFields } from './queued-run-fields.js';
import { runReasoningJob } from './reasoning-jobs.js';
import { checkSourceJob, removeSourceJob, scheduleSourceJob, startDueRunJob, syncSourceJob } from './source-jobs.js';

const itemJobId = (stage: string) => (payload: ItemJobPayload) =>
  `${stage}-${payload.itemId}-${payload.version}-${payload.epoch}`;

export const extractItemJob = defineJob({
  name: 'item.extract',
  version: 1,
  queue: 'extract-item',
  payload: itemJobPayloadSchema,
  attempts: 8,
  backoffMs: 500,
  // A file has its turn among others, then a minute of its own.
  timeoutMs: 180_000,
  jobId: itemJobId('extract'),
});

export const indexItemJob = defineJob({
  name: 'item.index',
  version: 1,
  queue: 'index-item',
  payload: itemJobPayloadSchema,
  attempts: 8,
  backoffMs: 500,
  timeoutMs: 300_000,
  jobId: itemJobId('index'),
});

/** Title, dates, tags or access changed and the content did not: the index is updated without embedding. */
export const refreshItemMetadataJob = defineJob({
  name: 'item.refresh-metadata',
  version: 1,
  queue: 'index-item',
  payload: itemJobPayloadSchema,
  attempts: 8,
  backoffMs: 500,
  timeoutMs: 60_000,
  jobId: itemJobId('refresh'),
});

export const deleteItemJob = defineJob({
  name: 'item.delete',
  version: 1,
  queue: 'delete-item',
  payload: itemJobPayloadSchema,
  attempts: 20,
  backoffMs: 500,
  timeoutMs: 60_000,
  jobId: itemJobId('delete'),
});

/** One reason request. One attempt, no result through the queue: the reply channel carries the answer. */
export const answerQuestionJob = defineJob({
  name: 'reasoning.answer',
  version: 1,
  queue: 'reasoning',
  payload: z.strictObject({
    ...queuedRunFields,
    query: z.string(),
    limit: z.number().int().min(1).max(50),
    maxTokens: z.number().int().nonnegative(),
    documentId: z.string().optional(),
    collectionId: z.string().optional(),
    includeQuotations: z.boolean().optional(),
  }),
  attempts: 1,
  backoffMs: 0,
  timeoutMs: LONGEST_RUN_MS,
  jobId: (payload) => `reason-${payload.runId}`,
});
export type AnswerQuestionPayload = z.infer<typeof answerQuestionJob.payload>;

/** Every job there is; `docs/reference/jobs.md` is generated from it and each service proves at start that its queues have exactly one handler a job. */
export const JOB_CATALOGUE = [
  extractItemJob,
  indexItemJob,
  refreshItemMetadataJob,
  deleteItemJob,
  answerQuestionJob,
  runReasoningJob,
  syncSourceJob,
  removeSourceJob,
  checkSourceJob,
  scheduleSourceJob,
  startDueRunJob,
  buildGenerationJob,
  reconcileGenerationJob,
  promoteGenerationJob,
  retireGenerationJob,
  sealAuditJob,
  applyRetentionJob,
  runErasuresJob,
] as const;
export type JobName = (typeof JOB_CATALOGUE)[number]['name'];
