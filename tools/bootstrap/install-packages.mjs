import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BootstrapError } from './bootstrap.error.mjs';
import { runCommand } from './child-processes.mjs';

const STAMP = 'node_modules/.candor-lock-hash';
const COMMAND = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel', 'error'];

/** What `npm run build` runs; packages for development, which npm leaves out where NODE_ENV or its configuration says production. */
const TOOLS = ['tsc', 'vite'].map((name) => `node_modules/.bin/${name}`);

/**
 * `npm ci` when what is installed isn't what the lock file says, or when the tools of a build that is due are missing.
 *
 * @returns {Promise<boolean>} whether it ran
 */
export async function installPackages(root, onProgress, { needsTools }) {
  const missing = () => (needsTools ? TOOLS.filter((tool) => !existsSync(join(root, tool))) : []);
  const lockFile = readFileSync(join(root, 'package-lock.json'));
  const hash = createHash('sha256').update(lockFile).digest('hex');
  const stamp = join(root, STAMP);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash && missing().length === 0) return false;
  const installing = !isInstalled(root, JSON.parse(lockFile)) || missing().length > 0;
  if (installing) {
    onProgress('installing packages (npm ci; a minute or two)');
    const { code } = await runCommand('npm', COMMAND, { cwd: root });
    if (code !== 0) throw new BootstrapError(`npm ci failed (exit code ${code})`);
    // No stamp for less: the next start would fail in the build, and so would all after it.
    if (missing().length > 0) throw new BootstrapError(`npm ci succeeded, but ${missing().join(' and ')} are missing`);
  }
  writeFileSync(stamp, hash);
  return installing;
}

/**
 * Whether npm's own record of node_modules has every package of the lock file, so that someone who works with
 * `npm install` isn't made to wait for a second installation. Optional packages may be for other platforms.
 */
function isInstalled(root, lock) {
  const record = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(lock.packages).every(([path, { version, optional, link }]) => {
    if (!path.includes('node_modules/') || optional === true) return true;
    const found = installed[path];
    return found !== undefined && (link === true || found.version === version);
  });
}
