import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@candor/contracts';
import { loadConfig } from '@candor/runtime';
import { freePort, startServices } from '@candor/services';
import { distributedConfigSchema } from './config.js';
import { keepKeys, keepRandomSecret, readSecret, writeSecret } from './kept-secret.js';
import { findModelDirectory, findModelsDirectory } from './local-model.js';
import { loadDemoOnce } from './load-demo-once.js';
import { makeBootstrapKey } from './make-bootstrap-key.js';
import { printWelcome } from './print-welcome.js';
import { ServiceProcesses } from './service-processes.js';

const READY_POLL_MS = 250;

/** The four services as processes of their own, against real Postgres, Redis and Elasticsearch; what has no URL is started. */
export async function main(): Promise<void> {
  const config = loadConfig(distributedConfigSchema);
  const data = resolve(config.CANDOR_DATA);
  const logs = join(data, 'logs');
  await mkdir(logs, { recursive: true });
  const [services, modelDirectory] = await Promise.all([
    startServices({ dataDir: join(data, 'services'), env: process.env, onProgress: report }),
    findModelDirectory(config, report),
  ]);

  const processes = new ServiceProcesses(logs, report, process.env);
  let stopping: Promise<never> | undefined;
  const stop = (exitCode: number): Promise<never> =>
    (stopping ??= (async () => {
      await processes.stop();
      await services.stop();
      process.exit(exitCode);
    })());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0));

  try {
    const keyFile = join(data, 'admin-key');
    const key = (await readSecret(keyFile)) ?? makeBootstrapKey();
    // Before the gateway stores it: a start that is cut short must not lock the next one out.
    await writeSecret(keyFile, key);
    const readyFile = join(data, 'ready');
    await rm(readyFile, { force: true });
    await startAll(processes, {
      host: config.HOST,
      port: config.PORT,
      urls: requireUrls(services.urls),
      signingKey: await keepRandomSecret(join(data, 'signing-key')),
      encryptionKeys: await keepKeys(join(data, 'encryption-keys'), config.CANDOR_ENCRYPTION_KEYS),
      auditKeys: await keepKeys(join(data, 'audit-keys'), config.CANDOR_AUDIT_KEYS),
      allowPrivateConnectors: config.CANDOR_ALLOW_PRIVATE_CONNECTORS,
      bootstrapKey: key,
      readyFile,
      modelDirectory,
      modelsDirectory: findModelsDirectory(config),
    });
    const url = `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${config.PORT}`;
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
  } catch (error) {
    if (stopping) return;
    console.error(error instanceof AppError ? error.message : error);
    await stop(1);
  }
}

function report(line: string): void {
  console.log(line);
}

interface Installation {
  host: string;
  port: number;
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
    HOST: installation.host,
    PORT: String(installation.port),
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
          'The database has an installation key that is not the one in the admin-key file. Put that key into the file, or use another database.',
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
