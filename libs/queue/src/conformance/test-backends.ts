import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { QueueBackendOptions } from '../queue-backend.js';

export interface TestBackend {
  name: 'redis' | 'postgres';
  /** Undefined when its server wasn't given by the environment. */
  options: QueueBackendOptions | undefined;
}

/** A name space of its own for each run, so that runs share servers and not jobs. */
export function testBackends(): TestBackend[] {
  const run = `queue_test_${randomUUID().slice(0, 8)}`;
  const redisUrl = process.env['REDIS_URL'];
  const postgresUrl = process.env['DATABASE_URL'];
  return [
    { name: 'redis', options: redisUrl ? { kind: 'redis', url: redisUrl, prefix: run } : undefined },
    { name: 'postgres', options: postgresUrl ? { kind: 'postgres', url: postgresUrl, schema: run } : undefined },
  ];
}

/** A missing server is a loud skip for a person, a failure in CI. Returns whether to skip. */
export function isMissing(backend: TestBackend): boolean {
  return isMissingService(
    backend.name,
    backend.name === 'redis' ? 'REDIS_URL' : 'DATABASE_URL',
    backend.options !== undefined,
  );
}

export function isMissingService(name: string, variable: string, given: boolean): boolean {
  if (given) return false;
  const message = `${name}: set ${variable} to run these tests`;
  if (process.env['CI'] === 'true') throw new Error(message);
  console.warn(`SKIPPED ${message}`);
  return true;
}

/** Leaves the given servers as they were. */
export async function removeTestData({ options }: TestBackend): Promise<void> {
  if (options?.kind === 'postgres') {
    const client = new pg.Client({ connectionString: options.url });
    await client.connect();
    await client.query(`DROP SCHEMA IF EXISTS "${options.schema}" CASCADE`);
    await client.end();
  } else if (options?.kind === 'redis') {
    const redis = new Redis(options.url);
    const found = redis.scanStream({ match: `${options.prefix}:*`, count: 1_000 }) as AsyncIterable<string[]>;
    for await (const keys of found) {
      if (keys.length > 0) await redis.unlink(keys);
    }
    redis.disconnect();
  }
}
