import { z } from 'zod';
import { requestIdSchema, tenantIdSchema } from '../ids.js';

/**
 * Longest time of a request that is answered through the queue, ms, and so the longest deadline that can be set: the deadline
 * is what ends its job, a limit of the job's own would end it before.
 */
export const LONGEST_RUN_MS = 600_000;

/** What every request answered through the queue carries, beside the request itself. */
export const queuedRunFields = {
  tenantId: tenantIdSchema,
  requestId: requestIdSchema,
  /** Ours alone: callers choose request ids, and two of them may choose the same. */
  runId: z.guid(),
  /** Signed CallerScope. */
  callerToken: z.string().min(1),
  /** Reply channel of the gateway instance that waits. */
  replyTo: z.string().min(1),
  /** ISO instant after which the job is dropped unrun. */
  deadline: z.iso.datetime(),
};

/**
 * Who waits, read of a payload that may be another version's: fields that this one doesn't know must not keep the refusal
 * from being told.
 */
export const queuedRunAddressSchema = z.object({
  requestId: queuedRunFields.requestId,
  runId: queuedRunFields.runId,
  replyTo: queuedRunFields.replyTo,
});
