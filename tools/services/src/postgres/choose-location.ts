import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readErrorCode } from '../read-error.js';
import { ServiceStartError } from '../service-start.error.js';
import type { Account } from '../supervise-process.js';
import { isReachable } from './is-reachable.js';

const LOCATION_FILE = 'postgres-location';

/** Where data and binaries go when root's PostgreSQL user can't enter the asked folder (as below a 0700 home). */
export const SYSTEM_FOLDER = '/var/lib/candor';

export function nameOutsideLocation(dataDir: string): string {
  return join(SYSTEM_FOLDER, createHash('sha256').update(dataDir).digest('hex').slice(0, 12));
}

/**
 * The folder that holds `data`: `dataDir` itself, or one below /var/lib/candor, named in `dataDir/postgres-location`.
 *
 * @throws ServiceStartError when that file names another place: the folder was moved or copied, and starting would silently begin an empty database.
 */
export async function chooseLocation(dataDir: string, account: Account | undefined): Promise<string> {
  const outside = nameOutsideLocation(dataDir);
  const recorded = await readRecordedLocation(dataDir);
  if (recorded !== undefined && recorded !== outside) {
    throw new ServiceStartError(
      `the database of ${dataDir} lies in ${recorded}, from when the folder had another path. ` +
        `Move it with: mv ${recorded} ${outside} && echo ${outside} > ${join(dataDir, LOCATION_FILE)} – or remove ${join(dataDir, LOCATION_FILE)} to begin with an empty one`,
    );
  }
  if (recorded !== undefined && account === undefined) {
    throw new ServiceStartError(
      `the database of ${dataDir} lies in ${recorded} and was made by root; start as root or use another folder`,
    );
  }
  if (account === undefined || (recorded === undefined && (await isReachable(dataDir, account)))) {
    return dataDir;
  }
  for (const folder of [SYSTEM_FOLDER, outside]) {
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755);
  }
  await writeFile(join(dataDir, LOCATION_FILE), `${outside}\n`);
  return outside;
}

async function readRecordedLocation(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, LOCATION_FILE), 'utf8')).trim();
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
