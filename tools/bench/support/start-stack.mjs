import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { freePort, removeServiceData, startServices } from '@candor/services';
import { createTestDatabase, runRedisCommand } from '@candor/testkit';
import { makeBootstrapKey } from '../../../apps/standalone/dist/make-bootstrap-key.js';
import { ServiceProcesses } from '../../../apps/standalone/dist/service-processes.js';

/** A Redis database that neither an installation (0) nor the end-to-end tests use. */
const REDIS_DATABASE = 13;
const READY_MS = 120_000;

/** What has a URL in the environment is used, the rest started and removed at the end. */
async function startServers(names, report) {
  const dataDir = await mkdtemp(join(tmpdir(), 'candor-bench-'));
  // The embedded Postgres may run as another user, who has to get through.
  await chmod(dataDir, 0o755);
  const services = await startServices({
    only: names,
    dataDir: join(dataDir, 'services'),
    env: process.env,
    onProgress: report,
  });
  return {
    dataDir,
    urls: services.urls,
    stop: async () => {
      await services.stop();
      await removeServiceData(dataDir);
    },
  };
}

export function startElasticsearchOnly(report) {
  return startServers(['elasticsearch'], report);
}

/**
 * Real Postgres, Redis and Elasticsearch, and on them gateways and workers as the distributed profile starts them, each
 * in a database of its own.
 */
export class BenchStack {
  #servers;
  #report;
  #installations = new Set();

  static async start(report) {
    const stack = new BenchStack();
    stack.#report = report;
    stack.#servers = await startServers(['postgres', 'redis', 'elasticsearch'], report);
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.once(signal, () => void stack.stop().finally(() => process.exit(1)));
    return stack;
  }

  get elasticsearchUrl() {
    return this.#servers.urls.ELASTICSEARCH_URL;
  }

  get dataDir() {
    return this.#servers.dataDir;
  }

  /**
   * @param services of `gateway`, `retrieval`, `synthesis`, `ingestion-worker`; they are waited for.
   * @param environment for all of them, e.g. the model.
   * @param profileFolder where each process leaves a processor profile when it ends.
   * @param relay `(name, url) => Promise<url>`: by which way the services reach `database`, `index`, `queue` and `retrieval`.
   */
  async install(services, environment, profileFolder, relay = async (_name, url) => url) {
    const { urls } = this.#servers;
    const database = await createTestDatabase(urls.DATABASE_URL, { migrate: true });
    const redisUrl = withDatabase(urls.REDIS_URL, REDIS_DATABASE);
    await runRedisCommand(redisUrl, 'FLUSHDB');
    const logs = join(this.#servers.dataDir, 'logs');
    await mkdir(logs, { recursive: true });
    const processes = new ServiceProcesses(logs, this.#report);
    const ports = await Promise.all(Array.from({ length: 5 }, () => freePort()));
    const [port, grpcPort, retrievalHealth, workerHealth, synthesisHealth] = ports;
    const key = makeBootstrapKey();
    const shared = {
      HOST: '127.0.0.1',
      CANDOR_SIGNING_KEY: randomBytes(32).toString('hex'),
      CANDOR_ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
      CANDOR_AUDIT_KEYS: `bench:${randomBytes(32).toString('base64')}`,
      // A slow answer is a result here, and no error.
      SEARCH_DEADLINE_MS: '120000',
      ...environment,
    };
    const reached = {
      DATABASE_URL: await relay('database', database.url),
      REDIS_URL: await relay('queue', redisUrl),
      ELASTICSEARCH_URL: await relay('index', urls.ELASTICSEARCH_URL),
    };
    const retrieval = new URL(await relay('retrieval', `http://127.0.0.1:${grpcPort}`));
    const own = {
      retrieval: { GRPC_BIND: `127.0.0.1:${grpcPort}`, HEALTH_PORT: String(retrievalHealth) },
      'ingestion-worker': { HEALTH_PORT: String(workerHealth) },
      synthesis: { RETRIEVAL_URL: `dns:///${retrieval.host}`, HEALTH_PORT: String(synthesisHealth) },
      gateway: { RETRIEVAL_URL: `dns:///${retrieval.host}`, CANDOR_BOOTSTRAP_KEY: key, PORT: String(port) },
    };
    const profiled = profileFolder === undefined ? {} : await profileInto(profileFolder);
    for (const service of services) processes.start(service, { ...shared, ...reached, ...own[service], ...profiled });
    const url = `http://127.0.0.1:${port}`;
    const stop = async () => {
      if (!this.#installations.delete(stop)) return;
      await processes.stop();
      await database.drop();
    };
    this.#installations.add(stop);
    try {
      await waitForKey(url, key);
      if (services.includes('retrieval')) await waitForHealth(`http://127.0.0.1:${retrievalHealth}`);
      if (services.includes('synthesis')) await waitForHealth(`http://127.0.0.1:${synthesisHealth}`);
      if (services.includes('ingestion-worker')) await waitForHealth(`http://127.0.0.1:${workerHealth}`);
    } catch (error) {
      await stop();
      throw error;
    }
    const startProfiles = () => {
      if (profileFolder !== undefined)
        for (const service of services) process.kill(processes.pidOf(service), 'SIGUSR2');
    };
    const processorMs = () => services.reduce((sum, service) => sum + processorMsOf(processes.pidOf(service)), 0);
    const metrics = { gateway: `${url}/metrics` };
    if (services.includes('retrieval')) metrics.retrieval = `http://127.0.0.1:${retrievalHealth}/metrics`;
    return { url, key, databaseUrl: database.url, redisUrl, metrics, processorMs, startProfiles, stop };
  }

  async stop() {
    await Promise.all([...this.#installations].map((stop) => stop()));
    await this.#servers.stop();
  }
}

/** Processor time of a process so far, from Linux's tick counts of 10 ms; NaN elsewhere. */
function processorMsOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return NaN;
  }
}

async function profileInto(folder) {
  await mkdir(folder, { recursive: true });
  return {
    CANDOR_BENCH_PROFILE: resolve(folder),
    NODE_OPTIONS: `--import=${new URL('./profile-process.mjs', import.meta.url).href}`,
  };
}

function withDatabase(redisUrl, number) {
  const url = new URL(redisUrl);
  url.pathname = `/${number}`;
  return url.href;
}

function waitForKey(url, key) {
  return waitUntil(`the gateway at ${url}`, async () => {
    const response = await fetch(`${url}/v1/user/me`, { headers: { authorization: `API-Key ${key}` } });
    return response.ok;
  });
}

function waitForHealth(url) {
  return waitUntil(url, async () => (await fetch(`${url}/readyz`)).status === 200);
}

async function waitUntil(what, isReady) {
  const end = Date.now() + READY_MS;
  for (;;) {
    const ready = await isReady().catch(() => false);
    if (ready) return;
    if (Date.now() > end) throw new Error(`${what} did not get ready`);
    await delay(100);
  }
}
