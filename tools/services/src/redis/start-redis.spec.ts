import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../inspect-process.js';
import type { RunningService } from '../running-service.js';
import { startRedis } from './start-redis.js';

jest.setTimeout(300_000);

async function withClient<Result>(service: RunningService, work: (client: Redis) => Promise<Result>): Promise<Result> {
  const client = new Redis(service.url);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

describe('startRedis', () => {
  let dataDir: string;
  let started: RunningService[];

  const start = async (port = 0): Promise<RunningService> => {
    const service = await startRedis({ dataDir, port });
    started.push(service);
    return service;
  };

  beforeEach(async () => {
    started = [];
    dataDir = await mkdtemp(join(tmpdir(), 'candor-redis-'));
  });

  afterEach(async () => {
    await Promise.all(started.map((service) => service.stop()));
    await rm(dataDir, { recursive: true, force: true });
  });

  it('never evicts, keeps an append-only file, and has its data after a restart', async () => {
    const first = await start();
    await withClient(first, async (client) => {
      expect(await client.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
      expect(await client.config('GET', 'appendonly')).toEqual(['appendonly', 'yes']);
      expect(await client.config('GET', 'bind')).toEqual(['bind', '127.0.0.1']);
      await client.set('note', 'kept');
    });
    await first.stop();
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);

    const second = await start(Number(new URL(first.url).port));
    expect(second.url).toBe(first.url);
    expect(await withClient(second, (client) => client.get('note'))).toBe('kept');
  });

  it('starts again after kill -9 with what was synced', async () => {
    const first = await start();
    await withClient(first, async (client) => {
      await client.set('note', 'kept');
      await client.config('SET', 'appendfsync', 'always');
      await client.set('note', 'synced');
    });
    await first.kill9();
    expect(isAlive(first.pid)).toBe(false);
    expect(await withClient(await start(), (client) => client.get('note'))).toBe('synced');
  });

  it('stops the orphan of a killed run and takes its data over', async () => {
    const first = await start();
    await withClient(first, (client) => client.set('note', 'kept'));
    await writeFile(join(dataDir, 'owner.json'), JSON.stringify({ pid: 2147483646, started: '1' }));
    const second = await start();
    expect(isAlive(first.pid)).toBe(false);
    expect(await withClient(second, (client) => client.get('note'))).toBe('kept');
  });

  it('keeps its folder from other users of the machine', async () => {
    await chmod(dataDir, 0o755);
    await start();
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dataDir, 'redis.log'))).mode & 0o777).toBe(0o600);
  });

  it('says so when the port is taken', async () => {
    const first = await start();
    const other = await mkdtemp(join(tmpdir(), 'candor-redis-'));
    try {
      const attempt = startRedis({ dataDir: other, port: Number(new URL(first.url).port) });
      await expect(attempt).rejects.toMatchObject({ name: 'PortTakenError' });
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  });
});
