import { closeSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createAuditSigner } from '@candor/audit';
import { EmbedderRegistry, registryOptionsFrom } from '@candor/embeddings';
import {
  createGatewayApp,
  FirstKeyService,
  mcpAddressFrom,
  RateLimiterService,
  uploadBytesFrom,
} from '@candor/gateway';
import { sourceDependenciesFrom, startWorker } from '@candor/ingestion-worker';
import { Database, quotaDefaultsFrom, RetrievalViews, ReasoningViews } from '@candor/persistence';
import { InProcessReplyChannel, JobProducer, migrateQueueBackend, type QueueBackendOptions } from '@candor/queue';
import { RetrievalService } from '@candor/retrieval';
import {
  CallerTokenSigner,
  createLogger,
  HealthRegistry,
  listenUntilSignal,
  loadConfig,
  openLogFile,
  retryUntilReachable,
  startTelemetry,
  type Logger,
} from '@candor/runtime';
import { createLanceDbIndex } from '@candor/search-index';
import { makePrivateFolder, openLog, startPostgres } from '@candor/services';
import { createProviderFor, startSynthesis } from '@candor/synthesis';
import { standaloneConfigSchema, type StandaloneConfig } from './config.js';
import { openDataFolder } from './data-folder.js';
import { keepKeys, keepRandomSecret, readSecret, writeSecret } from './kept-secret.js';
import { loadDemoOnce } from './load-demo-once.js';
import { findModelDirectory, findModelsDirectory } from './local-model.js';
import { printWelcome } from './print-welcome.js';
import { runUnlessStopping } from './run-unless-stopping.js';

/** The four services in one process: Postgres from npm, its queue backend, LanceDB, a local model. */
export async function main(): Promise<void> {
  const config = loadConfig(standaloneConfigSchema);
  const data = await openDataFolder(config.CANDOR_DATA);
  const logFile = join(data, 'candor.log');
  closeSync(openLog(logFile));
  const stopTelemetry = await startTelemetry('standalone');
  const logger = createLogger('standalone', { level: config.LOG_LEVEL, stream: openLogFile(logFile) });

  const [postgres, embedders] = await Promise.all([
    startPostgres({ dataDir: join(data, 'postgres'), onProgress: report }),
    findModelDirectory(config, report).then((directory) =>
      EmbedderRegistry.open(
        registryOptionsFrom({
          ...config,
          CANDOR_MODEL_DIR: directory,
          CANDOR_MODELS_DIR: findModelsDirectory(config),
        }),
      ),
    ),
  ]);
  const services = await openServices(config, data, postgres.url, embedders, logger);
  const { app, keys, close } = services;
  const running = await listenUntilSignal(app, {
    port: config.PORT,
    host: config.HOST,
    logger,
    onClose: async () => {
      await close();
      await postgres.stop();
      await stopTelemetry();
    },
  });

  await runUnlessStopping(async () => {
    const keyFile = join(data, 'admin-key');
    const knownKey = await readSecret(keyFile);
    const key = await retryUntilReachable(() => keys.ensure(knownKey), logger);
    if (knownKey !== null && knownKey !== key) {
      // Rotated away here, or the only key of another database.
      await writeSecret(`${keyFile}.former`, knownKey);
      report(
        `${relative(process.cwd(), keyFile)} was no key of this database: it has a new one, the former is beside it`,
      );
    }
    await writeSecret(keyFile, key);
    services.markReady('admin-key');
    await loadDemoOnce(config, data, { url: running.url, key });
    services.markReady('demo');
    printWelcome({
      url: running.url,
      key,
      keyFile: relative(process.cwd(), keyFile),
      logs: relative(process.cwd(), logFile),
      demo: config.CANDOR_DEMO,
    });
  });
}

function report(line: string): void {
  console.log(line);
}

async function openServices(
  config: StandaloneConfig,
  data: string,
  databaseUrl: string,
  embedders: EmbedderRegistry,
  logger: Logger,
) {
  const database = new Database({ url: databaseUrl, applicationName: 'candor-standalone', poolSize: 20 });
  // Our own Postgres is there by now, but on a busy machine it may take longer than a connection is waited for.
  await retryUntilReachable(() => database.migrate(), logger);
  const queue: QueueBackendOptions = { kind: 'postgres', url: databaseUrl };
  await retryUntilReachable(() => migrateQueueBackend(queue), logger);
  const producer = new JobProducer(queue);
  const replies = new InProcessReplyChannel((channel, error) =>
    logger.error({ channel, error }, 'A reply could not be delivered'),
  );
  const indexFolder = join(data, 'search-index');
  await makePrivateFolder(indexFolder);
  const index = createLanceDbIndex({ directory: indexFolder });
  const signer = new CallerTokenSigner(await keepRandomSecret(join(data, 'signing-key')));
  const retrieval = new RetrievalService({
    reader: index.reader,
    views: new RetrievalViews(database),
    reasoning: new ReasoningViews(database),
    embedders,
    signer,
  });
  const sources = sourceDependenciesFrom({
    CANDOR_ENCRYPTION_KEYS: await keepKeys(join(data, 'encryption-keys'), config.CANDOR_ENCRYPTION_KEYS),
    CANDOR_ALLOW_PRIVATE_CONNECTORS: config.CANDOR_ALLOW_PRIVATE_CONNECTORS,
  });
  const auditKeys = await keepKeys(join(data, 'audit-keys'), config.CANDOR_AUDIT_KEYS);
  const workerDependencies = {
    database,
    embedders,
    index: index.writer,
    queue,
    producer,
    logger,
    sources,
    auditSigner: createAuditSigner(auditKeys),
    quotas: quotaDefaultsFrom(config),
  };
  const worker = await retryUntilReachable(() => startWorker(workerDependencies), logger);
  const synthesis = await startSynthesis({
    retrieval,
    providerFor: createProviderFor(config, embedders.configured, retrieval),
    queue,
    replies,
    logger,
  });

  const waitingFor = new Set(['admin-key', 'demo']);
  const health = new HealthRegistry({ logger });
  health.register('database', () => database.ping(), { critical: true, startup: true });
  health.register('index', (signal) => index.reader.ping(signal), { critical: false });
  health.register('model', async (signal) => void (await embedders.configured.embedQuery('ready', signal)), {
    critical: false,
    startup: true,
  });
  health.register('queue', () => producer.ping(), { critical: false, startup: true });
  health.register('first-start', () => nothingIn(waitingFor), { critical: false, startup: true });
  const app = await createGatewayApp(
    {
      database,
      jobs: producer,
      replies,
      retrieval,
      rateLimiter: new RateLimiterService(null),
      signer,
      cipher: sources.cipher,
      addressRules: { allowPrivateAddresses: config.CANDOR_ALLOW_PRIVATE_CONNECTORS },
      mcpAddress: mcpAddressFrom(config),
      corsOrigins: config.CANDOR_CORS_ORIGINS,
      limits: {
        searchDeadlineMs: config.SEARCH_DEADLINE_MS,
        reasonDeadlineMs: config.REASON_DEADLINE_MS,
        uploadBytes: uploadBytesFrom(config),
        quotas: quotaDefaultsFrom(config),
      },
    },
    { logger, health },
  );
  return {
    app,
    keys: app.get(FirstKeyService, { strict: false }),
    markReady: (what: string) => void waitingFor.delete(what),
    close: async () => {
      await Promise.allSettled([worker.stop(), synthesis.stop()]);
      await Promise.allSettled([producer.close(), replies.close(), index.reader.close(), index.writer.close()]);
      await Promise.allSettled([embedders.close(), database.close()]);
    },
  };
}

async function nothingIn(waitingFor: ReadonlySet<string>): Promise<void> {
  if (waitingFor.size > 0) throw new Error(`waiting for ${[...waitingFor].join(', ')}`);
}
