import {
  createPostgresBackend,
  createRedisBackend,
  Queue,
  Worker,
  type ConnectionOptions,
  type IQueueBackend,
  type JobProgress,
  type PostgresConnectionOptions,
  type PostgresPoolConfig,
  type Processor,
  type QueueBaseOptions,
} from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { backoffStrategy } from './job-options.js';
import { unavailable } from './queue-unavailable.js';

/** Where the jobs live. `url` is a secret: it is never logged. */
export type QueueBackendOptions =
  | {
      kind: 'redis';
      url: string;
      /** Key prefix of every queue; default `candor`. */
      prefix?: string;
    }
  | {
      kind: 'postgres';
      url: string;
      /** Schema of BullMQ's own tables; default `bullmq`. */
      schema?: string;
    };

export interface WorkerSettings {
  concurrency: number;
  /** How often a job may be run again after its worker disappeared; 0 = never. */
  maxStalledCount: number;
  /** A job whose worker doesn't renew its lock for so long counts as stalled, ms. */
  lockDurationMs: number;
  stalledIntervalMs: number;
}

type BackendConnection = ConnectionOptions | PostgresConnectionOptions;
export type JobQueue = Queue<unknown, unknown, string, unknown, unknown, string, IQueueBackend, BackendConnection>;
export type JobWorker = Worker<unknown, void, string, IQueueBackend, JobProgress, BackendConnection>;

/** Longest wait of a producer for a connection or a command, ms. A request must not hang on a queue that is down. */
export const PRODUCER_TIMEOUT_MS = 1_000;
const RECONNECT_MAX_MS = 1_000;
/** Postgres connections of one queue's worker, besides the one that listens. */
const WORKER_CONNECTIONS_MAX = 10;

function reconnectDelay(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 10), RECONNECT_MAX_MS);
}

/** Commands fail at once without a connection, and those in flight fail when it breaks; it reconnects by itself. */
export function connectRedisFailFast(url: string): Redis {
  return new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: PRODUCER_TIMEOUT_MS,
    commandTimeout: PRODUCER_TIMEOUT_MS,
    retryStrategy: reconnectDelay,
  });
}

/** Commands wait for the connection: a consumer has nothing better to do. */
export function redisConsumerOptions(): RedisOptions {
  return { maxRetriesPerRequest: null, connectTimeout: 5_000, retryStrategy: reconnectDelay };
}

/** The producers' own way to the backend; `redis` is the shared fail-fast connection (Redis only). */
export function openQueue(backend: QueueBackendOptions, name: string, redis: Redis | undefined): JobQueue {
  const connection: BackendConnection =
    backend.kind === 'postgres'
      ? postgresConnection(backend, {
          max: 4,
          connectionTimeoutMillis: PRODUCER_TIMEOUT_MS,
          query_timeout: PRODUCER_TIMEOUT_MS,
          statement_timeout: PRODUCER_TIMEOUT_MS,
        })
      : redisOrThrow(redis);
  return new Queue(name, { connection, ...prefixOf(backend) }, createBackend(backend));
}

export function openWorker(
  backend: QueueBackendOptions,
  name: string,
  process: Processor<unknown, void, string>,
  settings: WorkerSettings,
): JobWorker {
  const connection: BackendConnection =
    backend.kind === 'postgres'
      ? postgresConnection(backend, {
          // Each job ends with a commit of its own; with fewer connections than jobs they queue up before it.
          max: Math.min(settings.concurrency + 1, WORKER_CONNECTIONS_MAX),
          connectionTimeoutMillis: 5_000,
        })
      : { url: backend.url, ...redisConsumerOptions() };
  return new Worker<unknown, void, string, IQueueBackend, JobProgress, BackendConnection>(
    name,
    process,
    {
      connection,
      ...prefixOf(backend),
      concurrency: settings.concurrency,
      maxStalledCount: settings.maxStalledCount,
      lockDuration: settings.lockDurationMs,
      stalledInterval: settings.stalledIntervalMs,
      // On Postgres nobody announces that another worker's delayed job is due: an idle worker looks itself.
      drainDelay: backend.kind === 'postgres' ? 1 : 5,
      runRetryDelay: 1_000,
      settings: { backoffStrategy },
    },
    createBackend(backend),
  );
}

/**
 * Creates or upgrades BullMQ's tables (Postgres; under its advisory lock), or does nothing (Redis).
 * Kept apart from the queues so that their short statement timeouts don't cut a migration.
 *
 * @throws AppError DEPENDENCY.QUEUE_UNAVAILABLE
 */
export async function migrateQueueBackend(backend: QueueBackendOptions): Promise<void> {
  if (backend.kind !== 'postgres') return;
  const connection = postgresConnection(backend, { max: 1, connectionTimeoutMillis: 5_000, migrate: true });
  const queue: JobQueue = new Queue('migration', { connection, skipMetasUpdate: true }, createBackend(backend));
  // The failure reaches the caller through waitUntilReady.
  queue.on('error', () => undefined);
  try {
    await queue.waitUntilReady();
  } catch (error) {
    throw unavailable(error);
  } finally {
    await queue.close();
  }
}

function createBackend(
  backend: QueueBackendOptions,
): (
  name: string,
  options: QueueBaseOptions<BackendConnection>,
  factoryOptions?: { blocking?: boolean; withBlockingConnection?: boolean },
) => IQueueBackend {
  // Each connection was made for this kind of backend above, which the types cannot see.
  return backend.kind === 'postgres'
    ? (name, options, factoryOptions) =>
        createPostgresBackend(name, options as QueueBaseOptions<PostgresConnectionOptions>, factoryOptions)
    : (name, options, factoryOptions) =>
        createRedisBackend(name, options as QueueBaseOptions<ConnectionOptions>, factoryOptions);
}

function postgresConnection(
  backend: Extract<QueueBackendOptions, { kind: 'postgres' }>,
  pool: PostgresPoolConfig,
): PostgresPoolConfig {
  return { connectionString: backend.url, schema: backend.schema ?? 'bullmq', keepAlive: true, ...pool };
}

function prefixOf(backend: QueueBackendOptions): { prefix?: string } {
  return backend.kind === 'redis' ? { prefix: backend.prefix ?? 'candor' } : {};
}

function redisOrThrow(redis: Redis | undefined): Redis {
  if (!redis) throw new Error('A Redis queue needs the shared connection.');
  return redis;
}
