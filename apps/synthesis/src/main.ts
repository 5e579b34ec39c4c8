import { createEmbedder, embedderOptionsFrom } from '@candor/embeddings';
import { JobProducer, RedisReplyChannel, type QueueBackendOptions } from '@candor/queue';
import {
  createHttpApp,
  createLogger,
  GrpcRetrievalClient,
  grpcTlsFrom,
  HealthModule,
  HealthRegistry,
  listenUntilSignal,
  loadConfig,
  retryUntilReachable,
  runAsEntryPoint,
  startTelemetry,
} from '@candor/runtime';
import { synthesisConfigSchema } from './config.js';
import { createProviderFor } from './create-answer-provider.js';
import { startSynthesis, type RunningSynthesis } from './start-synthesis.js';

/** Starts synthesis from the environment: questions from the queue, HTTP only for probes and metrics. No database. */
export async function main(): Promise<void> {
  const config = loadConfig(synthesisConfigSchema);
  const stopTelemetry = await startTelemetry('synthesis');
  const logger = createLogger('synthesis', { level: config.LOG_LEVEL });
  const embedder = await createEmbedder(embedderOptionsFrom(config));
  const queue: QueueBackendOptions = { kind: 'redis', url: config.REDIS_URL };
  const producer = new JobProducer(queue);
  const replies = new RedisReplyChannel(config.REDIS_URL, (channel, error) =>
    logger.error({ channel, error }, 'A message could not be delivered'),
  );
  const retrieval = new GrpcRetrievalClient({ url: config.RETRIEVAL_URL, ...grpcTlsFrom(config) });
  const health = new HealthRegistry({ logger });
  health.register('queue', () => producer.ping(), { critical: false, startup: true });
  health.register('retrieval', () => retrieval.waitUntilReachable(new Date(Date.now() + 1_500)), { critical: false });

  const app = await createHttpApp(HealthModule.forRoot({ registry: health }), {
    service: 'synthesis',
    logger,
    bodyLimits: () => 0,
  });
  health.register('model', async (signal) => void (await embedder.embedQuery('ready', signal)), {
    critical: false,
    startup: true,
  });
  const running: { synthesis?: RunningSynthesis } = {};
  health.register('jobs', () => requireStarted(running.synthesis), { critical: false, startup: true });
  // Probes are answered while the queue is still being waited for.
  await listenUntilSignal(app, {
    port: config.HEALTH_PORT,
    host: config.HOST,
    logger,
    onClose: async () => {
      await running.synthesis?.stop();
      await Promise.allSettled([producer.close(), replies.close(), embedder.close()]);
      retrieval.close();
      await stopTelemetry();
    },
  });
  running.synthesis = await retryUntilReachable(
    () =>
      startSynthesis({
        retrieval,
        providerFor: createProviderFor(config, embedder, retrieval),
        queue,
        replies,
        logger,
        concurrency: config.REASON_CONCURRENCY,
      }),
    logger,
  );
}

async function requireStarted(synthesis: RunningSynthesis | undefined): Promise<void> {
  if (!synthesis) throw new Error('the job handlers have not started');
}

await runAsEntryPoint(import.meta.url, main);
