import { rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@candor/contracts';
import { loadConfig } from '@candor/runtime';
import { freePort, makePrivateFolder, startServices } from '@candor/services';
import { distributedConfigSchema, type DistributedConfig } from './config.js';
import { openDataFolder } from './data-folder.js';
import { keepKeys, keepRandomSecret, readSecret, writeSecret } from './kept-secret.js';
import { findModelDirectory, findModelsDirectory } from './local-model.js';
import { loadDemoOnce } from './load-demo-once.js';
import { makeBootstrapKey } from './make-bootstrap-key.js';
import { printWelcome } from './print-welcome.js';
import { choosePublicAddress, type PublicAddress } from './public-address.js';
import { ServiceProcesses } from './service-processes.js';

const READY_POLL_MS = 250;
/** As the shell would report it. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };

/** The four services as processes of their own, against real Postgres, Redis and Elasticsearch; what has no URL is started. */
export async function main(): Promise<void> {
  const config = loadConfig(distributedConfigSchema);
  const data = await openDataFolder(config.CANDOR_DATA);
  const logs = join(data, 'logs');
  const servers = join(data, 'services');
  await makePrivateFolder(logs);
  await makePrivateFolder(servers, { holdsPostgres: true });

  const processes = new ServiceProcesses(logs, report, process.env);
  const calledOff = new AbortController();
  const starting = startServices({
    dataDir: servers,
    env: process.env,
    onProgress: report,
    signal: calledOff.signal,
  });
  let stopping: Promise<void> | undefined;
  let haveServers = false;
  const stop = (): Promise<void> =>
    (stopping ??= (async () => {
      calledOff.abort();
      await processes.stop();
      // A start that failed has stopped what it had begun; whoever waits for it is told why.
      const services = await starting.catch(() => undefined);
      await services?.stop();
    })());
  // From the very beginning: Maven, a node or a server that comes up must not outlive us.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      // PostgreSQL or Redis may take minutes to come up. Whoever asks again doesn't wait for that: watchdogs end what is left.
      if (stopping && !haveServers) process.exit(EXIT_CODES[signal]);
      void stop().then(() => process.exit(0));
    });

  try {
    const [services, modelDirectory] = await Promise.all([starting, findModelDirectory(config, report)]);
    haveServers = true;
    await startInstallation(config, data, { processes, logs, urls: requireUrls(services.urls), modelDirectory });
  } catch (error) {
    // Not a failure when it comes of being stopped.
    if (stopping) return await stopping;
    await stop();
    throw error;
  }
}

interface Started {
  processes: ServiceProcesses;
  logs: string;
  urls: Installation['urls'];
  modelDirectory: string | undefined;
}

async function startInstallation(config: DistributedConfig, data: string, started: Started): Promise<void> {
  const { processes, logs, urls, modelDirectory } = started;
  const keyFile = join(data, 'admin-key');
  const key = (await readSecret(keyFile)) ?? makeBootstrapKey();
  // Before the gateway stores it: a start that is cut short must not lock the next one out.
  await writeSecret(keyFile, key);
  const readyFile = join(data, 'ready');
  await rm(readyFile, { force: true });
  const address = await choosePublicAddress(config);
  await startAll(processes, {
    address,
    urls,
    signingKey: await keepRandomSecret(join(data, 'signing-key')),
    encryptionKeys: await keepKeys(join(data, 'encryption-keys'), config.CANDOR_ENCRYPTION_KEYS),
    auditKeys: await keepKeys(join(data, 'audit-keys'), config.CANDOR_AUDIT_KEYS),
    allowPrivateConnectors: config.CANDOR_ALLOW_PRIVATE_CONNECTORS,
    bootstrapKey: key,
    readyFile,
    modelDirectory,
    modelsDirectory: findModelsDirectory(config),
  });
  const { url } = address;
  await Promise.race([waitForKey(url, key), processes.failed]);
  await loadDemoOnce(config, data, { url, key });
  await writeFile(readyFile, '');
  await Promise.race([waitUntilReady(url), processes.failed]);
  processes.markReady();
  printWelcome({
    url,
    key,
    keyFile: relative(process.cwd(), keyFile),
    logs: relative(process.cwd(), logs),
    demo: config.CANDOR_DEMO,
  });
}

function report(line: string): void {
  console.log(line);
}

interface Installation {
  address: PublicAddress;
  urls: { DATABASE_URL: string; REDIS_URL: string; ELASTICSEARCH_URL: string };
  signingKey: string;
  encryptionKeys: string;
  auditKeys: string;
  allowPrivateConnectors: boolean;
  bootstrapKey: string;
  readyFile: string;
  modelDirectory: string | undefined;
  modelsDirectory: string;
}

/** All three were asked for, so all three are there. */
function requireUrls(urls: Partial<Installation['urls']>): Installation['urls'] {
  const { DATABASE_URL, REDIS_URL, ELASTICSEARCH_URL } = urls;
  if (DATABASE_URL === undefined || REDIS_URL === undefined || ELASTICSEARCH_URL === undefined)
    throw new Error('a service has no URL');
  return { DATABASE_URL, REDIS_URL, ELASTICSEARCH_URL };
}

async function startAll(processes: ServiceProcesses, installation: Installation): Promise<void> {
  const { urls, signingKey } = installation;
  const [grpcPort, retrievalHealth, workerHealth, synthesisHealth] = await Promise.all(
    [1, 2, 3, 4].map(() => freePort()),
  );
  // Only the gateway is reachable from elsewhere, whatever HOST says.
  const inner = {
    HOST: '127.0.0.1',
    CANDOR_MODEL_DIR: installation.modelDirectory,
    CANDOR_MODELS_DIR: installation.modelsDirectory,
  };
  const sources = {
    CANDOR_ENCRYPTION_KEYS: installation.encryptionKeys,
    CANDOR_ALLOW_PRIVATE_CONNECTORS: String(installation.allowPrivateConnectors),
  };
  const retrievalUrl = `dns:///127.0.0.1:${grpcPort}`;
  processes.start('retrieval', {
    ...inner,
    DATABASE_URL: urls.DATABASE_URL,
    ELASTICSEARCH_URL: urls.ELASTICSEARCH_URL,
    CANDOR_SIGNING_KEY: signingKey,
    GRPC_BIND: `127.0.0.1:${grpcPort}`,
    HEALTH_PORT: String(retrievalHealth),
  });
  processes.start('ingestion-worker', {
    ...inner,
    ...urls,
    ...sources,
    CANDOR_AUDIT_KEYS: installation.auditKeys,
    HEALTH_PORT: String(workerHealth),
  });
  processes.start('synthesis', {
    ...inner,
    REDIS_URL: urls.REDIS_URL,
    RETRIEVAL_URL: retrievalUrl,
    HEALTH_PORT: String(synthesisHealth),
  });
  processes.start('gateway', {
    ...sources,
    DATABASE_URL: urls.DATABASE_URL,
    REDIS_URL: urls.REDIS_URL,
    RETRIEVAL_URL: retrievalUrl,
    CANDOR_SIGNING_KEY: signingKey,
    CANDOR_BOOTSTRAP_KEY: installation.bootstrapKey,
    READY_FILE: installation.readyFile,
    HOST: installation.address.host,
    PORT: String(installation.address.port),
  });
}

/** Until the gateway answers this key; refuses when the database belongs to an installation with another first key. */
async function waitForKey(url: string, key: string): Promise<void> {
  for (; ; await delay(READY_POLL_MS)) {
    const { status, checks } = await readiness(url);
    if (status === undefined || checks['first-key'] !== 'ok') continue;
    const response = await fetch(`${url}/v1/user/me`, { headers: { authorization: `API-Key ${key}` } });
    if (response.ok) return;
    if (response.status === 401)
      throw new AppError('CONFIG.INVALID', {
        message:
          'The database has an installation key that is not the one in the admin-key file. Put that key into the file (it may be the one in admin-key.former), or use another database.',
      });
  }
}

async function waitUntilReady(url: string): Promise<void> {
  while ((await readiness(url)).status !== 200) await delay(READY_POLL_MS);
}

async function readiness(url: string): Promise<{ status?: number; checks: Record<string, string> }> {
  try {
    const response = await fetch(`${url}/readyz`);
    const body = (await response.json()) as { checks?: Record<string, string> };
    return { status: response.status, checks: body.checks ?? {} };
  } catch {
    // Not listening yet; what keeps it from starting is in its log, and the launcher says when it ends.
    return { checks: {} };
  }
}
