import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, waitUntil } from './inspect-process.js';
import { superviseProcess } from './supervise-process.js';
import type { SupervisedProcess, SuperviseOptions } from './supervise-process.js';

jest.setTimeout(60_000);

describe('superviseProcess', () => {
  let folder: string;

  const run = (script: string, options: Partial<SuperviseOptions> = {}): Promise<SupervisedProcess> =>
    superviseProcess({
      command: process.execPath,
      args: ['-e', script],
      cwd: folder,
      env: {},
      logFile: join(folder, 'log'),
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 10_000,
      ...options,
    });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'candor-supervise-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('stops politely, and only once for several calls', async () => {
    const server = await run(`
      process.on('SIGTERM', () => { console.log('asked'); setTimeout(() => process.exit(), 200); });
      console.log('up'); setInterval(() => {}, 1000);`);
    await waitUntil(async () => (await readFile(join(folder, 'log'), 'utf8')).includes('up'), 10_000);
    await Promise.all([server.stop(), server.stop()]);
    await server.exited;
    expect(server.hasExited()).toBe(true);
    expect(await readFile(join(folder, 'log'), 'utf8')).toBe('up\nasked\n');
  });

  it('kills what does not stop in time', async () => {
    const server = await run(`process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000);`, {
      stopTimeoutMs: 300,
    });
    await waitUntil(async () => (await readFile(join(folder, 'log'), 'utf8')).includes('up'), 10_000);
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
  });

  it('rejects when the program does not exist', async () => {
    await expect(run('', { command: join(folder, 'absent') })).rejects.toMatchObject({ name: 'ServiceStartError' });
  });
});
