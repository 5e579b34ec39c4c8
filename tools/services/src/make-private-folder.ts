import { chmod, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readErrorCode } from './read-error.js';

export interface PrivateFolderOptions {
  /** PostgreSQL's data is below: as root we run it as another user, who has to pass, though not to look. */
  readonly holdsPostgres?: boolean;
  /** Leave the mode of a folder that is there as it is: somebody else chose it. */
  readonly keepMode?: boolean;
}

/** Makes a folder that other users of the machine can't look into, and tightens one that is there; those above are made as usual. */
export async function makePrivateFolder(path: string, options: PrivateFolderOptions = {}): Promise<void> {
  const allowed = options.holdsPostgres === true && process.getuid?.() === 0 ? 0o711 : 0o700;
  await mkdir(dirname(path), { recursive: true });
  try {
    await mkdir(path, { mode: allowed });
  } catch (error) {
    if (readErrorCode(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) {
      throw error;
    }
    if (options.keepMode !== true) {
      await tighten(path, allowed);
    }
  }
}

/** Takes away, and never gives: a folder that is closed further stays so. */
async function tighten(path: string, allowed: number): Promise<void> {
  const mode = (await stat(path)).mode & 0o777;
  if ((mode & ~allowed) === 0) {
    return;
  }
  try {
    await chmod(path, mode & allowed);
  } catch (error) {
    // Another user's, who let us in: theirs to close.
    if (readErrorCode(error) !== 'EPERM') {
      throw error;
    }
  }
}
