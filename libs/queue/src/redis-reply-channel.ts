import { Redis } from 'ioredis';
import { waitAtMost } from './bounded-wait.js';
import { connectRedisFailFast, redisConsumerOptions } from './queue-backend.js';
import { unavailable } from './queue-unavailable.js';
import type { ReplyChannel, ReplyErrorListener, ReplyHandler, Unsubscribe } from './reply-channel.js';
import { ReplySubscriptions } from './reply-subscriptions.js';

const READY_TIMEOUT_MS = 1_400;

/** Redis pub/sub: one connection to publish, one to listen, which takes its subscriptions up again after a break. */
export class RedisReplyChannel implements ReplyChannel {
  private readonly publisher: Redis;
  private readonly subscriber: Redis;
  private readonly subscriptions: ReplySubscriptions;
  private closed = false;

  constructor(url: string, onError: ReplyErrorListener) {
    this.subscriptions = new ReplySubscriptions(onError);
    this.publisher = connectRedisFailFast(url);
    // No offline queue: a SUBSCRIBE that we gave up must not be sent later.
    this.subscriber = new Redis(url, { ...redisConsumerOptions(), enableOfflineQueue: false });
    // Without a listener a lost connection would end the process; each call reports it to its caller.
    this.publisher.on('error', () => undefined);
    this.subscriber.on('error', () => undefined);
    this.subscriber.on('message', (channel: string, text: string) => this.subscriptions.deliver(channel, text));
  }

  async publish(channel: string, message: unknown): Promise<void> {
    await this.attempt(this.publisher, (redis) => redis.publish(channel, JSON.stringify(message)));
  }

  async subscribe(channel: string, handler: ReplyHandler): Promise<Unsubscribe> {
    const remove = this.subscriptions.add(channel, handler);
    try {
      // Also when somebody listens already: its SUBSCRIBE may still be under way.
      await this.attempt(this.subscriber, (redis) => redis.subscribe(channel));
    } catch (error) {
      remove();
      throw error;
    }
    return async () => {
      remove();
      if (this.closed || this.subscriptions.has(channel)) return;
      await this.attempt(this.subscriber, (redis) => redis.unsubscribe(channel));
    };
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.subscriptions.clear();
    this.publisher.disconnect();
    this.subscriber.disconnect();
  }

  private async attempt(redis: Redis, command: (redis: Redis) => Promise<unknown>): Promise<void> {
    try {
      if (this.closed) throw new Error('The channel is closed.');
      const done = whenReady(redis).then(() => command(redis));
      await waitAtMost(done, READY_TIMEOUT_MS, () => new Error('Redis did not answer in time.'));
    } catch (error) {
      throw unavailable(error);
    }
  }
}

/** Rejects with the connection's next failure, so a closed port is reported at once. */
async function whenReady(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: Error): void => {
      redis.off('ready', onReady);
      redis.off('close', onClose);
      if (error) reject(error);
      else resolve();
    };
    const onReady = (): void => settle();
    const onClose = (): void => settle(new Error('The connection to Redis was lost.'));
    redis.once('ready', onReady);
    redis.once('close', onClose);
  });
}
