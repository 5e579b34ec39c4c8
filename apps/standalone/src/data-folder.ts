import { resolve } from 'node:path';
import { makePrivateFolder } from '@candor/services';

export const DEFAULT_DATA = '.candor';

/**
 * Makes the folder of `CANDOR_DATA`, closed to other users of the machine, and gives its path. One that somebody chose and that
 * is there keeps its mode, since they may have reasons for it; what we put into it is closed all the same.
 */
export async function openDataFolder(chosen: string): Promise<string> {
  const folder = resolve(chosen);
  await makePrivateFolder(folder, { holdsPostgres: true, keepMode: chosen !== DEFAULT_DATA });
  return folder;
}
