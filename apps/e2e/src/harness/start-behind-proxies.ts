import { TcpProxy, type StartProfileOptions } from '@candor/testkit';
import { OwnServers } from './own-servers.js';
import { startDistributed, withDatabase, type ServiceUrls } from './start-distributed.js';
import { openWorld, type World } from './world.js';

/** The distributed profile with a proxy in front of each server, so that each can fail without the others' tests noticing. */
export interface FaultyWorld extends World {
  postgres: TcpProxy;
  redis: TcpProxy;
  elasticsearch: TcpProxy;
  /** Past the proxy. */
  redisUrl: string;
  /** Ends everything; gives what the profile left running. */
  stop(): Promise<string[]>;
}

/** One whose servers are nobody else's: they can be killed. */
export interface MortalWorld extends FaultyWorld {
  servers: OwnServers;
}

/** On the given servers, or on servers of its own when there are none. */
export async function startBehindProxies(
  given: ServiceUrls | null,
  redisDatabase: number,
  options: StartProfileOptions = {},
): Promise<FaultyWorld> {
  if (!given) return startOnOwnServers(options);
  const [postgres, redis, elasticsearch] = await Promise.all([
    TcpProxy.before(given.DATABASE_URL),
    TcpProxy.before(given.REDIS_URL),
    TcpProxy.before(given.ELASTICSEARCH_URL),
  ]);
  const started = await startDistributed(given, redisDatabase, options, {
    DATABASE_URL: postgres,
    REDIS_URL: redis,
    ELASTICSEARCH_URL: elasticsearch,
  });
  return {
    ...(await openWorld(started.running, started.stores)),
    postgres,
    redis,
    elasticsearch,
    redisUrl: withDatabase(given.REDIS_URL, redisDatabase),
    stop: async () => {
      const { leftovers } = await started.running.stop();
      await Promise.all([postgres.stop(), redis.stop(), elasticsearch.stop()]);
      await started.cleanUp?.();
      return leftovers.map(({ command }) => command);
    },
  };
}

export async function startOnOwnServers(options: StartProfileOptions = {}): Promise<MortalWorld> {
  const servers = await OwnServers.start();
  try {
    const world = await startBehindProxies(servers.urls, 0, options);
    const stop = async (): Promise<string[]> => {
      const leftovers = await world.stop();
      await servers.stop();
      return leftovers;
    };
    return { ...world, servers, stop };
  } catch (error) {
    await servers.stop();
    throw error;
  }
}
