import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { claimFolder } from './claim-folder.js';

jest.setTimeout(120_000);

const FOLDERS = 60;
const STARTS = 4;
const DEAD = JSON.stringify({ pid: 2147483646, started: '1' });

/** Claims each folder at its own moment, so that all processes come to it together; lives on, as its claims do. */
const CLAIM_ALL = `
const { claimFolder } = await import(process.argv[1]);
const input = (await import('node:readline')).createInterface(process.stdin)[Symbol.asyncIterator]();
console.log('loaded');
const { begin, folders } = JSON.parse((await input.next()).value);
const claimed = [];
for (const [index, folder] of folders.entries()) {
  while (Date.now() < begin + index * 20) await new Promise((resolve) => setTimeout(resolve, 1));
  try {
    await claimFolder(folder, 'Redis');
    claimed.push(folder);
  } catch (error) {
    if (!/already run by process/.test(error.message)) throw error;
  }
}
console.log(JSON.stringify(claimed));
await input.next();
process.exit();`;

/** The folders that each of several processes got. */
async function claimTogether(folders: readonly string[]): Promise<string[][]> {
  const source = new URL('./claim-folder.ts', import.meta.url).href;
  const processes = Array.from({ length: STARTS }, () =>
    spawn(
      process.execPath,
      ['--import', '@swc-node/register/esm-register', '--input-type=module', '--eval', CLAIM_ALL, source],
      {
        cwd: fileURLToPath(new URL('..', import.meta.url)),
        env: { PATH: process.env['PATH'] },
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    ),
  );
  const outputs = processes.map(({ stdout }) => createInterface(stdout)[Symbol.asyncIterator]());
  const ends = processes.map((child) => once(child, 'exit'));
  try {
    await Promise.all(outputs.map((output) => output.next()));
    const order = `${JSON.stringify({ begin: Date.now() + 100, folders })}\n`;
    for (const { stdin } of processes) {
      stdin.write(order);
    }
    const lines = await Promise.all(outputs.map((output) => output.next()));
    return lines.map(({ value }) => JSON.parse(String(value)) as string[]);
  } finally {
    for (const { stdin } of processes) {
      stdin.end();
    }
    await Promise.all(ends);
  }
}

describe('claimFolder', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'candor-claim-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it.each(['fresh', 'left by a dead process'])(
    'gives a folder to one of several starts together: %s',
    async (state) => {
      const folders = Array.from({ length: FOLDERS }, (_, index) => join(folder, String(index)));
      for (const path of folders) {
        await mkdir(path);
        if (state !== 'fresh') {
          await writeFile(join(path, 'owner.json'), DEAD);
        }
      }
      const claimed = (await claimTogether(folders)).flat();
      expect(claimed.sort()).toEqual([...folders].sort());
    },
  );

  it('takes over from one who died while taking over', async () => {
    await writeFile(join(folder, 'owner.json'), DEAD);
    await writeFile(join(folder, 'owner.json.removing'), DEAD);
    await expect(claimFolder(folder, 'Redis')).resolves.toBeDefined();
  });

  it('says who has it, gives it back, and leaves nothing else behind', async () => {
    const release = await claimFolder(folder, 'Redis');
    await expect(claimFolder(folder, 'Redis')).rejects.toThrow(`already run by process ${process.pid}`);
    expect(await readdir(folder)).toEqual(['owner.json']);
    await release();
    expect(await readdir(folder)).toEqual([]);
    await (
      await claimFolder(folder, 'Redis')
    )();
  });
});
