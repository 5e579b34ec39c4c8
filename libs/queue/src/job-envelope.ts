import { AppError } from '@candor/contracts';
import { context, propagation, ROOT_CONTEXT, type Context } from '@opentelemetry/api';
import { z } from 'zod';

const jobEnvelopeSchema = z.strictObject({
  payload: z.unknown(),
  /** W3C `traceparent`, `tracestate` of the call that added the job. */
  trace: z.record(z.string(), z.string()).optional(),
});
export type JobEnvelope = z.infer<typeof jobEnvelopeSchema>;

export function sealEnvelope(payload: unknown): JobEnvelope {
  const trace: Record<string, string> = {};
  propagation.inject(context.active(), trace);
  return Object.keys(trace).length === 0 ? { payload } : { payload, trace };
}

/** Throws `JOB.INVALID_PAYLOAD`. */
export function openEnvelope(jobName: string, data: unknown): { payload: unknown; trace: Context } {
  const envelope = jobEnvelopeSchema.safeParse(data);
  if (!envelope.success) {
    throw new AppError('JOB.INVALID_PAYLOAD', { details: { job: jobName, issues: ['not a job envelope'] } });
  }
  const { payload, trace } = envelope.data;
  return { payload, trace: propagation.extract(ROOT_CONTEXT, trace ?? {}) };
}

/** Whose job it is, as far as that can be told. */
export function tenantOf(data: unknown): string | undefined {
  const envelope = jobEnvelopeSchema.safeParse(data);
  const payload = envelope.success ? envelope.data.payload : undefined;
  const tenantId: unknown =
    typeof payload === 'object' && payload !== null && 'tenantId' in payload ? payload.tenantId : undefined;
  return typeof tenantId === 'string' ? tenantId : undefined;
}
