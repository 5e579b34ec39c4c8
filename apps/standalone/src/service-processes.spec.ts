import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceProcesses } from './service-processes.js';

const SERVICE = `
process.once('disconnect', () => process.exit(1));
process.channel.unref();
process.on('SIGTERM', () => setTimeout(() => { console.log('drained'); process.exit(0); }, 200));
console.log('serving');
setInterval(() => {}, 1000);`;

describe('ServiceProcesses', () => {
  let folder: string;
  let processes: ServiceProcesses;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'candor-processes-'));
    const entry = join(folder, 'service.mjs');
    await writeFile(entry, SERVICE);
    processes = new ServiceProcesses(
      folder,
      () => undefined,
      { PATH: process.env['PATH'] },
      () => entry,
    );
  });
  afterEach(async () => {
    await processes.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(service: string): Promise<number> {
    processes.start(service, {});
    while (!(await readLog(service)).includes('serving')) await delay(20);
    return processes.pidOf(service) ?? -1;
  }
  const readLog = (service: string): Promise<string> => readFile(join(folder, `${service}.log`), 'utf8');

  it('keeps Ctrl-C in the terminal from the services: each is told when it is its turn', async () => {
    const pid = await start('gateway');
    expect(Number(execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }))).toBe(pid);
    await start('retrieval');
    await processes.stop();
    expect(await readLog('gateway')).toBe('serving\ndrained\n');
    expect(await readLog('retrieval')).toBe('serving\ndrained\n');
  }, 30_000);

  it('begins a log anew that has grown large, for our eyes alone', async () => {
    const log = join(folder, 'gateway.log');
    await writeFile(log, 'long ago\n', { mode: 0o644 });
    await truncate(log, 10_000_001);
    await start('gateway');
    expect(await readLog('gateway')).toBe('serving\n');
    expect((await stat(log)).mode & 0o777).toBe(0o600);
    expect((await stat(`${log}.1`)).size).toBe(10_000_001);
  }, 30_000);
});
