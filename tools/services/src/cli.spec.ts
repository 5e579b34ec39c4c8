import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isAlive, waitUntil } from './inspect-process.js';
import { removeServiceData } from './remove-service-data.js';

jest.setTimeout(120_000);

const CLI = fileURLToPath(new URL('./cli.ts', import.meta.url));

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, ['--import', '@swc-node/register/esm-register', CLI, ...args], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
  });
}

describe('the command line', () => {
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'candor-cli-'));
    await chmod(dataDir, 0o755);
  });

  afterEach(() => removeServiceData(dataDir));

  async function startPostgresByCli(): Promise<{ cli: ChildProcessWithoutNullStreams; postmaster: number }> {
    const cli = run(['start', '--dir', dataDir, '--only', 'postgres']);
    const [line] = (await once(createInterface(cli.stdout), 'line')) as [string];
    expect(line).toMatch(/^DATABASE_URL=postgresql:\/\/candor:[^@]+@127\.0\.0\.1:\d+\/candor$/);
    const pidFile = join(dataDir, 'postgres', 'data', 'postmaster.pid');
    return { cli, postmaster: Number((await readFile(pidFile, 'utf8')).split('\n')[0]) };
  }

  it('stays up until SIGTERM and stops in order also when that comes twice', async () => {
    const { cli, postmaster } = await startPostgresByCli();
    const exit = once(cli, 'exit');
    cli.kill('SIGTERM');
    cli.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(isAlive(postmaster)).toBe(false);
    expect(await readFile(join(dataDir, 'postgres', 'postgres.log'), 'utf8')).toMatch(
      /database system is shut down\s*$/,
    );
  });

  it('leaves no server behind when it is killed', async () => {
    const { cli, postmaster } = await startPostgresByCli();
    cli.kill('SIGKILL');
    expect(await waitUntil(() => !isAlive(postmaster), 30_000)).toBe(true);
  });

  it('explains itself, and refuses what it does not know', async () => {
    const help = run(['--help']);
    const [text] = (await once(help.stdout.setEncoding('utf8'), 'data')) as [string];
    expect(text).toContain('cli.js start');
    const wrong = run(['start', '--only', 'mysql']);
    expect(await once(wrong, 'exit')).toEqual([2, null]);
  });
});
