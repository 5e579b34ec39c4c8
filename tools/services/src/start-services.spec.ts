import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { chmod, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './find-free-port.js';
import { isAlive } from './inspect-process.js';
import { removeServiceData } from './remove-service-data.js';
import { startServices } from './start-services.js';
import { waitForTcp } from './wait-for-tcp.js';

jest.setTimeout(120_000);

describe('startServices', () => {
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'candor-services-'));
    await chmod(dataDir, 0o755);
  });

  afterEach(() => removeServiceData(dataDir));

  it('starts what is asked for and uses given addresses as they are', async () => {
    const env = { REDIS_URL: 'redis://redis.example.invalid:6379' };
    const services = await startServices({ only: ['postgres', 'redis'], dataDir, env });
    try {
      expect(services.urls).toEqual({ REDIS_URL: env.REDIS_URL, DATABASE_URL: expect.stringMatching(/^postgresql:/) });
      expect(Object.keys(services.started)).toEqual(['postgres']);
      await waitForTcp({ port: Number(new URL(services.urls.DATABASE_URL ?? '').port) });
    } finally {
      await services.stop();
    }
    expect(isAlive(services.started.postgres?.pid ?? 0)).toBe(false);
  });

  it('makes a folder for all that PostgreSQL gets through, whichever comes first', async () => {
    const folder = join(dataDir, 'made');
    const services = await startServices({ only: ['redis', 'postgres'], dataDir: folder, env: {} });
    await services.stop();
    expect((await stat(folder)).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
    expect((await readdir(join(folder, 'postgres'))).sort()).toContain('data');
  });

  it('stops the others when one fails', async () => {
    // A file where the folder of Redis should be.
    await writeFile(join(dataDir, 'redis'), '');
    await expect(startServices({ only: ['postgres', 'redis'], dataDir, env: {} })).rejects.toThrow();
    // The folder's claim was given back, so a new start is free to use it.
    const again = await startServices({ only: ['postgres'], dataDir, env: {} });
    await again.stop();
  });
});

describe('waitForTcp', () => {
  it('rejects with the address when nothing listens', async () => {
    const port = await freePort();
    await expect(waitForTcp({ port, timeoutMs: 200 })).rejects.toThrow(`127.0.0.1:${port}`);
  });
});
