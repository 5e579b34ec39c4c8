import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, readProcessStart } from './inspect-process.js';
import { readErrorCode } from './read-error.js';
import { ServiceStartError } from './service-start.error.js';

const OWNER_FILE = 'owner.json';

interface Owner {
  readonly pid: number;
  readonly started: string;
}

/**
 * Makes this process the only one that runs a server in `folder`, until the returned function is called.
 * A claim whose process died is taken over.
 *
 * @throws ServiceStartError when a living process (this one included) holds it.
 */
export async function claimFolder(folder: string, server: string): Promise<() => Promise<void>> {
  const path = join(folder, OWNER_FILE);
  while (!(await tryClaim(path))) {
    const owner = await readOwner(path);
    if (owner === undefined) {
      continue;
    }
    if (await isSameProcess(owner)) {
      throw new ServiceStartError(
        `${server} in ${folder} is already run by process ${owner.pid}; stop that first or use another folder`,
      );
    }
    await rm(path, { force: true });
  }
  return () => rm(path, { force: true });
}

async function tryClaim(path: string): Promise<boolean> {
  const owner: Owner = { pid: process.pid, started: await readProcessStart(process.pid) };
  try {
    const file = await open(path, 'wx');
    try {
      await file.write(JSON.stringify(owner));
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (readErrorCode(error) === 'EEXIST') {
      return false;
    }
    throw error;
  }
}

async function readOwner(path: string): Promise<Owner | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && 'pid' in parsed && 'started' in parsed) {
      return { pid: Number(parsed.pid), started: String(parsed.started) };
    }
  } catch {
    // Cut off by a crash while it was written: such a claim is nobody's.
  }
  return { pid: 0, started: '' };
}

async function isSameProcess(owner: Owner): Promise<boolean> {
  if (owner.pid <= 0 || !isAlive(owner.pid)) {
    return false;
  }
  const started = await readProcessStart(owner.pid);
  return started === '' || owner.started === '' || started === owner.started;
}
