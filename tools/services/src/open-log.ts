import { closeSync, fchmodSync, fstatSync, openSync, renameSync, statSync } from 'node:fs';
import { readErrorCode } from './read-error.js';

const LIMIT_BYTES = 10_000_000;

/**
 * Opens a log to append to, for our eyes alone. One that has grown large is kept as `<path>.1`, in place of the one before,
 * and begun anew: so a log is bounded by what one run writes.
 */
export function openLog(path: string): number {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LIMIT_BYTES) {
    renameSync(path, `${path}.1`);
    // Earlier releases let others read it.
    const former = openSync(`${path}.1`, 'r');
    closeToOthers(former);
    closeSync(former);
  }
  const log = openSync(path, 'a', 0o600);
  closeToOthers(log);
  return log;
}

function closeToOthers(file: number): void {
  const mode = fstatSync(file).mode & 0o777;
  if ((mode & 0o077) === 0) {
    return;
  }
  try {
    fchmodSync(file, mode & 0o700);
  } catch (error) {
    // Another user's, who lets us write.
    if (readErrorCode(error) !== 'EPERM') {
      throw error;
    }
  }
}
