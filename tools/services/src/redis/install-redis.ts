import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import { installWithApt } from '../apt/install-with-apt.js';
import type { OnProgress } from '../running-service.js';

const run = promisify(execFile);
const HINT = 'install redis-server (Redis 7 or newer) with the package manager, or set REDIS_URL';

/**
 * Installs redis-server with apt-get where we are root and have it; the system's own service is neither started nor enabled.
 *
 * @throws ServiceStartError naming the other ways when this isn't possible.
 */
export async function installRedis(onProgress: OnProgress): Promise<void> {
  await installWithApt('redis-server', HINT, onProgress);
  if (await isSystemdRunning()) {
    await run('systemctl', ['disable', '--now', 'redis-server']);
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
