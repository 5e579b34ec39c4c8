import { z } from 'zod';
import { auditEnvironment } from '@candor/audit';
import { embeddingsEnvironment } from '@candor/embeddings';
import { databaseEnvironment, quotaEnvironment } from '@candor/persistence';
import { booleanFromEnv, encryptionEnvironment, portFromEnv } from '@candor/runtime';
import { elasticsearchEnvironment, indexPlacementEnvironment } from '@candor/search-index/write';

/** What the ingestion worker reads from the environment; nothing else. */
export const workerConfigSchema = z.object({
  HOST: z.string().default('127.0.0.1').describe('Address of the health endpoints.'),
  HEALTH_PORT: portFromEnv(3001).describe('Port of /healthz, /readyz and /metrics.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('Least severe line.'),
  ...databaseEnvironment,
  ...quotaEnvironment,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).describe('Redis of the queues.'),
  ...encryptionEnvironment,
  ...auditEnvironment,
  CANDOR_ALLOW_PRIVATE_CONNECTORS: booleanFromEnv(false).describe(
    'Sources may have private addresses, and addresses without TLS.',
  ),
  CANDOR_FILE_READERS: z.coerce
    .number()
    .int()
    .min(1)
    .max(16)
    .default(2)
    .describe('Files read at once, each in a process of its own.'),
  CANDOR_FILE_READER_MEMORY_MB: z.coerce
    .number()
    .int()
    .min(256)
    .max(16_384)
    .default(768)
    .describe('Memory that reading one file may take; a file that needs more fails.'),
  ...elasticsearchEnvironment,
  ...indexPlacementEnvironment,
  ...embeddingsEnvironment,
});
export type WorkerConfig = z.output<typeof workerConfigSchema>;
