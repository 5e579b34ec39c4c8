import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../inspect-process.js';
import type { RunningBacklot } from './start-backlot.js';
import { installBacklot } from './install-backlot.js';
import { startBacklot } from './start-backlot.js';

jest.setTimeout(300_000);

let obstacle: string | undefined;
try {
  await installBacklot(() => undefined);
} catch (error) {
  obstacle = error instanceof Error ? error.message : String(error);
}
const isMissing = obstacle !== undefined && /needs Python/.test(obstacle);
const mayBeSkipped = isMissing && (process.env['CI'] ?? '') === '';
if (mayBeSkipped) {
  console.warn(`The emulator of the providers is not tested: ${obstacle}`);
}

(mayBeSkipped ? describe.skip : describe)('startBacklot', () => {
  let dataDir: string;
  let started: RunningBacklot[];

  beforeEach(async () => {
    started = [];
    dataDir = await mkdtemp(join(tmpdir(), 'candor-backlot-'));
  });

  afterEach(async () => {
    await Promise.all(started.map((service) => service.stop()));
    await rm(dataDir, { recursive: true, force: true });
  });

  it('serves its corpus to the accounts it names, and stops for good', async () => {
    const service = await startBacklot({ dataDir });
    started.push(service);
    const headers = { authorization: `Bearer ${service.accounts.adminToken}` };
    const response = await fetch(`${service.url}/slack/api/conversations.list`, { headers });
    expect(await response.json()).toMatchObject({ ok: true, channels: expect.any(Array) });
    expect(service.accounts.users.length).toBeGreaterThan(2);
    await expect(startBacklot({ dataDir })).rejects.toThrow(/already run by process/);

    await service.stop();
    expect(isAlive(service.pid)).toBe(false);
    await expect(fetch(service.url)).rejects.toThrow();
  });

  it('says what is wrong with a corpus', async () => {
    await expect(startBacklot({ dataDir, corpus: join(dataDir, 'absent.jsonl') })).rejects.toThrow(/took no corpus/);
  });
});
