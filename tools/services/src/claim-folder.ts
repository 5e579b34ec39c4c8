import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, readProcessStart } from './inspect-process.js';
import { readErrorCode } from './read-error.js';
import { ServiceStartError } from './service-start.error.js';

const OWNER_FILE = 'owner.json';
const POLL_MS = 20;
/** What file systems without hard links answer. */
const WITHOUT_LINKS = ['EPERM', 'ENOTSUP', 'ENOSYS'];

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
    await removeDeadClaim(path);
  }
  return () => rm(path, { force: true });
}

/** The claim is there at once and whole, or not at all: one that others could find half written would be taken for nobody's. */
async function tryClaim(path: string): Promise<boolean> {
  const owner: Owner = { pid: process.pid, started: await readProcessStart(process.pid) };
  const draft = `${path}.${randomUUID()}.tmp`;
  await writeFile(draft, JSON.stringify(owner), { flag: 'wx' });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    const code = readErrorCode(error);
    if (code === 'EEXIST') {
      return false;
    }
    if (code !== undefined && WITHOUT_LINKS.includes(code)) {
      return await claimWithoutLinks(path, owner);
    }
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** For a moment it is there and empty: all that a file system without hard links can do. */
async function claimWithoutLinks(path: string, owner: Owner): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(owner), { flag: 'wx' });
    return true;
  } catch (error) {
    if (readErrorCode(error) === 'EEXIST') {
      return false;
    }
    throw error;
  }
}

/** One at a time: what somebody judged dead a moment ago may be another's living claim when they come to remove it. */
async function removeDeadClaim(path: string): Promise<void> {
  const right = `${path}.removing`;
  if (!(await tryClaim(right))) {
    const holder = await readOwner(right);
    if (holder !== undefined && !(await isSameProcess(holder))) {
      await rm(right, { force: true });
    } else {
      await delay(POLL_MS);
    }
    return;
  }
  try {
    const owner = await readOwner(path);
    if (owner !== undefined && !(await isSameProcess(owner))) {
      await rm(path, { force: true });
    }
  } finally {
    await rm(right, { force: true });
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
    // Not written by us, or by a release that could be cut off while it wrote: such a claim is nobody's.
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
