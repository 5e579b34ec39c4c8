import { afterEach, expect, it } from '@jest/globals';
import { startRedis, type RunningService } from '@candor/services';
import { runRedisCommand } from '@candor/testkit';
import { OwnServers } from './own-servers.js';

type Starts = NonNullable<Parameters<typeof OwnServers.start>[0]>;

const started: RunningService[] = [];
const startReal: Starts['redis'] = async (options) => {
  const server = await startRedis(options);
  started.push(server);
  return server;
};
/** Redis in each place: it is the quickest of the three, and only that they are servers counts here. */
const allReal: Starts = { postgres: startReal, redis: startReal, elasticsearch: startReal };
const ping = ({ url }: { url: string }): Promise<string> => runRedisCommand(url, 'PING');

afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
});

it('leaves none running when one cannot be started', async () => {
  const fail = (): Promise<never> => Promise.reject(new Error('no such program'));
  await expect(OwnServers.start({ ...allReal, elasticsearch: fail })).rejects.toThrow('no such program');
  expect(started).toHaveLength(2);
  for (const server of started) await expect(ping(server)).rejects.toThrow();
}, 60_000);

it('starts again what was killed, on its port, and nothing else', async () => {
  const servers = await OwnServers.start(allReal);
  try {
    const before = { ...servers.urls };
    await servers.kill('redis');
    await expect(ping({ url: before.REDIS_URL })).rejects.toThrow();
    await servers.startDead();
    expect(servers.urls).toEqual(before);
    expect(await ping({ url: before.REDIS_URL })).toBe('+PONG');
    await servers.startDead();
    expect(started).toHaveLength(4);
  } finally {
    await servers.stop();
  }
}, 60_000);
