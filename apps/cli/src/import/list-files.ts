import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { glob } from 'tinyglobby';
import type { ImportEntry } from './import-entry.js';

/** A file, the files of a folder with all folders in it, or those that a pattern matches; hidden ones and symbolic links are left out. */
export async function* listFiles(target: string, prefix: string): AsyncGenerator<ImportEntry> {
  const found = await stat(target).catch(() => null);
  if (found?.isFile()) {
    yield { ...describe(target, basename(target), prefix), modifiedAt: found.mtime, size: found.size };
    return;
  }
  const root = found ? resolve(target) : process.cwd();
  const paths = found ? await listFolder(root) : await glob(target, { cwd: root, absolute: true, onlyFiles: true });
  if (paths.length === 0) {
    yield { kind: 'problem', name: target, message: 'There is no such file or folder, and no file matches.' };
    return;
  }
  for (const path of paths.sort()) {
    const entry = found ? await lstat(path) : await stat(path);
    if (entry.isSymbolicLink()) {
      yield { kind: 'problem', name: path, message: 'It is a symbolic link; name its target to import it.' };
      continue;
    }
    const { mtime, size } = entry;
    yield { ...describe(path, relative(root, path).split(sep).join('/'), prefix), modifiedAt: mtime, size };
  }
}

/** Files and symbolic links; these may lead out of the folder that was meant, so nothing goes through them. */
async function listFolder(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter(
      (path) =>
        !relative(root, path)
          .split(sep)
          .some((part) => part.startsWith('.')),
    );
}

function describe(
  path: string,
  name: string,
  prefix: string,
): { kind: 'file'; name: string; path: string; externalId: string } {
  return { kind: 'file', name, path, externalId: `${prefix}${name}` };
}
