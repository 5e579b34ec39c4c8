import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Where package managers put servers, though PATH may lack it for ordinary users. */
const ALSO = ['/usr/local/sbin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/** The path of the first of `names` that is on PATH or in a usual place. */
export async function findProgram(names: readonly string[]): Promise<string | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''), ...ALSO];
  for (const name of names) {
    for (const folder of folders) {
      const path = join(folder, name);
      try {
        await access(path, constants.X_OK);
        return path;
      } catch {
        // Not here; the next folder.
      }
    }
  }
  return undefined;
}
