import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { describeManifests, FOLDERS, kustomizationOf, Manifests, namesOf, podOf, root } from './render-manifests.mjs';
import { serviceNeeds } from './service-needs.mjs';

const mebibytesOf = (quantity) => {
  const [, number, unit] = /^(\d+)(Mi|Gi)$/.exec(quantity);
  return Number(number) * (unit === 'Gi' ? 1_024 : 1);
};
/** What a manifest itself sets of a service's variables. */
const literalsOf = (deployments, service) => {
  const { env } = podOf(deployments.find(({ metadata }) => metadata.name === service)).containers[0];
  return Object.fromEntries(env.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value]));
};

const SERVICES = ['gateway', 'ingestion-worker', 'retrieval', 'synthesis'];

describeManifests('the Kubernetes manifests', () => {
  let manifests;
  let variables;
  beforeAll(() => {
    manifests = new Manifests();
    const script = join(root, 'tools/k8s/service-variables.mjs');
    variables = JSON.parse(execFileSync(process.execPath, [script], { encoding: 'utf8' }));
    // A first run compiles two programs.
  }, 600_000);
  afterAll(() => manifests?.remove());

  const ofKind = (path, kind) => manifests.ofKind(path, kind);

  it('are all rendered here, each component by itself or in an overlay', () => {
    const overlays = readdirSync(join(root, 'k8s/overlays')).map((name) => `k8s/overlays/${name}`);
    const components = readdirSync(join(root, 'k8s/components')).map((name) => `k8s/components/${name}`);
    const used = overlays.flatMap((path) =>
      (kustomizationOf(path).components ?? []).map((component) => join(path, component)),
    );
    const missing = [...overlays, ...components].filter((path) => !FOLDERS.includes(path) && !used.includes(path));
    expect(missing).toEqual([]);
  });

  it.each(FOLDERS)('%s conforms to the schemas of the API', (path) => {
    const { stdout, status } = manifests.validate(manifests.rendered[path]);
    expect(stdout).toMatch(/Invalid: 0, Errors: 0, Skipped: 0/);
    expect(status).toBe(0);
  });

  it('are rejected with a misspelt field, a wrong type or an unknown kind', () => {
    const documents = manifests.rendered['k8s/overlays/prod'].split('\n---\n');
    for (const [from, to] of [
      ['readinessProbe:', 'readynessProbe:'],
      ['periodSeconds: 5', 'periodSeconds: often'],
      ['kind: PodDisruptionBudget', 'kind: PodDisruptionBudgets'],
      ['minReplicaCount:', 'minReplicas:'],
      ['dnsNames:', 'dnsName:'],
      ['podSelector:', 'podSelectors:'],
    ]) {
      const bad = documents.find((document) => document.includes(from)).replace(from, to);
      expect([from, manifests.validate(bad).status]).toEqual([from, 1]);
    }
  });

  describe.each(FOLDERS)('%s', (path) => {
    it('has the four services, each with a disruption budget, and the migrations', () => {
      expect(namesOf(ofKind(path, 'Deployment'))).toEqual(SERVICES);
      expect(namesOf(ofKind(path, 'PodDisruptionBudget'))).toEqual(SERVICES);
      expect(namesOf(ofKind(path, 'Job'))).toEqual(['migrations']);
    });

    it('scales by processor what computes, by what waits what takes jobs', () => {
      expect(namesOf(ofKind(path, 'HorizontalPodAutoscaler'))).toEqual(['gateway', 'retrieval']);
      const byQueue = path.endsWith('prod') ? ['ingestion-worker', 'synthesis'] : [];
      expect(namesOf(ofKind(path, 'ScaledObject'))).toEqual(byQueue);
      const autoscaled = [...ofKind(path, 'HorizontalPodAutoscaler'), ...ofKind(path, 'ScaledObject')];
      for (const { spec } of autoscaled) {
        const deployment = ofKind(path, 'Deployment').find(
          ({ metadata }) => metadata.name === spec.scaleTargetRef.name,
        );
        // A number of its own would be set back by each `apply`.
        expect([spec.scaleTargetRef.name, deployment.spec.replicas]).toEqual([spec.scaleTargetRef.name, undefined]);
      }
    });

    it('starts entry points that exist, from a pinned image', () => {
      for (const workload of manifests.workloads(path)) {
        const [{ image, args }] = podOf(workload).containers;
        expect(image).toMatch(/(:(?!latest$)[^:/]+|@sha256:[0-9a-f]{64})$/);
        expect(Object.keys(variables)).toContain(args[0]);
        const source = args[0].replace('/dist/', '/src/').replace(/\.js$/, '.ts');
        expect([source, existsSync(join(root, source))]).toEqual([source, true]);
      }
    });

    it('gives each program all that it requires and nothing that it does not read', () => {
      const configMaps = new Map(ofKind(path, 'ConfigMap').map(({ metadata, data }) => [metadata.name, data]));
      for (const workload of manifests.workloads(path)) {
        const [{ args, env = [], envFrom = [] }] = podOf(workload).containers;
        const shared = envFrom.flatMap(({ configMapRef }) => Object.keys(configMaps.get(configMapRef.name)));
        const given = [...shared, ...env.map(({ name }) => name)];
        expect(given).toEqual([...new Set(given)]);
        const { known, required } = variables[args[0]];
        const read = given.map((name) => (known.includes(name) ? name : name.replace(/_FILE$/, '')));
        const unknown = read.filter((name) => !known.includes(name) && !name.startsWith('OTEL_'));
        const optional = new Set(
          env.filter(({ valueFrom }) => valueFrom?.secretKeyRef.optional).map(({ name }) => name),
        );
        const missing = required.filter((name) => !read.includes(name) || optional.has(name));
        expect([workload.metadata.name, { unknown, missing }]).toEqual([
          workload.metadata.name,
          { unknown: [], missing: [] },
        ]);
      }
    });

    it('sets requests and limits everywhere, and probes for what serves', () => {
      for (const workload of manifests.workloads(path)) {
        const [container] = podOf(workload).containers;
        for (const kind of ['requests', 'limits'])
          expect(Object.keys(container.resources[kind]).sort()).toEqual(['cpu', 'memory']);
        if (workload.kind === 'Job') continue;
        expect(container.livenessProbe.httpGet.path).toBe('/healthz');
        expect(container.startupProbe.httpGet.path).toBe('/healthz');
        expect(container.readinessProbe.httpGet.path).toBe('/readyz');
        const ports = container.ports.map(({ name }) => name);
        for (const probe of ['livenessProbe', 'startupProbe', 'readinessProbe'])
          expect(ports).toContain(container[probe].httpGet.port);
      }
    });

    it('leaves time to drain: the pause, the longest that a service lets run and some to spare', () => {
      const { drainMs } = serviceNeeds(literalsOf(ofKind(path, 'Deployment'), 'gateway'));
      for (const deployment of ofKind(path, 'Deployment')) {
        const pod = podOf(deployment);
        const pause = pod.containers[0].lifecycle?.preStop.sleep.seconds ?? 0;
        const least = drainMs[deployment.metadata.name] / 1_000 + pause + 10;
        expect([deployment.metadata.name, pod.terminationGracePeriodSeconds >= least]).toEqual([
          deployment.metadata.name,
          true,
        ]);
        // Requests come to these two through the endpoints of a service, whose removal takes a moment.
        const isServed = ['gateway', 'retrieval'].includes(deployment.metadata.name);
        expect([deployment.metadata.name, pause >= 5]).toEqual([deployment.metadata.name, isServed]);
        expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
      }
    });

    it('gives the gateway memory for the uploads that it takes at once, beside its own', () => {
      const deployments = ofKind(path, 'Deployment');
      const { uploadMib } = serviceNeeds(literalsOf(deployments, 'gateway'));
      const gateway = deployments.find(({ metadata }) => metadata.name === 'gateway');
      const { requests, limits } = podOf(gateway).containers[0].resources;
      expect(mebibytesOf(limits.memory)).toBeGreaterThanOrEqual(mebibytesOf(requests.memory) + uploadMib);
    });

    it('has selectors and references that meet', () => {
      const workloads = manifests.workloads(path);
      const labels = Object.fromEntries(
        workloads.map(({ metadata, spec }) => [metadata.name, spec.template.metadata.labels]),
      );
      const selectors = [
        ...ofKind(path, 'Service').map(({ metadata, spec }) => [metadata.name, spec.selector]),
        ...ofKind(path, 'PodDisruptionBudget').map(({ metadata, spec }) => [metadata.name, spec.selector.matchLabels]),
        ...ofKind(path, 'Deployment').flatMap(({ metadata, spec }) =>
          podOf({ spec }).topologySpreadConstraints.map(({ labelSelector }) => [
            metadata.name,
            labelSelector.matchLabels,
          ]),
        ),
      ];
      for (const [name, selector] of selectors) expect(labels[name]).toMatchObject(selector);
      const configMaps = namesOf(ofKind(path, 'ConfigMap'));
      for (const workload of workloads) {
        for (const { configMapRef } of podOf(workload).containers[0].envFrom ?? [])
          expect(configMaps).toContain(configMapRef.name);
        // The migrations run before there is one.
        if (workload.kind !== 'Job')
          expect(namesOf(ofKind(path, 'ServiceAccount'))).toContain(podOf(workload).serviceAccountName);
      }
      for (const { spec } of ofKind(path, 'HorizontalPodAutoscaler'))
        expect(Object.keys(labels)).toContain(spec.scaleTargetRef.name);
    });

    it('gives retrieval a headless service, so that gRPC clients see every pod', () => {
      const [retrieval] = ofKind(path, 'Service').filter(({ metadata }) => metadata.name === 'retrieval');
      expect(retrieval.spec.clusterIP).toBe('None');
    });
  });

  it('keep what was enough when the queues can’t be read, by a version of KEDA that the README names', () => {
    const scaled = manifests.ofKind('k8s/overlays/prod', 'ScaledObject');
    for (const { metadata, spec } of scaled) {
      const { behavior, replicas } = spec.fallback;
      expect([metadata.name, behavior, replicas >= spec.minReplicaCount]).toEqual([
        metadata.name,
        'currentReplicasIfHigher',
        true,
      ]);
      for (const { type, metricType, metadata: query } of spec.triggers) {
        // KEDA takes an empty result for 0 unless it is told not to, and falls back with average values alone.
        expect([metadata.name, type, metricType, query.ignoreNullValues]).toEqual([
          metadata.name,
          'prometheus',
          'AverageValue',
          'false',
        ]);
      }
    }
    const [, version] = /^KEDA=v(\d+\.\d+)/m.exec(readFileSync(join(root, 'tools/k8s/install-tools.sh'), 'utf8'));
    expect(readFileSync(join(root, 'k8s/README.md'), 'utf8')).toContain(`KEDA ${version} or newer`);
  });

  it('keep a copy of each index in production', () => {
    const deployments = manifests.ofKind('k8s/overlays/prod', 'Deployment');
    // The only one that makes indices.
    const { ELASTICSEARCH_REPLICAS } = literalsOf(deployments, 'ingestion-worker');
    expect(Number(ELASTICSEARCH_REPLICAS)).toBeGreaterThanOrEqual(1);
  });

  it('need nothing of a cluster that the guide does not tell to have, to label or to make', () => {
    const guide = readFileSync(join(root, 'docs/guides/deploy.md'), 'utf8');
    const install = /\n## Install\n([^]+?)\n## /.exec(guide)[1];
    const commands = /```sh\n([^]+?)```/.exec(install)[1];
    const [before] = install.split('```sh');
    const objects = manifests.objects('k8s/overlays/prod');

    const readme = readFileSync(join(root, 'k8s/README.md'), 'utf8');
    const [, keda] = /(KEDA [\d.]+ or newer)/.exec(readme);
    const needs = { Certificate: 'cert-manager', ScaledObject: keda, HorizontalPodAutoscaler: 'metrics-server' };
    for (const [kind, need] of Object.entries(needs)) {
      const { apiVersion } = objects.find((object) => object.kind === kind);
      expect(before).toContain(need);
      if (kind !== 'HorizontalPodAutoscaler')
        expect(commands).toContain(`${kind.toLowerCase()}s.${apiVersion.split('/')[0]}`);
    }

    const rules = manifests
      .ofKind('k8s/overlays/prod', 'NetworkPolicy')
      .flatMap(({ spec }) => [...(spec.ingress ?? []), ...(spec.egress ?? [])]);
    const selectors = rules.flatMap((rule) => [...(rule.from ?? []), ...(rule.to ?? [])]);
    const asked = selectors.flatMap(({ namespaceSelector }) => Object.keys(namespaceSelector?.matchLabels ?? {}));
    const labels = [...new Set(asked)].filter((label) => label.startsWith('candor/')).sort();
    const set = [...commands.matchAll(/^kubectl label namespace \S+ (.+?)(?: #.*)?$/gm)].flatMap(([, pairs]) =>
      pairs.trim().split(/\s+/),
    );
    expect(set.sort()).toEqual(labels.map((label) => `${label}=true`));

    const references = manifests
      .workloads('k8s/overlays/prod')
      .flatMap((workload) => podOf(workload).containers[0].env)
      .flatMap(({ valueFrom }) => (valueFrom && !valueFrom.secretKeyRef.optional ? [valueFrom.secretKeyRef.key] : []));
    for (const key of new Set(references)) expect(commands).toContain(`--from-literal=${key}=`);
    for (const { spec } of manifests.ofKind('k8s/overlays/prod', 'Ingress'))
      for (const { secretName } of spec.tls) expect(commands).toContain(`secret tls ${secretName} `);
  });

  it('ask for names on OpenShift with the patch that the guide gives', () => {
    const guide = readFileSync(join(root, 'docs/guides/deploy.md'), 'utf8');
    const { patches } = parse(/```yaml\n(patches:\n[^]+?)```/.exec(guide)[1]);
    const text = manifests.renderWith({ resources: ['k8s/base'], patches });
    expect(manifests.validate(text).status).toBe(0);
    const policies = parseAllDocuments(text).map((document) => document.toJS());
    const { egress } = policies.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'dns').spec;
    const [own] = manifests.ofKind('k8s/base', 'NetworkPolicy').filter(({ metadata }) => metadata.name === 'dns');
    expect(egress.slice(0, -1)).toEqual(own.spec.egress);
    expect(egress.at(-1).ports.map(({ protocol, port }) => `${protocol} ${port}`)).toEqual(['UDP 5353', 'TCP 5353']);
    expect(egress.at(-1).to[0].namespaceSelector.matchLabels).toEqual({
      'kubernetes.io/metadata.name': 'openshift-dns',
    });
  });

  it('let end what the guide says, for as long as it says', () => {
    const guide = readFileSync(join(root, 'docs/guides/deploy.md'), 'utf8');
    const { drainMs } = serviceNeeds(literalsOf(manifests.ofKind('k8s/overlays/prod', 'Deployment'), 'gateway'));
    const [, gateway, synthesis, others] =
      /gateway up to (\d+) s, synthesis up to (\d+) s, retrieval and ingestion worker up to (\d+) s/.exec(
        guide.replaceAll(/\s+/g, ' '),
      ) ?? [];
    expect({
      gateway: Number(gateway) * 1_000,
      synthesis: Number(synthesis) * 1_000,
      retrieval: Number(others) * 1_000,
      'ingestion-worker': Number(others) * 1_000,
    }).toEqual(drainMs);
  });

  it('start no other programs by hand, in the guide, than there are', () => {
    const guide = readFileSync(join(root, 'docs/guides/deploy.md'), 'utf8');
    const programs = [...guide.matchAll(/apps\/[\w-]+\/dist\/[\w.-]+\.js/g)].map(([path]) => path);
    expect(programs).toContain('apps/ingestion-worker/dist/rotate-credentials.main.js');
    for (const path of programs) {
      const source = path.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
      expect([source, existsSync(join(root, source))]).toEqual([source, true]);
    }
  });

  it('name only secrets that the README tells to make', () => {
    const readme = readFileSync(join(root, 'k8s/README.md'), 'utf8');
    const keys = manifests
      .workloads('k8s/base')
      .flatMap((workload) => podOf(workload).containers[0].env)
      .flatMap(({ valueFrom }) => (valueFrom ? [valueFrom.secretKeyRef.key] : []));
    for (const key of new Set(keys)) expect(readme).toContain(`\`${key}\``);
  });
});
