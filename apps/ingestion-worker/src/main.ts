import { createAuditSigner } from '@candor/audit';
import { EmbedderRegistry, registryOptionsFrom } from '@candor/embeddings';
import { Database, databaseOptionsFrom, quotaDefaultsFrom } from '@candor/persistence';
import { JobProducer, type QueueBackendOptions } from '@candor/queue';
import {
  createHttpApp,
  createLogger,
  HealthModule,
  HealthRegistry,
  listenUntilSignal,
  loadConfig,
  retryUntilReachable,
  runAsEntryPoint,
  startTelemetry,
} from '@candor/runtime';
import { createElasticsearchWriter, elasticsearchOptionsFrom, placementOptionsFrom } from '@candor/search-index/write';
import { workerConfigSchema } from './config.js';
import { sourceDependenciesFrom } from './source-dependencies.js';
import { startWorker, type RunningWorker } from './start-worker.js';

/** Starts the ingestion worker from the environment: jobs from the queue, HTTP only for probes and metrics. */
export async function main(): Promise<void> {
  const config = loadConfig(workerConfigSchema);
  const stopTelemetry = await startTelemetry('ingestion-worker');
  const logger = createLogger('ingestion-worker', { level: config.LOG_LEVEL });
  const embedders = await EmbedderRegistry.open(registryOptionsFrom(config));
  const database = new Database({
    ...databaseOptionsFrom(config),
    applicationName: 'candor-ingestion-worker',
    poolSize: 20,
  });
  const index = createElasticsearchWriter({
    ...elasticsearchOptionsFrom(config),
    ...placementOptionsFrom(config),
  });
  const queue: QueueBackendOptions = { kind: 'redis', url: config.REDIS_URL };
  const producer = new JobProducer(queue);
  const health = new HealthRegistry({ logger });
  health.register('database', () => database.ping(), { critical: true, startup: true });
  health.register('queue', () => producer.ping(), { critical: false, startup: true });
  health.register('index', (signal) => index.ping(signal), { critical: false, startup: true });
  health.register('model', async (signal) => void (await embedders.configured.embedQuery('ready', signal)), {
    critical: false,
    startup: true,
  });

  const app = await createHttpApp(HealthModule.forRoot({ registry: health }), {
    service: 'ingestion-worker',
    logger,
    bodyLimits: () => 0,
  });
  const running: { worker?: RunningWorker } = {};
  health.register('jobs', () => requireStarted(running.worker), { critical: false, startup: true });
  // Probes are answered while the database is still being waited for.
  await listenUntilSignal(app, {
    port: config.HEALTH_PORT,
    host: config.HOST,
    logger,
    onClose: async () => {
      await running.worker?.stop();
      await Promise.allSettled([producer.close(), index.close(), embedders.close(), database.close()]);
      await stopTelemetry();
    },
  });
  running.worker = await retryUntilReachable(async () => {
    await database.migrate();
    return startWorker({
      database,
      embedders,
      index,
      queue,
      producer,
      logger,
      sources: sourceDependenciesFrom(config),
      quotas: quotaDefaultsFrom(config),
      auditSigner: createAuditSigner(config.CANDOR_AUDIT_KEYS),
      files: { processes: config.CANDOR_FILE_READERS, memoryMegabytes: config.CANDOR_FILE_READER_MEMORY_MB },
    });
  }, logger);
}

async function requireStarted(worker: RunningWorker | undefined): Promise<void> {
  if (!worker) throw new Error('the job handlers have not started');
}

await runAsEntryPoint(import.meta.url, main);
