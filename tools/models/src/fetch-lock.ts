import { open, readFile, rm, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { readErrorCode } from './read-error.js';

const STALE_AFTER_MS = 15 * 60_000;
const POLL_MS = 200;

/**
 * Runs `work` while holding a lock file, so that callers at the same time download once.
 * It only saves work: what makes concurrent callers safe is that each unpacks into a folder of its own and renames it.
 */
export async function withFetchLock<Result>(
  path: string,
  onWait: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  let waited = false;
  while (!(await tryLock(path))) {
    if (await isStale(path)) {
      await rm(path, { force: true });
      continue;
    }
    if (!waited) {
      waited = true;
      onWait();
    }
    await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function tryLock(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    try {
      await file.write(String(process.pid));
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

async function isStale(path: string): Promise<boolean> {
  try {
    const [holder, { mtimeMs }] = [Number(await readFile(path, 'utf8')), await stat(path)];
    // An empty file is a lock whose holder has not written its id yet.
    return Date.now() - mtimeMs > STALE_AFTER_MS || (holder > 0 && !isAlive(holder));
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') {
      return false;
    }
    throw error;
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return readErrorCode(error) !== 'ESRCH';
  }
}
