import {
  createSigner,
  createHttpApp,
  grpcTlsFrom,
  createLogger,
  HealthModule,
  HealthRegistry,
  listenUntilSignal,
  loadConfig,
  retrievalGrpcOptions,
  runAsEntryPoint,
  startTelemetry,
} from '@candor/runtime';
import { Module, type DynamicModule } from '@nestjs/common';
import { retrievalConfigSchema } from './config.js';
import { openDependencies } from './open-dependencies.js';
import { RetrievalModule, type RetrievalModuleOptions } from './retrieval.module.js';

@Module({})
class RetrievalApp {
  static forRoot(options: RetrievalModuleOptions, registry: HealthRegistry): DynamicModule {
    return {
      module: RetrievalApp,
      imports: [RetrievalModule.forRoot({ ...options, serveGrpc: true }), HealthModule.forRoot({ registry })],
    };
  }
}

/** Starts the retrieval service from the environment: gRPC for the other services, HTTP for probes and metrics. */
export async function main(): Promise<void> {
  const config = loadConfig(retrievalConfigSchema);
  const stopTelemetry = await startTelemetry('retrieval');
  const logger = createLogger('retrieval', { level: config.LOG_LEVEL });
  const { database, views, reasoning, reader, embedders, close } = await openDependencies(config);
  logger.info({ profile: embedders.configured.profile }, 'Embedding model loaded');

  const health = new HealthRegistry({ logger });
  health.register('database', () => database.ping(), { critical: true, startup: true });
  // It never migrates: whoever does is waited for, with the reason in the log.
  health.register('schema', () => database.requireSchema(), { critical: false, startup: true });
  // Without the index every search says DEPENDENCY.INDEX_UNAVAILABLE, which tells callers more than no endpoint at all.
  health.register('index', (signal) => reader.ping(signal), { critical: false, startup: true });
  health.register(
    'model',
    async (signal) => {
      await embedders.configured.embedQuery('ready', signal);
    },
    {
      critical: false,
      startup: true,
    },
  );

  const signer = createSigner(config);
  const app = await createHttpApp(
    RetrievalApp.forRoot({ reader, views, reasoning, embedders, signer, logger }, health),
    {
      service: 'retrieval',
      logger,
      // Probes send no bodies.
      bodyLimits: () => 1_024,
      microservices: [retrievalGrpcOptions({ url: config.GRPC_BIND, ...grpcTlsFrom(config) })],
    },
  );
  await listenUntilSignal(app, {
    port: config.HEALTH_PORT,
    host: config.HOST,
    logger,
    onClose: async () => {
      await close();
      await stopTelemetry();
    },
  });
}

await runAsEntryPoint(import.meta.url, main);
