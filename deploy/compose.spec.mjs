import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { serviceNeeds } from '../tools/k8s/service-needs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(`${root}${path}`, 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true });
const telemetry = parse(read('deploy/compose.telemetry.yml'), { merge: true });
const dockerfile = read('deploy/Dockerfile');

const OWN = ['gateway', 'ingestion-worker', 'retrieval', 'synthesis'];
const BACKING = ['postgres', 'redis', 'elasticsearch'];

/** The source that an entry point is built from: `apps/x/dist/main.js` → `apps/x/src/main.ts`. */
const sourceOf = (path) => path.replace('/dist/', '/src/').replace(/\.js$/, '.ts');

/** What each program reads from its environment, by the schema it checks it with. */
const variables = JSON.parse(
  execFileSync(process.execPath, [`${root}tools/k8s/service-variables.mjs`], { encoding: 'utf8' }),
);
const variablesOf = (service) => new Set(variables[`apps/${service}/dist/main.js`].known);

describe('docker-compose.yml', () => {
  it('has the four services and what they stand on', () => {
    expect(Object.keys(compose.services).sort()).toEqual([...OWN, ...BACKING].sort());
  });

  it.each(OWN)('%s starts an entry point that exists', (name) => {
    const { command } = compose.services[name];
    expect(command).toEqual([`apps/${name}/dist/main.js`]);
    expect(existsSync(`${root}${sourceOf(command[0])}`)).toBe(true);
  });

  it.each(OWN)('%s is given only variables that it reads', (name) => {
    const known = variablesOf(name);
    const unknown = Object.keys(compose.services[name].environment).filter(
      (variable) => !known.has(variable) && !variable.startsWith('OTEL_'),
    );
    expect(unknown).toEqual([]);
  });

  it('gives the key that signs scopes, and those accepted beside it, to whoever signs or verifies', () => {
    for (const variable of ['CANDOR_SIGNING_KEY', 'CANDOR_SIGNING_KEYS_ACCEPTED'])
      expect(OWN.filter((name) => variable in compose.services[name].environment)).toEqual(['gateway', 'retrieval']);
  });

  it.each(Object.keys(compose.services))('%s has a health check, and waits for healthy services only', (name) => {
    const { healthcheck, depends_on: dependencies = {} } = compose.services[name];
    expect(healthcheck.test[0]).toBe('CMD');
    for (const [other, { condition }] of Object.entries(dependencies)) {
      expect(Object.keys(compose.services)).toContain(other);
      expect(condition).toBe('service_healthy');
    }
  });

  it.each(OWN)('%s is not killed before what it has taken may have ended', (name) => {
    const { drainMs } = serviceNeeds(compose.services.gateway.environment);
    const [, seconds] = /^(\d+)s$/.exec(compose.services[name].stop_grace_period);
    expect(Number(seconds)).toBeGreaterThanOrEqual(drainMs[name] / 1_000 + 10);
  });

  it('publishes the gateway alone, on loopback', () => {
    const published = Object.entries(compose.services).filter(([, { ports }]) => ports);
    expect(published.map(([name]) => name)).toEqual(['gateway']);
    expect(compose.services.gateway.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
  });

  it('keeps the databases on a network without a way out', () => {
    expect(compose.networks.data.internal).toBe(true);
    for (const name of BACKING) expect(compose.services[name].networks).toEqual(['data']);
  });

  it('runs Redis so that no job is forgotten', () => {
    expect(compose.services.redis.command.join(' ')).toMatch(/--appendonly yes .*noeviction/);
  });

  it('holds no secret: each comes from the environment, required', () => {
    const text = read('docker-compose.yml');
    for (const name of [
      'POSTGRES_PASSWORD',
      'CANDOR_SIGNING_KEY',
      'CANDOR_ENCRYPTION_KEYS',
      'CANDOR_AUDIT_KEYS',
      'CANDOR_BOOTSTRAP_KEY',
    ]) {
      const uses = text.match(new RegExp(`\\$\\{${name}\\b[^}]*\\}`, 'g'));
      expect(uses.every((use) => use.startsWith(`\${${name}:?`))).toBe(true);
    }
  });

  it('pins its images', () => {
    for (const { image } of [...Object.values(compose.services), telemetry.services['otel-collector']]) {
      expect(image).toMatch(/:(?!latest$)[^:/]+$/);
    }
  });
});

describe('compose.telemetry.yml', () => {
  it('changes services that exist and mounts a file that exists', () => {
    for (const name of Object.keys(telemetry.services)) {
      if (name !== 'otel-collector') expect(OWN).toContain(name);
    }
    const { file } = telemetry.configs['otel-collector'];
    const { receivers, exporters, processors, service } = parse(read(file.replace('./', '')));
    expect(service.pipelines.traces).toEqual({
      receivers: Object.keys(receivers),
      processors: Object.keys(processors),
      exporters: Object.keys(exporters),
    });
  });
});

describe('Dockerfile', () => {
  it('names only files and scripts that exist', () => {
    const named = [...dockerfile.matchAll(/(?:apps|tools|deploy)\/[a-z-]+(?:\/dist)?\/?[a-z-]*\.m?js/g)].map(
      ([path]) => path,
    );
    expect(named).toEqual(expect.arrayContaining(['tools/models/dist/cli.js', 'deploy/check-health.mjs']));
    for (const path of named) expect([path, existsSync(`${root}${sourceOf(path)}`)]).toEqual([path, true]);
    const { scripts } = JSON.parse(read('package.json'));
    for (const [, script] of dockerfile.matchAll(/npm run ([\w:-]+)/g)) expect(scripts).toHaveProperty(script);
  });

  it('ends as a user that is not root', () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM'));
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^HEALTHCHECK /m);
  });

  it('leaves out what an image must not hold', () => {
    expect(read('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['.env', '.git', '**/node_modules']));
  });
});

describe('make-env.mjs', () => {
  it('makes every required secret, new each time, in the shape the services take', () => {
    const make = () => execFileSync(process.execPath, [`${root}deploy/make-env.mjs`], { encoding: 'utf8' });
    const values = (text) =>
      Object.fromEntries([...text.matchAll(/^(\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]));
    const made = values(make());
    const required = [...new Set([...read('docker-compose.yml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name))];
    expect(Object.keys(made).sort()).toEqual(required.sort());
    expect(made.CANDOR_SIGNING_KEY.length).toBeGreaterThanOrEqual(32);
    expect(made.CANDOR_ENCRYPTION_KEYS).toMatch(/^first:[A-Za-z0-9+/]{43}=$/);
    expect(made.CANDOR_AUDIT_KEYS).toMatch(/^first:[A-Za-z0-9+/]{43}=$/);
    expect(made.CANDOR_BOOTSTRAP_KEY).toMatch(/^gm_[A-Za-z0-9]{8,64}_[A-Za-z0-9]{16,128}$/);
    expect(values(make()).CANDOR_SIGNING_KEY).not.toBe(made.CANDOR_SIGNING_KEY);
  });
});

describe('check-health.mjs', () => {
  let server;
  let port;

  beforeAll(async () => {
    server = createServer((request, response) => response.writeHead(request.url === '/readyz' ? 503 : 200).end());
    await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
    port = String(server.address().port);
  });
  afterAll(() => new Promise((closed) => server.close(closed)));

  const check = (path, env) =>
    new Promise((ended) => {
      const child = spawn(process.execPath, [`${root}deploy/check-health.mjs`, path], { env, stdio: 'ignore' });
      child.once('close', ended);
    });

  it('succeeds on 200 only, and fails where nothing listens', async () => {
    expect(await check('/healthz', { HEALTH_PORT: port })).toBe(0);
    expect(await check('/healthz', { PORT: port })).toBe(0);
    expect(await check('/readyz', { HEALTH_PORT: port })).toBe(1);
    expect(await check('/healthz', { HEALTH_PORT: '1' })).toBe(1);
  });
});
