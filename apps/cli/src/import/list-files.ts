import { stat } from 'node:fs/promises';
import { basename, relative, resolve, sep } from 'node:path';
import { glob } from 'tinyglobby';
import type { ImportEntry } from './import-entry.js';

/** A file, the files of a folder with all folders in it, or those that a pattern matches; hidden ones are left out. */
export async function* listFiles(target: string, prefix: string): AsyncGenerator<ImportEntry> {
  const found = await stat(target).catch(() => null);
  if (found?.isFile()) {
    yield { ...describe(target, basename(target), prefix), modifiedAt: found.mtime, size: found.size };
    return;
  }
  const root = found ? resolve(target) : process.cwd();
  const paths = await glob(found ? '**/*' : target, { cwd: root, absolute: true, dot: false, onlyFiles: true });
  if (paths.length === 0) {
    yield { kind: 'problem', name: target, message: 'There is no such file or folder, and no file matches.' };
    return;
  }
  for (const path of paths.sort()) {
    const { mtime, size } = await stat(path);
    yield { ...describe(path, relative(root, path).split(sep).join('/'), prefix), modifiedAt: mtime, size };
  }
}

function describe(
  path: string,
  name: string,
  prefix: string,
): { kind: 'file'; name: string; path: string; externalId: string } {
  return { kind: 'file', name, path, externalId: `${prefix}${name}` };
}
