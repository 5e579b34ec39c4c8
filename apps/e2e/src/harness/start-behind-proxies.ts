import { mkdtemp, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeServiceData, startServices } from '@candor/services';
import { TcpProxy, type StartProfileOptions } from '@candor/testkit';
import { startDistributed, withDatabase, type ServiceUrls } from './start-distributed.js';
import { openWorld, type World } from './world.js';

export interface FaultyWorld extends World {
  postgres: TcpProxy;
  redis: TcpProxy;
  elasticsearch: TcpProxy;
  /** Past the proxy. */
  redisUrl: string;
  /** Ends everything; gives what the profile left running. */
  stop(): Promise<string[]>;
}

/** The distributed profile with a proxy in front of each server, so that each can fail without the others' tests noticing. */
export async function startBehindProxies(
  given: ServiceUrls | null,
  redisDatabase: number,
  options: StartProfileOptions = {},
): Promise<FaultyWorld> {
  const { urls, stopServices } = await findOrStartServices(given);
  const [postgres, redis, elasticsearch] = await Promise.all([
    TcpProxy.before(urls.DATABASE_URL),
    TcpProxy.before(urls.REDIS_URL),
    TcpProxy.before(urls.ELASTICSEARCH_URL),
  ]);
  const started = await startDistributed(urls, redisDatabase, options, {
    DATABASE_URL: postgres,
    REDIS_URL: redis,
    ELASTICSEARCH_URL: elasticsearch,
  });
  return {
    ...(await openWorld(started.running, started.stores)),
    postgres,
    redis,
    elasticsearch,
    redisUrl: withDatabase(urls.REDIS_URL, redisDatabase),
    stop: async () => {
      const { leftovers } = await started.running.stop();
      await Promise.all([postgres.stop(), redis.stop(), elasticsearch.stop()]);
      await started.cleanUp?.();
      await stopServices();
      return leftovers.map(({ command }) => command);
    },
  };
}

async function findOrStartServices(
  given: ServiceUrls | null,
): Promise<{ urls: ServiceUrls; stopServices: () => Promise<void> }> {
  if (given) return { urls: given, stopServices: () => Promise.resolve() };
  const dataDir = await mkdtemp(join(tmpdir(), 'candor-fault-services-'));
  await chmod(dataDir, 0o755);
  const services = await startServices({ dataDir, env: {} });
  return {
    urls: services.urls as ServiceUrls,
    stopServices: async () => {
      await services.stop();
      await removeServiceData(dataDir);
    },
  };
}
