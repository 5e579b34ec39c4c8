import { access } from 'node:fs/promises';
import { answerQuestionJob, indexItemJob } from '@candor/contracts';
import {
  CredentialCipher,
  createLogger,
  createSigner,
  GrpcRetrievalClient,
  grpcTlsFrom,
  HealthRegistry,
  listenUntilSignal,
  loadConfig,
  retryUntilReachable,
  runAsEntryPoint,
  startTelemetry,
} from '@candor/runtime';
import { Database, databaseOptionsFrom, quotaDefaultsFrom } from '@candor/persistence';
import { JobProducer, openRateLimitStore, RedisReplyChannel } from '@candor/queue';
import { FirstKeyService } from './access/first-key.service.js';
import { RateLimiterService } from './access/rate-limiter.service.js';
import { gatewayConfigSchema } from './config.js';
import { createGatewayApp } from './create-gateway-app.js';
import { longestRequestMs } from './longest-request.js';
import { mcpAddressFrom } from './features/mcp/mcp-environment.js';
import { uploadBytesFrom } from './uploads/uploads-environment.js';

/**
 * How long a gateway that starts is not ready for want of Redis and workers, ms. In a new installation they come within that
 * time; a gateway that starts again while they are away serves all that needs no queue.
 */
const FIRST_START_MS = 60_000;

/** Starts the gateway from the environment; it waits for its database and recovers from the loss of anything else. */
export async function main(): Promise<void> {
  const config = loadConfig(gatewayConfigSchema);
  const stopTelemetry = await startTelemetry('gateway');
  const logger = createLogger('gateway', { level: config.LOG_LEVEL });
  const database = new Database({ ...databaseOptionsFrom(config), applicationName: 'candor-gateway', poolSize: 20 });
  const jobs = new JobProducer({ kind: 'redis', url: config.REDIS_URL });
  const replies = new RedisReplyChannel(config.REDIS_URL, (channel, error) =>
    logger.error({ channel, error }, 'A reply could not be delivered'),
  );
  const rateLimitStore = openRateLimitStore(config.REDIS_URL);
  const retrieval = new GrpcRetrievalClient({ url: config.RETRIEVAL_URL, ...grpcTlsFrom(config) });
  const health = new HealthRegistry({ logger });
  health.register('database', () => database.ping(), { critical: true, startup: true });
  health.register('queue', () => jobs.ping(), { critical: false, startup: { atMostMs: FIRST_START_MS } });
  // Without a limit: hardly anything is read past it, and a rollout with certificates that it refuses must not go on.
  health.register('retrieval', () => retrieval.waitUntilReachable(new Date(Date.now() + 1_500)), {
    critical: false,
    startup: true,
  });
  for (const queue of [indexItemJob.queue, answerQuestionJob.queue])
    health.register(`workers:${queue}`, () => jobs.requireWorkers(queue), {
      critical: false,
      startup: { atMostMs: FIRST_START_MS },
    });
  let keysReady = false;
  health.register('first-key', async () => requireTrue(keysReady), { critical: false, startup: true });
  const { READY_FILE: readyFile } = config;
  if (readyFile) health.register('ready-file', () => access(readyFile), { critical: false, startup: true });

  const app = await createGatewayApp(
    {
      database,
      jobs,
      replies,
      retrieval,
      rateLimiter: new RateLimiterService(rateLimitStore),
      signer: createSigner(config),
      cipher: new CredentialCipher(config.CANDOR_ENCRYPTION_KEYS),
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
  await listenUntilSignal(app, {
    port: config.PORT,
    host: config.HOST,
    graceMs: longestRequestMs(config),
    logger,
    onClose: async () => {
      await Promise.allSettled([jobs.close(), replies.close(), database.close()]);
      retrieval.close();
      rateLimitStore.disconnect();
      await stopTelemetry();
    },
  });
  await retryUntilReachable(() => database.migrate(), logger);
  const bootstrapKey = config.CANDOR_BOOTSTRAP_KEY;
  if (bootstrapKey) {
    const keys = app.get(FirstKeyService, { strict: false });
    const outcome = await retryUntilReachable(() => keys.bootstrap(bootstrapKey), logger);
    logger.info({ outcome }, 'First key');
  }
  keysReady = true;
}

async function requireTrue(condition: boolean): Promise<void> {
  if (!condition) throw new Error('not yet');
}

await runAsEntryPoint(import.meta.url, main);
