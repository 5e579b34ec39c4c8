/**
 * Puts what the services need into a folder, and nothing else: their builds, those of the libraries they use, and the
 * packages that the lock file doesn't mark as being for development. The Dockerfile copies that folder; the end-to-end tests
 * start the services from one.
 *
 *   node deploy/assemble-image.mjs <folder>
 */
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const SERVICES = ['gateway', 'ingestion-worker', 'retrieval', 'synthesis'].map((name) => `apps/${name}`);
const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** Folders of the services and, through any number of steps, of the workspaces they depend on. */
function findWorkspaces({ packages }) {
  const folderOf = (name) => packages[`node_modules/${name}`]?.resolved;
  const found = new Set();
  const visit = (folder) => {
    if (found.has(folder)) return;
    found.add(folder);
    for (const name of Object.keys(readJson(`${folder}/package.json`).dependencies ?? {}))
      if (packages[`node_modules/${name}`]?.link) visit(folderOf(name));
  };
  for (const service of SERVICES) visit(service);
  return [...found];
}

/** What a running service may read of a workspace: its build, and files beside the sources that aren't sources. */
function copyWorkspace(folder, target) {
  copyFile(`${folder}/package.json`, target);
  copyTree(`${folder}/dist`, target, (name) => !/\.(d\.ts|map|tsbuildinfo)$/.test(name) && !/\.spec\./.test(name));
  if (existsSync(join(root, folder, 'src')))
    copyTree(
      `${folder}/src`,
      target,
      (name, path) => /\.(proto|mjs|json)$/.test(name) && !/\/(testing|conformance)\//.test(path),
    );
}

/** Packages as npm laid them out, without those inside of them: each of these has an entry of its own. */
function copyPackages({ packages }, workspaces, target) {
  for (const [path, entry] of Object.entries(packages)) {
    if (!path.includes('node_modules/') || entry.dev) continue;
    const owner = path.slice(0, path.indexOf('node_modules/')).replace(/\/$/, '');
    if (owner !== '' && !workspaces.includes(owner)) continue;
    if (entry.link) {
      if (workspaces.includes(entry.resolved)) linkFolder(path, entry.resolved, target);
      // Packages for other systems are in the lock file and not on the disk.
    } else if (existsSync(join(root, path))) copyTree(path, target, () => true);
  }
}

function copyTree(path, target, isWanted) {
  for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
    const inner = `${path}/${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') copyTree(inner, target, isWanted);
    } else if (entry.isFile() && isWanted(entry.name, inner)) copyFile(inner, target);
  }
}

/** A hard link where that is possible: the folder is read and never written. */
function copyFile(path, target) {
  const to = join(target, path);
  mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(join(root, path), to);
  } catch {
    copyFileSync(join(root, path), to);
  }
}

function linkFolder(path, resolved, target) {
  const from = join(target, path);
  mkdirSync(dirname(from), { recursive: true });
  symlinkSync(relative(dirname(from), join(target, resolved)), from);
}

/** @param {string} target an empty or absent folder */
export function assembleImage(target) {
  const lock = readJson('package-lock.json');
  const workspaces = findWorkspaces(lock);
  copyFile('package.json', target);
  copyFile('deploy/check-health.mjs', target);
  for (const folder of workspaces) copyWorkspace(folder, target);
  // The gateway serves it; it needs none of its packages any more.
  if (existsSync(join(root, 'apps/console/dist')))
    copyTree('apps/console/dist', target, (name) => !/\.(map|tsbuildinfo)$/.test(name));
  copyPackages(lock, workspaces, target);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const target = process.argv[2];
  if (!target) throw new Error(`usage: node deploy/${basename(process.argv[1])} <folder>`);
  assembleImage(target);
}
