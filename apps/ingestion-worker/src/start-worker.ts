import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import {
  applyRetentionJob,
  buildGenerationJob,
  deleteItemJob,
  extractItemJob,
  indexItemJob,
  JOB_CATALOGUE,
  promoteGenerationJob,
  removeSourceJob,
  runErasuresJob,
  sealAuditJob,
  syncSourceJob,
  type AppError,
} from '@candor/contracts';
import { OutboxRepository } from '@candor/persistence';
import {
  BullMqStrategy,
  JobSchedules,
  OutboxDispatcher,
  RpcErrorFilter,
  type JobProducer,
  type QueueBackendOptions,
} from '@candor/queue';
import { createRequestContext, NestPinoLogger, runInRequestContext, type Logger } from '@candor/runtime';
import { BatchedIndexWriter } from '@candor/search-index/write';
import { RecordDeadLetterService } from './dead-letters/record-dead-letter.service.js';
import { sampleOutbox } from './dispatch/sample-outbox.js';
import { sampleAuditSealing } from './features/seal-audit/sample-audit-sealing.js';
import { SealAuditService } from './features/seal-audit/seal-audit.service.js';
import { SweeperService } from './dispatch/sweeper.service.js';
import { WaitRecorder } from './dispatch/wait-recorder.js';
import { LibraryEmbedder } from './features/embed-library/library-embedder.js';
import { LiveGenerationsService } from './features/index-item/live-generations.service.js';
import { SourcePatrol } from './features/manage-source/source-patrol.js';
import { SourceSchedulesService } from './features/manage-source/source-schedules.service.js';
import { SourceSweeperService } from './features/manage-source/source-sweeper.service.js';
import { RelationProposer } from './features/propose-relations/relation-proposer.js';
import { ScheduleKeeper } from './schedules/schedule-keeper.js';
import { WorkerModule, type WorkerModuleDependencies } from './worker.module.js';

export interface WorkerDependencies extends Omit<WorkerModuleDependencies, 'schedules'> {
  queue: QueueBackendOptions;
  producer: JobProducer;
  logger: Logger;
}

export interface RunningWorker {
  /** Takes no new jobs, lets the running ones finish. */
  stop(): Promise<void>;
}

/** Enough jobs at once that they share commits, embedding batches and index refreshes; each waits for these most of its time. */
const CONCURRENCY = {
  [extractItemJob.queue]: { concurrency: 64 },
  [indexItemJob.queue]: { concurrency: 256, maxConcurrency: 1_024 },
  [deleteItemJob.queue]: { concurrency: 8 },
  // A slice waits for its provider most of the time.
  [syncSourceJob.queue]: { concurrency: 8 },
  [removeSourceJob.queue]: { concurrency: 4 },
  // Slices of two tenants at a time; what is being ingested goes on beside them.
  [buildGenerationJob.queue]: { concurrency: 2 },
  [promoteGenerationJob.queue]: { concurrency: 2 },
  [sealAuditJob.queue]: { concurrency: 1 },
  [applyRetentionJob.queue]: { concurrency: 1 },
  [runErasuresJob.queue]: { concurrency: 1 },
};
/** How long an event may stay unsealed, when nothing is in the way. */
const SEAL_EVERY_MS = 10_000;
/** An erasure begins at most so much later, and is asked again so often while a job of the tenant still runs. */
const ERASE_EVERY_MS = 5_000;
const RETAIN_EVERY_MS = 3_600_000;
const SCHEDULES = [
  { job: sealAuditJob, everyMs: SEAL_EVERY_MS },
  { job: runErasuresJob, everyMs: ERASE_EVERY_MS },
  { job: applyRetentionJob, everyMs: RETAIN_EVERY_MS },
];
const ITEM_JOBS = JOB_CATALOGUE.filter((job) => job.queue in CONCURRENCY);

/** Job handlers, outbox dispatcher and sweeper; the caller owns and closes the dependencies. */
export async function startWorker(dependencies: WorkerDependencies): Promise<RunningWorker> {
  const { database, queue, producer, logger } = dependencies;
  const deadLetters = new RecordDeadLetterService(database, logger);
  const waits = new WaitRecorder(database, logger);
  const strategy = new BullMqStrategy({
    backend: queue,
    queues: CONCURRENCY,
    onDeadLetter: (letter) => deadLetters.record(letter),
    onFailure: (failure) => {
      const { job, attempt, outcome, error } = failure;
      logger.warn({ job, attempt, outcome, code: error.code, error }, 'Job failed');
      void waits.record(failure);
    },
    runInJobContext: ({ requestId, tenantId }, run) =>
      runInRequestContext(createRequestContext(requestId, { tenantId }), run),
  });
  const schedules = new JobSchedules(queue);
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(
    WorkerModule.forRoot({ ...dependencies, schedules, index: new BatchedIndexWriter(dependencies.index) }),
    { strategy, logger: new NestPinoLogger(logger), abortOnError: false },
  );
  app.useGlobalFilters(new RpcErrorFilter());
  await app.get(LiveGenerationsService).announce();
  await app.listen();

  const outbox = new OutboxRepository(database);
  sampleOutbox(
    outbox,
    ITEM_JOBS.map(({ name }) => name),
  );
  sampleAuditSealing(app.get(SealAuditService));
  const dispatcher = new OutboxDispatcher({
    store: outbox,
    producer,
    catalogue: ITEM_JOBS,
    onDeadLetter: (letter) => deadLetters.record(letter),
    onError: (error: AppError) => logger.warn({ code: error.code }, 'Outbox waits'),
  });
  const sweeper = new SweeperService(database, producer, logger);
  const proposer = new RelationProposer(database, logger);
  dispatcher.start();
  sweeper.start();
  proposer.start();
  const patrol = new SourcePatrol(app.get(SourceSweeperService), app.get(SourceSchedulesService), logger);
  patrol.start();
  const keeper = new ScheduleKeeper(schedules, SCHEDULES, logger);
  keeper.start();
  const library = new LibraryEmbedder(database, dependencies.embedders, logger);
  library.start();
  return {
    stop: async () => {
      await Promise.all([
        dispatcher.stop(),
        sweeper.stop(),
        proposer.stop(),
        patrol.stop(),
        library.stop(),
        keeper.stop(),
      ]);
      await app.close();
      await waits.settled();
      await schedules.close();
    },
  };
}
