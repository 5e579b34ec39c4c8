import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** A folder with the files of the container image, outside of the repository, so that nothing else is found by accident. */
export function makeImage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'candor-image-'));
  execFileSync(process.execPath, [join(ROOT, 'deploy/assemble-image.mjs'), folder], { stdio: 'pipe' });
  return folder;
}

export function removeImage(folder: string): void {
  rmSync(folder, { recursive: true });
}
