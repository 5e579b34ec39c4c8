import type { JobContract } from '@candor/contracts';
import { EventPattern } from '@nestjs/microservices';
import type { z } from 'zod';
import type { JobContext } from './job-context.js';

/** The transport's id: apps with other transports too (gRPC) keep their handlers apart by it. */
export const BULLMQ_TRANSPORT = Symbol('candor.bullmq');

type JobHandlerMethod<Payload extends z.ZodType> = (
  payload: z.output<Payload>,
  context: JobContext,
) => Promise<void> | void;

/**
 * `@EventPattern(job.name)` of the job transport, for a method `(@Payload() payload, @Ctx() context)` that takes this
 * job's payload. Nest's own decorator types every further parameter as `unknown`.
 */
export function JobHandler<Payload extends z.ZodType>(
  job: JobContract<string, Payload>,
): <Method extends JobHandlerMethod<Payload>>(
  target: object,
  key: string,
  descriptor: TypedPropertyDescriptor<Method>,
) => void {
  const decorate: (target: object, key: string, descriptor: PropertyDescriptor) => unknown = EventPattern(
    job.name,
    BULLMQ_TRANSPORT,
  );
  return (target, key, descriptor) => void decorate(target, key, descriptor);
}
