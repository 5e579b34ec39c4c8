import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { makeSchemas } from './make-schemas.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SERVICES = ['gateway', 'ingestion-worker', 'retrieval', 'synthesis'];
const FOLDERS = ['k8s/base', 'k8s/overlays/dev', 'k8s/overlays/prod'];

const hasGo = spawnSync('go', ['version']).status === 0;
const mustRun = hasGo || process.env.CI === 'true';
if (!mustRun) console.warn('SKIPPED the Kubernetes manifests are not checked: Go is not installed');

(mustRun ? describe : describe.skip)('the Kubernetes manifests', () => {
  let programs;
  let schemas;
  const rendered = {};

  beforeAll(() => {
    const [folder, swagger] = execFileSync(join(root, 'tools/k8s/install-tools.sh'), { encoding: 'utf8' }).split('\n');
    programs = folder;
    schemas = mkdtempSync(join(tmpdir(), 'candor-schemas-'));
    makeSchemas(swagger, schemas);
    for (const path of FOLDERS) {
      rendered[path] = execFileSync(join(programs, 'kustomize'), ['build', join(root, path)], { encoding: 'utf8' });
    }
    // A first run compiles two programs.
  }, 600_000);
  afterAll(() => {
    if (schemas) rmSync(schemas, { recursive: true });
  });

  const validate = (text) =>
    spawnSync(
      join(programs, 'kubeconform'),
      ['-strict', '-summary', '-schema-location', `${schemas}/{{.ResourceKind}}{{.KindSuffix}}.json`],
      { input: text, encoding: 'utf8' },
    );
  const objects = (path) => parseAllDocuments(rendered[path]).map((document) => document.toJS());
  const ofKind = (path, kind) => objects(path).filter((object) => object.kind === kind);
  const names = (found) => found.map(({ metadata }) => metadata.name).sort();
  const podOf = (deployment) => deployment.spec.template.spec;

  it.each(FOLDERS)('%s conforms to the schemas of the API', (path) => {
    const { stdout, status } = validate(rendered[path]);
    expect(stdout).toMatch(/Invalid: 0, Errors: 0, Skipped: 0/);
    expect(status).toBe(0);
  });

  it('are rejected with a misspelt field, a wrong type or an unknown kind', () => {
    const good = rendered['k8s/base'];
    for (const [from, to] of [
      ['readinessProbe:', 'readynessProbe:'],
      ['periodSeconds: 5', 'periodSeconds: often'],
      ['kind: PodDisruptionBudget', 'kind: PodDisruptionBudgets'],
    ]) {
      const bad = good.replace(from, to);
      expect(bad).not.toBe(good);
      expect(validate(bad).status).not.toBe(0);
    }
  });

  describe.each(FOLDERS)('%s', (path) => {
    it('has the four services, each with a disruption budget', () => {
      expect(names(ofKind(path, 'Deployment'))).toEqual(SERVICES);
      expect(names(ofKind(path, 'PodDisruptionBudget'))).toEqual(SERVICES);
      expect(names(ofKind(path, 'HorizontalPodAutoscaler'))).toEqual(['gateway', 'retrieval']);
    });

    it('starts entry points that exist, from a pinned image', () => {
      for (const deployment of ofKind(path, 'Deployment')) {
        const [{ image, args }] = podOf(deployment).containers;
        expect(image).toMatch(/(:(?!latest$)[^:/]+|@sha256:[0-9a-f]{64})$/);
        expect(args).toEqual([`apps/${deployment.metadata.name}/dist/main.js`]);
        const source = args[0].replace('/dist/', '/src/').replace(/\.js$/, '.ts');
        expect([source, existsSync(join(root, source))]).toEqual([source, true]);
      }
    });

    it('sets probes, requests and limits', () => {
      for (const deployment of ofKind(path, 'Deployment')) {
        const [container] = podOf(deployment).containers;
        expect(container.livenessProbe.httpGet.path).toBe('/healthz');
        expect(container.startupProbe.httpGet.path).toBe('/healthz');
        expect(container.readinessProbe.httpGet.path).toBe('/readyz');
        const ports = container.ports.map(({ name }) => name);
        for (const probe of ['livenessProbe', 'startupProbe', 'readinessProbe']) {
          expect(ports).toContain(container[probe].httpGet.port);
        }
        for (const kind of ['requests', 'limits']) {
          expect(Object.keys(container.resources[kind]).sort()).toEqual(['cpu', 'memory']);
        }
      }
    });

    it('runs without root, privileges, a writable disk or a token of the cluster', () => {
      for (const deployment of ofKind(path, 'Deployment')) {
        const pod = podOf(deployment);
        expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
        expect(pod.automountServiceAccountToken).toBe(false);
        expect(pod.containers[0].securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(pod.containers[0].volumeMounts).toEqual([{ name: 'tmp', mountPath: '/tmp' }]);
      }
    });

    it('leaves time to drain: the pause and 25 s fit into the grace period', () => {
      for (const deployment of ofKind(path, 'Deployment')) {
        expect(podOf(deployment).terminationGracePeriodSeconds).toBeGreaterThanOrEqual(35);
      }
    });

    it('holds no secret, and takes each by reference from one', () => {
      expect(ofKind(path, 'Secret')).toEqual([]);
      for (const deployment of ofKind(path, 'Deployment')) {
        for (const { name, value, valueFrom } of podOf(deployment).containers[0].env) {
          if (/(KEY|PASSWORD|DATABASE_URL|REDIS_URL)$/.test(name)) expect([name, value]).toEqual([name, undefined]);
          if (valueFrom) expect(valueFrom.secretKeyRef.name).toBe('candor');
        }
      }
    });

    it('has selectors and references that meet', () => {
      const labels = Object.fromEntries(
        ofKind(path, 'Deployment').map(({ metadata, spec }) => [metadata.name, spec.template.metadata.labels]),
      );
      const selectors = [
        ...ofKind(path, 'Service').map(({ metadata, spec }) => [metadata.name, spec.selector]),
        ...ofKind(path, 'PodDisruptionBudget').map(({ metadata, spec }) => [metadata.name, spec.selector.matchLabels]),
      ];
      for (const [name, selector] of selectors) expect(labels[name]).toMatchObject(selector);
      const configMaps = names(ofKind(path, 'ConfigMap'));
      for (const deployment of ofKind(path, 'Deployment')) {
        expect(configMaps).toContain(podOf(deployment).containers[0].envFrom[0].configMapRef.name);
        expect(names(ofKind(path, 'ServiceAccount'))).toContain(podOf(deployment).serviceAccountName);
      }
      for (const { spec } of ofKind(path, 'HorizontalPodAutoscaler')) {
        expect(Object.keys(labels)).toContain(spec.scaleTargetRef.name);
      }
    });

    it('gives retrieval a headless service, so that gRPC clients see every pod', () => {
      const [retrieval] = ofKind(path, 'Service').filter(({ metadata }) => metadata.name === 'retrieval');
      expect(retrieval.spec.clusterIP).toBe('None');
    });
  });

  it('name only secrets that the README tells to make', () => {
    const readme = readFileSync(join(root, 'k8s/README.md'), 'utf8');
    const keys = objects('k8s/base')
      .filter(({ kind }) => kind === 'Deployment')
      .flatMap((deployment) => podOf(deployment).containers[0].env)
      .flatMap(({ valueFrom }) => (valueFrom ? [valueFrom.secretKeyRef.key] : []));
    for (const key of new Set(keys)) expect(readme).toContain(`\`${key}\``);
  });
});
