import type { Redis } from 'ioredis';
import { connectRedisFailFast } from './queue-backend.js';

/** A Redis connection for counters that must never hold a request up: without Redis its commands fail at once. */
export function openRateLimitStore(url: string): Redis {
  const redis = connectRedisFailFast(url);
  // Without a listener a lost connection would end the process; the limiter counts in memory meanwhile.
  redis.on('error', () => undefined);
  return redis;
}
