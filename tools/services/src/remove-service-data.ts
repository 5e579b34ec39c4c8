import { realpath, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { nameOutsideLocation } from './postgres/choose-location.js';
import { readErrorCode } from './read-error.js';

/**
 * Deletes a folder that {@link startPostgres} or {@link startServices} used, with the database that may lie outside of it
 * (see `postgres-location`). Its services must be stopped.
 */
export async function removeServiceData(dataDir: string): Promise<void> {
  let real: string;
  try {
    real = await realpath(resolve(dataDir));
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') {
      return;
    }
    throw error;
  }
  if (real === dirname(real)) {
    throw new Error(`refusing to delete ${real}`);
  }
  for (const folder of [real, join(real, 'postgres')]) {
    await rm(nameOutsideLocation(folder), { recursive: true, force: true });
  }
  await rm(real, { recursive: true, force: true });
}
