import { BaseRpcContext } from '@nestjs/microservices';

export interface JobContextFields {
  jobName: string;
  /** The contract's id. */
  jobId: string;
  queue: string;
  /** Counts from 1; a parked run doesn't count. */
  attempt: number;
  /** Fires on timeout, cancellation and shutdown; its `reason` is an `AppError`. */
  signal: AbortSignal;
  /** When `signal` fires at the latest. */
  deadline: Date;
  requestId: string;
  tenantId: string;
}

/** What a job handler gets by `@Ctx()`. */
export class JobContext extends BaseRpcContext<[JobContextFields]> implements JobContextFields {
  readonly jobName: string;
  readonly jobId: string;
  readonly queue: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly deadline: Date;
  readonly requestId: string;
  readonly tenantId: string;

  constructor(fields: JobContextFields) {
    super([fields]);
    this.jobName = fields.jobName;
    this.jobId = fields.jobId;
    this.queue = fields.queue;
    this.attempt = fields.attempt;
    this.signal = fields.signal;
    this.deadline = fields.deadline;
    this.requestId = fields.requestId;
    this.tenantId = fields.tenantId;
  }
}
