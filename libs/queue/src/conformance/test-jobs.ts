import { defineJob, requestIdSchema, tenantIdSchema } from '@candor/contracts';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';

const payload = z.strictObject({
  tenantId: tenantIdSchema,
  requestId: requestIdSchema,
  key: z.string(),
  deadline: z.iso.datetime().optional(),
});

/** Jobs of a queue of their own, so tests don't meet. */
export function makeTestJobs(queue: string) {
  const work = defineJob({
    name: 'test.work',
    version: 2,
    queue,
    payload,
    attempts: 3,
    backoffMs: 10,
    timeoutMs: 60_000,
    jobId: ({ key }) => `work-${key}`,
  });
  const once = defineJob({
    name: 'test.once',
    version: 1,
    queue: `${queue}-once`,
    payload,
    attempts: 1,
    backoffMs: 0,
    timeoutMs: 60_000,
    jobId: ({ key }) => `once-${key}`,
  });
  return { work, once };
}
export type TestJobs = ReturnType<typeof makeTestJobs>;

export function testPayload(key: string = randomUUID()) {
  return { tenantId: randomUUID(), requestId: randomUUID(), key };
}
