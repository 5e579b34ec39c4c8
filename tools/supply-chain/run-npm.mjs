import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = 'node_modules/';
const DEVELOPMENT = 'cdx:npm:package:development';

/** npm over the lock file, so that what is installed here has no say. */
export function runNpm(...args) {
  return spawnSync('npm', [...args, '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 60_000,
  });
}

/** `name@version` of all that the lock file installs where nothing is developed. */
export function listShipped() {
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));
  return Object.entries(packages)
    .filter(([path, entry]) => path.includes('node_modules/') && !entry.dev && !entry.link)
    .map(([path, entry]) => `${entry.name ?? path.slice(path.lastIndexOf(FOLDER) + FOLDER.length)}@${entry.version}`);
}

/**
 * A CycloneDX bill of materials of everything that is shipped. npm's `--omit=dev` is of no use here: it drops whatever a
 * development dependency needs as well, so all is listed and the lock file decides.
 */
export function makeBill() {
  const { stdout, stderr, status } = runNpm('sbom', '--sbom-format=cyclonedx', '--sbom-type=application');
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  const bill = JSON.parse(stdout);
  const shipped = new Set(listShipped());
  const components = bill.components
    .filter((component) => isOwn(component) || shipped.has(`${component.name}@${component.version}`))
    // Of two copies it describes the first, which may be the one for development.
    .map(({ properties = [], ...rest }) => ({
      ...rest,
      properties: properties.filter(({ name }) => name !== DEVELOPMENT),
    }));
  const references = new Set([bill.metadata.component, ...components].map((component) => component['bom-ref']));
  const dependencies = bill.dependencies
    .filter(({ ref }) => references.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => references.has(other)) }));
  return { ...bill, components, dependencies };
}

export function isOwn({ properties = [] }) {
  return properties.some(({ name }) => name === 'cdx:npm:package:private');
}
