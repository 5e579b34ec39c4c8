import {
  createTestDatabase,
  RunningProfile,
  runRedisCommand,
  type StartProfileOptions,
  type TcpProxy,
} from '@candor/testkit';
import type { StartedProfile } from './world.js';

const VARIABLES = ['DATABASE_URL', 'REDIS_URL', 'ELASTICSEARCH_URL'] as const;
export type ServiceUrls = Record<(typeof VARIABLES)[number], string>;

/**
 * The services that the environment names; null when it names none, so that the launcher starts its own.
 * Some and not all means that one could not be started: said aloud, and a failure where `CI` is `true`.
 */
export function findServices(environment: NodeJS.ProcessEnv): ServiceUrls | null | 'incomplete' {
  const missing = VARIABLES.filter((name) => !environment[name]);
  if (missing.length === VARIABLES.length) return null;
  if (missing.length === 0)
    return Object.fromEntries(VARIABLES.map((name) => [name, environment[name]])) as ServiceUrls;
  const message = `${missing.join(' and ')} not set: the distributed profile can't be tested.`;
  if (environment['CI'] === 'true') throw new Error(message);
  console.warn(`SKIPPED: ${message}`);
  return 'incomplete';
}

/** The profile on the given servers, in a database and a Redis database of its own; index names hold the tenants' ids. */
export async function startDistributed(
  services: ServiceUrls | null,
  redisDatabase: number,
  options: StartProfileOptions = {},
  proxies: Partial<Record<keyof ServiceUrls, TcpProxy>> = {},
): Promise<StartedProfile> {
  if (!services) return { running: await RunningProfile.start('distributed', options) };
  const database = await createTestDatabase(services.DATABASE_URL, { migrate: false, poolSize: 1 });
  try {
    const redisUrl = withDatabase(services.REDIS_URL, redisDatabase);
    await runRedisCommand(redisUrl, 'FLUSHDB');
    const direct = { ...services, DATABASE_URL: database.url, REDIS_URL: redisUrl };
    const urls = Object.fromEntries(
      VARIABLES.map((name) => [name, proxies[name]?.rewrite(direct[name]) ?? direct[name]]),
    );
    const running = await RunningProfile.start('distributed', { ...options, env: { ...urls, ...options.env } });
    const stores = { databaseUrl: database.url, redisUrl, elasticsearchUrl: services.ELASTICSEARCH_URL };
    return { running, stores, cleanUp: () => database.drop() };
  } catch (error) {
    await database.drop();
    throw error;
  }
}

export function withDatabase(redisUrl: string, number: number): string {
  const url = new URL(redisUrl);
  url.pathname = `/${number}`;
  return url.href;
}
