import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeManifests, FOLDERS, Manifests, namesOf, podOf, root } from './render-manifests.mjs';

/** Who may open a connection to whom, and on which port; nothing else may. `world` = public addresses. */
const CONNECTIONS = [
  ['ingress', 'gateway', 3000],
  ['gateway', 'retrieval', 50051],
  ['gateway', 'postgres', 5432],
  ['gateway', 'redis', 6379],
  ['synthesis', 'retrieval', 50051],
  ['synthesis', 'redis', 6379],
  ['retrieval', 'postgres', 5432],
  ['retrieval', 'elasticsearch', 9200],
  ['ingestion-worker', 'postgres', 5432],
  ['ingestion-worker', 'redis', 6379],
  ['ingestion-worker', 'elasticsearch', 9200],
  ['ingestion-worker', 'world', 443],
  ['migrations', 'postgres', 5432],
];
/** Beside them, for models at public addresses. */
const MODEL_CONNECTIONS = [
  ['synthesis', 'world', 443],
  ['retrieval', 'world', 443],
];
/** Who is given which key. */
const KEYS = {
  CANDOR_SIGNING_KEY: ['gateway', 'retrieval'],
  CANDOR_SIGNING_KEYS_ACCEPTED: ['gateway', 'retrieval'],
  CANDOR_ENCRYPTION_KEYS: ['gateway', 'ingestion-worker'],
  CANDOR_AUDIT_KEYS: ['ingestion-worker'],
  CANDOR_BOOTSTRAP_KEY: ['gateway'],
};
const SERVICES = ['gateway', 'ingestion-worker', 'retrieval', 'synthesis'];
const PODS = [...SERVICES, 'migrations'];
const NAME = 'app.kubernetes.io/name';

/** The pods that a selector takes, of ours. */
function selected({ matchLabels = {}, matchExpressions = [] }) {
  return PODS.filter(
    (pod) =>
      (matchLabels[NAME] ?? pod) === pod &&
      matchExpressions.every(({ key, operator, values }) => key === NAME && operator === 'In' && values.includes(pod)),
  );
}

/** Where the cache of names on a node listens, of Kubernetes' own installation and of the providers'. */
const NODE_LOCAL_DNS = '169.254.20.10/32';

/** A peer of a rule by the names used in `CONNECTIONS`. */
function peers({ podSelector, namespaceSelector, ipBlock }) {
  if (ipBlock?.cidr === NODE_LOCAL_DNS) return ['dns on the node'];
  if (ipBlock) return [ipBlock.cidr === '0.0.0.0/0' ? 'world' : ipBlock.cidr];
  if (!namespaceSelector) return selected(podSelector);
  const [[label, value], ...more] = Object.entries(namespaceSelector.matchLabels);
  if (label === 'kubernetes.io/metadata.name' && value === 'kube-system') return ['dns'];
  // A key for each kind of server, so that one namespace can have several.
  if (value !== 'true' || more.length > 0) return [`${label}=${value}`];
  return [label.replace('candor/', '')];
}

/** Pairs of one direction as `from to port`. */
function allowed(policies, direction) {
  const key = direction === 'ingress' ? 'from' : 'to';
  return new Set(
    policies.flatMap(({ spec }) =>
      (spec[direction] ?? []).flatMap((rule) =>
        selected(spec.podSelector).flatMap((pod) =>
          rule[key]
            .flatMap(peers)
            .flatMap((peer) =>
              rule.ports.map(({ port }) =>
                direction === 'ingress' ? `${peer} ${pod} ${port}` : `${pod} ${peer} ${port}`,
              ),
            ),
        ),
      ),
    ),
  );
}

describeManifests('the security of the Kubernetes manifests', () => {
  let manifests;
  beforeAll(() => {
    manifests = new Manifests();
  }, 600_000);
  afterAll(() => manifests?.remove());

  describe.each(FOLDERS)('%s', (path) => {
    it('runs without root, privileges, a writable disk or a token of the cluster', () => {
      for (const workload of manifests.workloads(path)) {
        const pod = podOf(workload);
        expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
        expect(pod.securityContext.runAsUser).toBeGreaterThan(0);
        expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
        expect(pod.hostNetwork ?? pod.hostPID ?? pod.hostIPC ?? false).toBe(false);
        expect(pod.containers).toHaveLength(1);
        expect(pod.containers[0].securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        const writable = pod.containers[0].volumeMounts.filter(({ readOnly }) => !readOnly);
        expect(writable).toEqual([{ name: 'tmp', mountPath: '/tmp' }]);
        for (const volume of pod.volumes) expect(volume.hostPath).toBeUndefined();
        expect(pod.volumes.find(({ name }) => name === 'tmp').emptyDir.sizeLimit).toBeDefined();
      }
    });

    it('holds no secret, and takes each by reference from one', () => {
      expect(manifests.ofKind(path, 'Secret')).toEqual([]);
      for (const workload of manifests.workloads(path)) {
        for (const { name, value, valueFrom } of podOf(workload).containers[0].env) {
          if (/(KEY|KEYS|KEYS_ACCEPTED|PASSWORD|DATABASE_URL|REDIS_URL|ELASTICSEARCH_URL)$/.test(name))
            expect([name, value]).toEqual([name, undefined]);
          if (valueFrom) expect(valueFrom.secretKeyRef.name).toBe('candor');
        }
      }
      const literals = manifests.ofKind(path, 'ConfigMap').flatMap(({ data }) => Object.keys(data));
      expect(literals.filter((name) => /KEY|PASSWORD|TOKEN|SECRET|_URL$/.test(name))).toEqual([]);
    });

    it('gives each key to whoever uses it alone', () => {
      for (const [key, holders] of Object.entries(KEYS)) {
        const given = manifests
          .workloads(path)
          .filter((workload) => podOf(workload).containers[0].env.some(({ name }) => name === key));
        expect([key, namesOf(given)]).toEqual([key, holders]);
      }
    });

    it('denies all traffic, then allows exactly the connections that are needed, on both ends', () => {
      const policies = manifests.ofKind(path, 'NetworkPolicy');
      const everything = policies.find(({ metadata }) => metadata.name === 'default-deny').spec;
      expect(everything.policyTypes).toEqual(['Ingress', 'Egress']);
      expect(everything.ingress ?? everything.egress ?? []).toEqual([]);
      // Without a label of its own in the selector it holds for all of ours.
      expect(selected(everything.podSelector)).toEqual(PODS);
      for (const workload of manifests.workloads(path))
        expect(workload.spec.template.metadata.labels).toMatchObject(everything.podSelector.matchLabels);

      const connections = path.endsWith('public-endpoints') ? [...CONNECTIONS, ...MODEL_CONNECTIONS] : CONNECTIONS;
      const scrapes = SERVICES.flatMap((service) => [`scraper ${service} 3000`, `scraper ${service} 3001`]);
      const inward = connections.filter(([, to]) => PODS.includes(to)).map((parts) => parts.join(' '));
      expect([...allowed(policies, 'ingress')].sort()).toEqual([...inward, ...scrapes].sort());
      const ambient = [
        ...PODS.flatMap((pod) => [`${pod} dns 53`, `${pod} dns on the node 53`]),
        ...SERVICES.map((service) => `${service} telemetry 4318`),
      ];
      const outward = connections.filter(([from]) => PODS.includes(from)).map((parts) => parts.join(' '));
      expect([...allowed(policies, 'egress')].sort()).toEqual([...outward, ...ambient].sort());
    });

    it('lets nobody out to private addresses or to the metadata of a cloud', () => {
      const blocks = manifests
        .ofKind(path, 'NetworkPolicy')
        .flatMap(({ spec }) => spec.egress ?? [])
        .flatMap(({ to }) => to)
        .flatMap(({ ipBlock }) => (ipBlock && ipBlock.cidr !== NODE_LOCAL_DNS ? [ipBlock] : []));
      expect(blocks.length).toBeGreaterThan(0);
      for (const { except } of blocks)
        expect(except).toEqual(
          expect.arrayContaining(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10']),
        );
    });
  });

  it('publish the gateway alone, by the paths that callers use', () => {
    const [ingress] = manifests.ofKind('k8s/overlays/prod', 'Ingress');
    const paths = ingress.spec.rules.flatMap(({ http }) => http.paths);
    expect(paths.map(({ path }) => path)).toEqual(['/v1', '/mcp', '/.well-known', '/console', '/readyz']);
    for (const { backend } of paths) expect(backend.service.name).toBe('gateway');
    expect(ingress.spec.tls).toHaveLength(1);
    for (const { spec } of manifests.ofKind('k8s/overlays/prod', 'Service'))
      expect(spec.type ?? 'ClusterIP').toBe('ClusterIP');
  });

  it('take the largest upload and the longest question through the ingress, at the address that the gateway tells', () => {
    const [{ metadata, spec }] = manifests.ofKind('k8s/overlays/prod', 'Ingress');
    const numberIn = (file, pattern) =>
      Number(pattern.exec(readFileSync(join(root, file), 'utf8'))[1].replaceAll('_', ''));
    const fileMiB = numberIn('libs/contracts/src/v1/documents.route.ts', /fileBytes: (\d+) \* MEBIBYTE/);
    const aroundMiB = numberIn('apps/gateway/src/uploads/read-multipart.ts', /OVERHEAD_BYTES = (\d+) \* MEBIBYTE/);
    const deadlineMs = numberIn('apps/gateway/src/config.ts', /REASON_DEADLINE_MS: milliseconds\(([\d_]+)\)/);
    const setting = (name) => metadata.annotations[`nginx.ingress.kubernetes.io/${name}`];
    expect(setting('proxy-body-size')).toBe(`${fileMiB + aroundMiB}m`);
    expect(Number(setting('proxy-read-timeout')) * 1_000).toBeGreaterThan(deadlineMs);

    const deployments = manifests.ofKind('k8s/overlays/prod', 'Deployment');
    const gateway = podOf(deployments.find((found) => found.metadata.name === 'gateway'));
    const address = gateway.containers[0].env.find(({ name }) => name === 'CANDOR_PUBLIC_URL').value;
    const [{ host }] = spec.rules;
    expect([address, spec.tls[0].hosts]).toEqual([`https://${host}`, [host]]);
  });

  it('enforce the restricted pod security standard in their namespaces', () => {
    for (const path of FOLDERS.filter((folder) => folder.includes('overlays'))) {
      const [{ metadata }] = manifests.ofKind(path, 'Namespace');
      expect(metadata.labels['pod-security.kubernetes.io/enforce']).toBe('restricted');
      for (const object of manifests.objects(path).filter(({ kind }) => kind !== 'Namespace'))
        expect(object.metadata.namespace).toBe(metadata.name);
    }
  });

  it('prove both ends of gRPC in production, by an authority of its own', () => {
    const path = 'k8s/overlays/prod';
    const certificates = manifests.ofKind(path, 'Certificate');
    expect(namesOf(certificates)).toEqual(['candor-authority', 'gateway-grpc', 'retrieval-grpc', 'synthesis-grpc']);
    for (const name of ['gateway', 'synthesis', 'retrieval']) {
      const { spec } = certificates.find(({ metadata }) => metadata.name === `${name}-grpc`);
      expect(spec).toMatchObject({
        secretName: `${name}-grpc`,
        dnsNames: [name],
        issuerRef: { name: 'candor-authority' },
      });
      expect(spec.usages).toContain(name === 'retrieval' ? 'server auth' : 'client auth');
      const pod = podOf(manifests.ofKind(path, 'Deployment').find(({ metadata }) => metadata.name === name));
      const env = Object.fromEntries(pod.containers[0].env.map((entry) => [entry.name, entry.value]));
      const mount = pod.containers[0].volumeMounts.find((entry) => entry.name === 'grpc-tls');
      expect(pod.volumes.find((volume) => volume.name === 'grpc-tls').secret.secretName).toBe(`${name}-grpc`);
      expect(['CA', 'CERT', 'KEY'].map((part) => env[`GRPC_TLS_${part}_FILE`])).toEqual(
        ['ca.crt', 'tls.crt', 'tls.key'].map((file) => `${mount.mountPath}/${file}`),
      );
      // The name that clients ask for is the name in the server's certificate.
      if (name !== 'retrieval') expect(env['RETRIEVAL_URL']).toBe('dns:///retrieval:50051');
    }
  });
});
