import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from '../find-program.js';
import { readErrorMessage } from '../read-error.js';
import type { OnProgress } from '../running-service.js';
import { ServiceStartError } from '../service-start.error.js';

const run = promisify(execFile);
/** Beside `src` and `dist` alike. */
const REQUIREMENTS = fileURLToPath(new URL('../../backlot/requirements.txt', import.meta.url));
const PYTHONS = ['python3.13', 'python3.12', 'python3.11', 'python3'];
const CHECK = 'import sys, venv, ensurepip; sys.exit(0 if sys.version_info >= (3, 11) else 1)';

/**
 * A Python with the pinned emulator in it, made on the first use and kept in the cache (`~/.cache/candor/backlot`).
 *
 * @throws ServiceStartError saying what is missing.
 */
export async function installBacklot(onProgress: OnProgress): Promise<string> {
  const requirements = await readFile(REQUIREMENTS, 'utf8');
  const python = await findPython();
  const key = createHash('sha256').update(requirements).update(python.version).digest('hex').slice(0, 16);
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'candor', 'backlot');
  const home = join(cache, key);
  const installed = join(home, 'bin', 'python');
  if (existsSync(installed)) return installed;
  onProgress('assembling the emulator of the providers in a Python environment (once)');
  await mkdir(cache, { recursive: true });
  const half = `${home}.${process.pid}.tmp`;
  try {
    await run(python.path, ['-m', 'venv', half]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check', '--no-deps'];
    await run(join(half, 'bin', 'python'), [...pip, '-r', REQUIREMENTS], { maxBuffer: 16_000_000 });
    await rename(half, home);
  } catch (error) {
    await rm(half, { recursive: true, force: true });
    // Another process may have been faster.
    if (!existsSync(installed)) {
      throw new ServiceStartError(`the emulator of the providers could not be installed: ${readErrorMessage(error)}`, {
        cause: error,
      });
    }
  }
  return installed;
}

async function findPython(): Promise<{ path: string; version: string }> {
  for (const name of PYTHONS) {
    const path = await findProgram([name]);
    if (path === undefined) continue;
    try {
      await run(path, ['-c', CHECK]);
      const { stdout } = await run(path, ['--version']);
      return { path, version: stdout.trim() };
    } catch {
      // Too old, or without venv; the next one.
    }
  }
  throw new ServiceStartError('the emulator of the providers needs Python 3.11 or newer with venv on PATH');
}
