export { BullMqStrategy } from './bullmq.strategy.js';
export { isOneShot, type CatalogueJob } from './catalogue-job.js';
export type { FailureOutcome } from './decide-failure.js';
export { InProcessReplyChannel } from './in-process-reply-channel.js';
export { JobContext, type JobContextFields } from './job-context.js';
export { BULLMQ_TRANSPORT, JobHandler } from './job-handler.decorator.js';
export type { AddOptions } from './job-options.js';
export { JobProducer, type QueueCounts } from './job-producer.js';
export { JobSchedules, type JobSchedule } from './job-schedules.js';
export {
  OutboxDispatcher,
  type ClaimOptions,
  type OutboxDispatcherOptions,
  type OutboxRow,
  type OutboxStore,
} from './outbox-dispatcher.js';
export { migrateQueueBackend, type QueueBackendOptions } from './queue-backend.js';
export { RedisReplyChannel } from './redis-reply-channel.js';
export { sampleQueues } from './sample-queues.js';
export type { ReplyChannel, ReplyErrorListener, ReplyHandler, Unsubscribe } from './reply-channel.js';
export { RpcErrorFilter } from './rpc-error.filter.js';
export type { BullMqStrategyOptions, DeadLetter, JobFailure } from './strategy-options.js';
export { openRateLimitStore } from './rate-limit-store.js';
