import { execFile } from 'node:child_process';
import { access, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { findProgram } from '../find-program.js';
import { readErrorCode, readErrorMessage } from '../read-error.js';
import type { OnProgress } from '../running-service.js';
import { ServiceStartError } from '../service-start.error.js';

const run = promisify(execFile);
const POLICY_FILE = '/usr/sbin/policy-rc.d';
const APT_ENVIRONMENT = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
const APT_OPTIONS = ['-o', 'DPkg::Lock::Timeout=300', '-y', '-q'];

/**
 * Installs redis-server with apt-get where we are root and have it; the system's own service is neither started nor enabled.
 *
 * @throws ServiceStartError naming the other ways when this isn't possible.
 */
export async function installRedis(onProgress: OnProgress): Promise<void> {
  const hint = 'install redis-server (Redis 7 or newer) with the package manager, or set REDIS_URL';
  if (process.getuid?.() !== 0 || (await findProgram(['apt-get'])) === undefined) {
    throw new ServiceStartError(`redis-server is not on PATH: ${hint}`);
  }
  onProgress('redis-server is not on PATH: installing it with apt-get (once)');
  const environment = { ...process.env, ...APT_ENVIRONMENT };
  try {
    await run('apt-get', [...APT_OPTIONS, 'update'], { env: environment });
    await withoutServiceStart(() =>
      run('apt-get', [...APT_OPTIONS, 'install', '--no-install-recommends', 'redis-server'], { env: environment }),
    );
  } catch (error) {
    throw new ServiceStartError(
      `apt-get could not install redis-server (${lastLine(readErrorMessage(error))}): ${hint}`,
      { cause: error },
    );
  }
  if (await isSystemdRunning()) {
    await run('systemctl', ['disable', '--now', 'redis-server']);
  }
}

/** Debian asks policy-rc.d before starting a service; an existing policy of the machine's is left alone. */
async function withoutServiceStart(install: () => Promise<unknown>): Promise<void> {
  let isOurs = false;
  try {
    await writeFile(POLICY_FILE, '#!/bin/sh\nexit 101\n', { flag: 'wx', mode: 0o755 });
    isOurs = true;
  } catch (error) {
    if (readErrorCode(error) !== 'EEXIST') {
      throw error;
    }
  }
  try {
    await install();
  } finally {
    if (isOurs) {
      await rm(POLICY_FILE, { force: true });
    }
  }
}

async function isSystemdRunning(): Promise<boolean> {
  try {
    await access('/run/systemd/system');
    return true;
  } catch {
    // The folder exists exactly where systemd is the init system.
    return false;
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
