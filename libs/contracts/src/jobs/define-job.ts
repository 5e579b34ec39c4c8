import { z } from 'zod';
import { AppError } from '../errors/app-error.js';
import { itemIdSchema, requestIdSchema, tenantIdSchema } from '../ids.js';

export interface JobContract<Name extends string = string, Payload extends z.ZodType = z.ZodType> {
  name: Name;
  /** Goes into the job id, so jobs of an older shape are never mistaken for this one. */
  version: number;
  queue: string;
  payload: Payload;
  /** Attempts in all; 1 = never run again, not even after a stall. */
  attempts: number;
  /** First back-off in ms; grows exponentially with jitter. */
  backoffMs: number;
  /** Longest time one attempt may take, ms. */
  timeoutMs: number;
  /** De-duplicates in the queue; BullMQ allows no ':' in it. */
  jobId: (payload: z.output<Payload>) => string;
}

export function defineJob<const Name extends string, Payload extends z.ZodType>(
  job: JobContract<Name, Payload>,
): JobContract<Name, Payload> {
  return job;
}

/** Every item job: idempotent by (item, version, stage); `epoch` makes a re-send a new job id after the queue lost its data. */
export const itemJobPayloadSchema = z.strictObject({
  tenantId: tenantIdSchema,
  requestId: requestIdSchema,
  itemId: itemIdSchema,
  version: z.number().int().positive(),
  epoch: z.number().int().nonnegative(),
});
export type ItemJobPayload = z.infer<typeof itemJobPayloadSchema>;

export function parseJobPayload<Payload extends z.ZodType>(
  job: JobContract<string, Payload>,
  payload: unknown,
): z.output<Payload> {
  const parsed = job.payload.safeParse(payload);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new AppError('JOB.INVALID_PAYLOAD', { details: { job: job.name, issues } });
}
