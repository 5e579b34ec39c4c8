import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BootstrapError } from './bootstrap.error.mjs';
import { runCommand } from './child-processes.mjs';

const STAMP = 'node_modules/.candor-build-hash';
const SOURCE = /\.(ts|tsx|mts|mjs|json|proto|css|html|svg)$/;
const NOT_SOURCES = new Set(['dist', 'out-tsc', 'node_modules', 'demo']);

/**
 * `npm run build` when a source changed since the last time or `outputs` are missing.
 *
 * @param {string[]} outputs  files that must be there afterwards, relative to the root
 * @returns {Promise<boolean>} whether it built
 */
export async function buildSources(root, outputs, onProgress) {
  if (isBuilt(root, outputs)) return false;
  const hash = hashSources(root);
  onProgress('building');
  const { code, output } = await runCommand('npm', ['run', '--silent', 'build'], { cwd: root, capture: true });
  if (code !== 0) throw new BootstrapError(`the build failed (exit code ${code})\n${output.trim()}`);
  const missing = findMissing(root, outputs);
  if (missing.length > 0) throw new BootstrapError(`the build did not make ${missing.join(', ')}`);
  writeFileSync(join(root, STAMP), hash);
  return true;
}

/** Whether no source changed since the last build and all `outputs` are there. */
export function isBuilt(root, outputs) {
  const stamp = join(root, STAMP);
  return (
    findMissing(root, outputs).length === 0 && existsSync(stamp) && readFileSync(stamp, 'utf8') === hashSources(root)
  );
}

function findMissing(root, outputs) {
  return outputs.filter((output) => !existsSync(join(root, output)));
}

/** Of paths, sizes and modification times: reading a thousand files would cost more than a second start may take. */
function hashSources(root) {
  const hash = createHash('sha256');
  const add = (path) => {
    const { size, mtimeMs } = statSync(join(root, path));
    hash.update(`${path}\0${size}\0${mtimeMs}\n`);
  };
  const visit = (folder) => {
    const entries = readdirSync(join(root, folder), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!NOT_SOURCES.has(entry.name)) visit(path);
      } else if (SOURCE.test(entry.name)) add(path);
    }
  };
  for (const folder of ['apps', 'libs', 'tools/services', 'tools/models']) visit(folder);
  for (const path of ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.base.json']) add(path);
  return hash.digest('hex');
}
