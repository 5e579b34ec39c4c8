import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { findProgram } from '../find-program.js';
import { readErrorCode, readErrorMessage } from '../read-error.js';
import type { OnProgress } from '../running-service.js';
import { ServiceStartError } from '../service-start.error.js';

const run = promisify(execFile);
const POLICY_FILE = '/usr/sbin/policy-rc.d';
const APT_ENVIRONMENT = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
const APT_OPTIONS = ['-o', 'DPkg::Lock::Timeout=300', '-y', '-q'];

/** One after the other: the one that ends first would take the policy away under the others. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Installs a package with apt-get where we are root and have it; none of its services is started.
 *
 * @param hint  what somebody can do who isn't
 * @throws ServiceStartError naming the other ways when this isn't possible.
 */
export function installWithApt(name: string, hint: string, onProgress: OnProgress): Promise<void> {
  const installed = last.then(() => install(name, hint, onProgress));
  last = installed.catch(() => undefined);
  return installed;
}

async function install(name: string, hint: string, onProgress: OnProgress): Promise<void> {
  if (process.getuid?.() !== 0 || (await findProgram(['apt-get'])) === undefined) {
    throw new ServiceStartError(`${name} is not on PATH: ${hint}`);
  }
  onProgress(`${name} is not on PATH: installing it with apt-get (once)`);
  const environment = { ...process.env, ...APT_ENVIRONMENT };
  try {
    await run('apt-get', [...APT_OPTIONS, 'update'], { env: environment });
    await withoutServiceStart(() =>
      run('apt-get', [...APT_OPTIONS, 'install', '--no-install-recommends', name], { env: environment }),
    );
  } catch (error) {
    throw new ServiceStartError(`apt-get could not install ${name} (${lastLine(readErrorMessage(error))}): ${hint}`, {
      cause: error,
    });
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

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
