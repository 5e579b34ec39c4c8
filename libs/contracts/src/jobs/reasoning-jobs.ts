import { z } from 'zod';
import { reasoningBodySchema } from '../v1/reasoning.route.js';
import { defineJob } from './define-job.js';
import { LONGEST_RUN_MS, queuedRunFields } from './queued-run-fields.js';

/** One typed reasoning request. One attempt, no result through the queue: the reply channel carries the response. */
export const runReasoningJob = defineJob({
  name: 'reasoning.run',
  version: 1,
  queue: 'reasoning',
  payload: z.strictObject({
    ...queuedRunFields,
    request: reasoningBodySchema,
  }),
  attempts: 1,
  backoffMs: 0,
  timeoutMs: LONGEST_RUN_MS,
  jobId: ({ runId }) => `reasoning-${runId}`,
});
export type RunReasoningPayload = z.infer<typeof runReasoningJob.payload>;
