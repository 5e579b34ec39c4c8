import { z } from 'zod';
import { requestIdSchema, tenantIdSchema } from '../ids.js';
import { reasoningBodySchema } from '../v1/reasoning.route.js';
import { defineJob } from './define-job.js';

/** One typed reasoning request. One attempt, no result through the queue: the reply channel carries the response. */
export const runReasoningJob = defineJob({
  name: 'reasoning.run',
  version: 1,
  queue: 'reasoning',
  payload: z.strictObject({
    tenantId: tenantIdSchema,
    requestId: requestIdSchema,
    /** Ours alone: callers choose request ids, and two of them may choose the same. */
    runId: z.uuid(),
    /** Signed CallerScope. */
    callerToken: z.string().min(1),
    /** Reply channel of the gateway instance that waits. */
    replyTo: z.string().min(1),
    /** ISO instant after which the job is dropped unrun. */
    deadline: z.iso.datetime(),
    request: reasoningBodySchema,
  }),
  attempts: 1,
  backoffMs: 0,
  timeoutMs: 120_000,
  jobId: ({ runId }) => `reasoning-${runId}`,
});
export type RunReasoningPayload = z.infer<typeof runReasoningJob.payload>;
