import type { Redis } from 'ioredis';
import { settlesWithin, waitAtMost } from './bounded-wait.js';
import {
  connectRedisFailFast,
  migrateQueueBackend,
  openQueue,
  PRODUCER_TIMEOUT_MS,
  type JobQueue,
  type QueueBackendOptions,
} from './queue-backend.js';
import { unavailable } from './queue-unavailable.js';

const CALL_TIMEOUT_MS = PRODUCER_TIMEOUT_MS + 400;

/**
 * The queues of one backend, opened when they are asked for. A call rejects with `DEPENDENCY.QUEUE_UNAVAILABLE` within
 * about 1.5 s while the backend is down or silent, and works again by itself when it is back.
 */
export class QueueConnection {
  private readonly redis: Redis | undefined;
  private readonly queues = new Map<string, JobQueue>();
  private migrated: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly backend: QueueBackendOptions) {
    this.redis = backend.kind === 'redis' ? connectRedisFailFast(backend.url) : undefined;
    // Without a listener a lost connection would end the process; each call reports it to its caller.
    this.redis?.on('error', () => undefined);
  }

  async call<T>(queueName: string, work: (queue: JobQueue) => Promise<T>): Promise<T> {
    if (this.closed) throw unavailable(new Error('The connection to the queues is closed.'));
    const expires = Date.now() + CALL_TIMEOUT_MS;
    try {
      const queue = await waitAtMost(this.readyQueue(queueName), CALL_TIMEOUT_MS, timedOut);
      // Only a ready queue gets the command: one that waits for a connection would run it after we gave up.
      return await waitAtMost(work(queue), Math.max(1, expires - Date.now()), timedOut);
    } catch (error) {
      throw unavailable(error);
    }
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    const closing = [...this.queues.values()].map((queue) => queue.close());
    await settlesWithin(Promise.allSettled(closing), CALL_TIMEOUT_MS);
    this.redis?.disconnect();
  }

  private async readyQueue(name: string): Promise<JobQueue> {
    if (this.backend.kind === 'postgres') await this.migrate();
    let queue = this.queues.get(name);
    if (!queue) {
      queue = openQueue(this.backend, name, this.redis);
      queue.on('error', () => undefined);
      this.queues.set(name, queue);
    }
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      // BullMQ remembers a failed start for ever; the next call starts afresh.
      if (this.queues.get(name) === queue) this.queues.delete(name);
      queue.close().catch(() => undefined);
      throw error;
    }
  }

  private migrate(): Promise<void> {
    this.migrated ??= migrateQueueBackend(this.backend).catch((error: unknown) => {
      this.migrated = undefined;
      throw error;
    });
    return this.migrated;
  }
}

function timedOut(): Error {
  return new Error('The queue did not answer in time.');
}
