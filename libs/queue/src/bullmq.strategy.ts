import { AppError, JOB_CATALOGUE } from '@candor/contracts';
import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { SpanKind, context as traceContext, trace, type Context } from '@opentelemetry/api';
import { DelayedError, UnrecoverableError, type Job } from 'bullmq';
import { performance } from 'node:perf_hooks';
import { isObservable, lastValueFrom } from 'rxjs';
import { AttemptLog } from './attempt-log.js';
import { settlesWithin } from './bounded-wait.js';
import { isOneShot, parseCatalogueJob, type CatalogueJob, type ParsedJob } from './catalogue-job.js';
import { decideFailure, type FailureOutcome } from './decide-failure.js';
import { JobContext } from './job-context.js';
import { BULLMQ_TRANSPORT } from './job-handler.decorator.js';
import { openEnvelope } from './job-envelope.js';
import { observeRun, observeWait, UNKNOWN_JOB } from './job-metrics.js';
import { fromQueueJobId, jitteredBackoffMs, retryDelayMs, StoredFailure } from './job-options.js';
import { findHandlerProblems, type HandlerRegistration } from './prove-handlers.js';
import type { JobWorker } from './queue-backend.js';
import { AttemptAborted, RunningJobs } from './running-jobs.js';
import type { BullMqStrategyOptions, DeadLetter } from './strategy-options.js';
import { startWorkers } from './start-workers.js';

type QueuedJob = Job<unknown, void, string>;

interface TakenJob {
  queued: QueuedJob;
  token: string | undefined;
  queue: string;
  contract: CatalogueJob | undefined;
  /** For the dead letter: what is known of the payload so far. */
  payload: unknown;
  jobId: string;
  /** `performance.now()`. */
  startedAt: number;
}

/**
 * Nest transport: one BullMQ worker a queue; job handlers are `@JobHandler(job)` (`@EventPattern(job.name)`) methods that get the parsed
 * payload and a `JobContext`. A handler that returns is done; one that throws an `AppError` decides about retry.
 */
export class BullMqStrategy extends Server implements CustomTransportStrategy {
  override readonly transportId = BULLMQ_TRANSPORT;
  /** Failures reach BullMQ, so Nest has nothing to log. */
  override readonly propagatesEventHandlerErrors = true;
  private readonly catalogue: readonly CatalogueJob[];
  private readonly registrations: HandlerRegistration[] = [];
  private readonly running: RunningJobs;
  private readonly seen = new WeakSet<QueuedJob>();
  private readonly attempts = new AttemptLog();
  private readonly reports = new Set<Promise<void>>();
  private workers: JobWorker[] = [];

  constructor(private readonly options: BullMqStrategyOptions) {
    super();
    this.catalogue = options.catalogue ?? JOB_CATALOGUE;
    this.running = new RunningJobs(options.abortGraceMs ?? 2_000);
  }

  /** Nest overwrites a second handler of a pattern, or chains it, without a word: count them for the proof. */
  override addHandler(
    pattern: string,
    handler: MessageHandler,
    isEventHandler = false,
    extras: Record<string, unknown> = {},
  ): void {
    this.registrations.push({ pattern: this.normalizePattern(pattern), isEventHandler });
    super.addHandler(pattern, handler, isEventHandler, extras);
  }

  listen(callback: (error?: unknown) => void): void {
    this.start().then(() => callback(), callback);
  }

  /** Takes no more jobs, waits for the running ones up to the grace, then aborts and parks them. */
  async close(): Promise<void> {
    const { closeGraceMs = 25_000, abortGraceMs = 2_000 } = this.options;
    const closing = Promise.all(this.workers.map((worker) => worker.close()));
    if (!(await settlesWithin(closing, closeGraceMs))) {
      this.running.stop();
      if (!(await settlesWithin(closing, abortGraceMs + 3_000))) {
        // The backend is gone as well: what still runs is found by the stall check of another worker.
        await settlesWithin(Promise.allSettled(this.workers.map((worker) => worker.disconnect())), 1_000);
      }
    }
    await Promise.allSettled(this.reports);
    this.workers = [];
    this._status$.next('disconnected');
  }

  /** Aborts a job that runs in this process; it is neither retried nor dead-lettered. `jobId` is the contract's. */
  cancel(jobId: string): boolean {
    return this.running.cancel(jobId);
  }

  on(): void {
    throw new Error('Subscribe to `status`, or pass `onFailure`.');
  }

  unwrap<T>(): T {
    return this.workers as T;
  }

  private async start(): Promise<void> {
    const queues = Object.keys(this.options.queues);
    const problems = findHandlerProblems(this.catalogue, queues, this.registrations);
    if (problems.length > 0) {
      throw new AppError('CONFIG.INVALID', { message: problems.join(' '), details: { problems } });
    }
    this.workers = await startWorkers(this.options, this.catalogue, {
      process: (queue, job, token) => this.process(queue, job, token),
      failed: (queue, job) => this.reportUnseen(queue, job),
      error: (queue, error) => void this.logger.error(`Queue ${queue}: ${error.message}`),
    });
    this._status$.next('connected');
  }

  private async process(queue: string, queued: QueuedJob, token: string | undefined): Promise<void> {
    this.seen.add(queued);
    const taken: TakenJob = {
      queued,
      token,
      queue,
      contract: this.catalogue.find((job) => job.queue === queue && job.name === queued.name),
      payload: queued.data,
      jobId: fromQueueJobId(queued.id ?? ''),
      startedAt: performance.now(),
    };
    // A later start has waited for its back-off, not for a worker.
    if (queued.attemptsStarted <= 1) observeWait(nameOf(taken), queued.timestamp + queued.delay);
    try {
      await this.attempt(taken);
      this.attempts.recordDone(nameOf(taken), taken.jobId);
      observeRun(nameOf(taken), 'done', secondsSince(taken.startedAt));
    } catch (error) {
      await this.fail(taken, error);
    }
  }

  private async attempt(taken: TakenJob): Promise<void> {
    const { contract, queued, queue } = taken;
    if (!contract) {
      throw new AppError('JOB.INVALID_PAYLOAD', { message: 'The queue holds a job that its catalogue does not know.' });
    }
    const envelope = openEnvelope(contract.name, queued.data);
    taken.payload = envelope.payload;
    const job = parseCatalogueJob(contract, envelope.payload);
    taken.jobId = job.jobId;
    if (job.deadline && job.deadline.getTime() <= Date.now()) throw new AppError('JOB.DEADLINE_PASSED');
    const deadline = new Date(Math.min(Date.now() + contract.timeoutMs, job.deadline?.getTime() ?? Infinity));
    await this.running.run(job.jobId, deadline, (signal) => {
      const { jobId, requestId, tenantId } = job;
      const attempt = queued.attemptsMade + 1;
      const context = new JobContext({
        jobName: contract.name,
        jobId,
        queue,
        attempt,
        signal,
        deadline,
        requestId,
        tenantId,
      });
      return this.runTraced(envelope.trace, context, () => this.runHandler(job, context));
    });
  }

  private runTraced(parent: Context, context: JobContext, run: () => Promise<void>): Promise<void> {
    const runInJobContext = this.options.runInJobContext ?? ((_context, inner) => inner());
    const attributes = { 'messaging.destination.name': context.queue, 'messaging.message.id': context.jobId };
    return traceContext.with(parent, () =>
      trace
        .getTracer('@candor/queue')
        .startActiveSpan(`process ${context.jobName}`, { kind: SpanKind.CONSUMER, attributes }, async (span) => {
          try {
            await runInJobContext(context, run);
          } finally {
            span.end();
          }
        }),
    );
  }

  private async runHandler(job: ParsedJob, context: JobContext): Promise<void> {
    const handler = this.getHandlerByPattern(context.jobName);
    if (!handler) throw new AppError('CONFIG.INVALID', { message: `The job "${context.jobName}" has no handler.` });
    const result: unknown = await handler(job.payload, context);
    // Nest wraps errors in an Observable: nothing is thrown until somebody subscribes.
    if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
  }

  /** Always throws: BullMQ learns the outcome from the kind of error. */
  private async fail(taken: TakenJob, thrown: unknown): Promise<never> {
    const aborted = thrown instanceof AttemptAborted ? thrown : undefined;
    const error = aborted?.reason ?? AppError.from(thrown);
    const { attemptsMade, opts } = taken.queued;
    const oneShot = taken.contract === undefined || isOneShot(taken.contract);
    const attempts = opts.attempts ?? 1;
    if (error.code.startsWith('DEPENDENCY.')) this.attempts.recordFailure(nameOf(taken), taken.jobId);
    const mayBeItsOwn = error.code === 'DEPENDENCY.DATABASE_TIMEOUT';
    const servesOthers = mayBeItsOwn && this.attempts.servesOthers(nameOf(taken), taken.jobId, taken.startedAt);
    const outcome = decideFailure({ error, aborted: aborted?.kind, oneShot, servesOthers, attemptsMade, attempts });
    const delayMs = this.delayMs(taken, outcome, error, aborted?.kind === 'stopping');
    this.report(taken, outcome, error, delayMs);
    switch (outcome) {
      case 'retry':
        throw new StoredFailure(error.code, delayMs);
      case 'park':
        return this.park(taken, delayMs);
      case 'cancel':
        throw unrecoverable(error);
      case 'dead-letter':
        if (!(await this.deadLetter(taken, error)) && !oneShot) return this.park(taken, this.parkDelayMs(taken, error));
        throw unrecoverable(error);
    }
  }

  /** Until the next attempt, if there is one. */
  private delayMs(taken: TakenJob, outcome: FailureOutcome, error: AppError, isStopping: boolean): number {
    const { opts, attemptsMade } = taken.queued;
    if (outcome === 'retry') return retryDelayMs(opts, attemptsMade + 1, error.retryAfterSeconds);
    return isStopping ? 0 : this.parkDelayMs(taken, error);
  }

  private async park({ queued, token }: TakenJob, delayMs: number): Promise<never> {
    await queued.moveToDelayed(Date.now() + delayMs, token);
    throw new DelayedError();
  }

  private parkDelayMs({ queued }: TakenJob, error: AppError): number {
    const { baseMs, maxMs } = this.options.parking ?? { baseMs: 1_000, maxMs: 30_000 };
    // Every start that used no attempt was a parking: BullMQ keeps the count for us.
    const parked = Math.max(1, queued.attemptsStarted - queued.attemptsMade);
    return Math.max((error.retryAfterSeconds ?? 0) * 1_000, jitteredBackoffMs(baseMs, parked, maxMs));
  }

  private async deadLetter(taken: TakenJob, error: AppError): Promise<boolean> {
    const { queued, queue, payload, jobId } = taken;
    const letter: DeadLetter = {
      job: queued.name,
      jobId,
      queue,
      payload,
      error: { type: error.code, message: error.message },
      attemptsMade: queued.attemptsMade + 1,
    };
    try {
      await this.options.onDeadLetter(letter);
      return true;
    } catch (cause) {
      this.logger.error(
        `The dead letter of ${queued.name} ${jobId} could not be written: ${AppError.from(cause).code}`,
        stackOf(cause),
      );
      return false;
    }
  }

  /** BullMQ itself ended the job, without our processor: its worker disappeared too often. */
  private reportUnseen(queue: string, queued: QueuedJob): void {
    if (this.seen.has(queued)) return;
    const envelope = queued.data;
    const payload =
      typeof envelope === 'object' && envelope !== null && 'payload' in envelope ? envelope.payload : envelope;
    const jobId = fromQueueJobId(queued.id ?? '');
    const startedAt = performance.now();
    const taken: TakenJob = { queued, token: undefined, queue, contract: undefined, payload, jobId, startedAt };
    const error = new AppError('INTERNAL.UNEXPECTED', { message: 'The worker that ran this job disappeared.' });
    this.report(taken, 'dead-letter', error, 0);
    const report = this.deadLetter(taken, error).then(() => void this.reports.delete(report));
    this.reports.add(report);
  }

  private report(taken: TakenJob, outcome: FailureOutcome, error: AppError, delayMs: number): void {
    observeRun(nameOf(taken), outcome, secondsSince(taken.startedAt));
    const { queued, queue, jobId, payload } = taken;
    const comesBack = outcome === 'retry' || outcome === 'park';
    const nextAttemptAt = comesBack ? new Date(Date.now() + delayMs) : null;
    const attempt = queued.attemptsMade + 1;
    const failure = { job: queued.name, jobId, queue, attempt, outcome, error, payload, nextAttemptAt };
    if (this.options.onFailure) return this.options.onFailure(failure);
    this.logger.warn(`${failure.job} ${jobId} attempt ${failure.attempt}: ${error.code}, ${outcome}`);
    if (error.code === 'INTERNAL.UNEXPECTED') this.logger.error(error.message, stackOf(error.cause));
  }
}

function nameOf({ contract }: TakenJob): string {
  return contract?.name ?? UNKNOWN_JOB;
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1_000;
}

function unrecoverable(error: AppError): UnrecoverableError {
  const stored = new UnrecoverableError(error.code);
  stored.stack = error.code;
  return stored;
}

/** Frames only: a message may quote what was being processed. */
function stackOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const frames = cause.stack?.split('\n').filter((line) => line.trimStart().startsWith('at ')) ?? [];
  return [cause.name, ...frames].join('\n');
}
