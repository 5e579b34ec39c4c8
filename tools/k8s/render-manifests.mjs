import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { makeExtensionSchemas, makeSchemas } from './make-schemas.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** The component is in no overlay, as not everyone needs it: it is rendered on top of the base. */
export const FOLDERS = ['k8s/base', 'k8s/overlays/dev', 'k8s/overlays/prod', 'k8s/components/public-endpoints'];

const hasGo = spawnSync('go', ['version']).status === 0;
const mustRun = hasGo || process.env.CI === 'true';
/** A person without Go is told what isn't checked; in CI it fails. */
export const describeManifests = mustRun ? describe : describe.skip;
if (!mustRun) console.warn('SKIPPED the Kubernetes manifests are not checked: Go is not installed');

/** What kustomize makes of the folders, and kubeconform with the schemas of the API and of the extensions used. */
export class Manifests {
  rendered = {};

  constructor() {
    const lines = execFileSync(join(root, 'tools/k8s/install-tools.sh'), { encoding: 'utf8' }).split('\n');
    const [programs, swagger, keda, certManager] = lines;
    this.programs = programs;
    this.schemas = mkdtempSync(join(tmpdir(), 'candor-schemas-'));
    makeSchemas(swagger, this.schemas);
    makeExtensionSchemas(keda, ['ScaledObject'], this.schemas);
    makeExtensionSchemas(certManager, ['Issuer', 'Certificate'], this.schemas);
    for (const path of FOLDERS)
      this.rendered[path] = isComponent(path) ? this.renderOnBase(path) : this.render(join(root, path));
  }

  render(folder) {
    return execFileSync(join(this.programs, 'kustomize'), ['build', folder], { encoding: 'utf8' });
  }

  renderOnBase(component) {
    return this.renderWith({ resources: ['k8s/base'], components: [component] });
  }

  /** An overlay of its own; folders are named from the root. */
  renderWith({ resources, components = [], ...rest }) {
    const folder = mkdtempSync(join(tmpdir(), 'candor-overlay-'));
    // kustomize takes no absolute paths.
    const from = (path) => relative(folder, join(root, path));
    const kustomization = { resources: resources.map(from), components: components.map(from), ...rest };
    writeFileSync(join(folder, 'kustomization.yaml'), stringify(kustomization));
    try {
      return this.render(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  validate(text) {
    const location = `${this.schemas}/{{.ResourceKind}}{{.KindSuffix}}.json`;
    const options = ['-strict', '-summary', '-schema-location', location];
    return spawnSync(join(this.programs, 'kubeconform'), options, { input: text, encoding: 'utf8' });
  }

  objects(path) {
    return parseAllDocuments(this.rendered[path]).map((document) => document.toJS());
  }

  ofKind(path, kind) {
    return this.objects(path).filter((object) => object.kind === kind);
  }

  /** Deployments and Jobs: whatever starts pods. */
  workloads(path) {
    return this.objects(path).filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
  }

  remove() {
    rmSync(this.schemas, { recursive: true });
  }
}

function isComponent(path) {
  return kustomizationOf(path).kind === 'Component';
}

/** What a folder's kustomization.yaml says. */
export function kustomizationOf(path) {
  return parse(readFileSync(join(root, path, 'kustomization.yaml'), 'utf8'));
}

export const namesOf = (found) => found.map(({ metadata }) => metadata.name).sort();
export const podOf = (workload) => workload.spec.template.spec;
