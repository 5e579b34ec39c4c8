import { AppError, parseJobPayload, type JobContract } from '@candor/contracts';
import { z } from 'zod';

/** A job contract of any payload: `jobId` takes `never`, because a list of contracts has no payload type in common. */
export type CatalogueJob = Omit<JobContract, 'jobId'> & { jobId: (payload: never) => string };

/** What every payload carries; the rest is the contract's. */
const jobIdentitySchema = z.looseObject({
  tenantId: z.string(),
  requestId: z.string(),
  /** ISO instant after which the job is dropped unrun. */
  deadline: z.string().optional(),
});

export interface ParsedJob {
  payload: unknown;
  /** The contract's id, without the version that the queue adds. */
  jobId: string;
  tenantId: string;
  requestId: string;
  deadline: Date | undefined;
}

/** Throws `JOB.INVALID_PAYLOAD`. */
export function parseCatalogueJob(job: CatalogueJob, value: unknown): ParsedJob {
  // The contract's own `jobId` gets the contract's own payload.
  const contract = job as JobContract;
  const payload = parseJobPayload(contract, value);
  const identity = jobIdentitySchema.safeParse(payload);
  if (!identity.success) {
    throw new AppError('JOB.INVALID_PAYLOAD', {
      details: { job: job.name, issues: ['tenantId and requestId are required'] },
    });
  }
  const { tenantId, requestId, deadline } = identity.data;
  return {
    payload,
    jobId: contract.jobId(payload),
    tenantId,
    requestId,
    deadline: deadline === undefined ? undefined : new Date(deadline),
  };
}

/** A job with one attempt is never run again: not after a failure, not while a dependency is down, not after a stall. */
export function isOneShot(job: Pick<CatalogueJob, 'attempts'>): boolean {
  return job.attempts === 1;
}
