import { z } from 'zod';
import { embeddingsEnvironment } from '@candor/embeddings';
import { databaseEnvironment } from '@candor/persistence/views';
import { grpcTlsEnvironment, portFromEnv, requireWholeGrpcTls, signingEnvironment } from '@candor/runtime';
import { elasticsearchEnvironment } from '@candor/search-index/read';

/** What the retrieval process reads from the environment; nothing else. NAME_FILE names a file with the value. */
export const retrievalConfigSchema = z
  .object({
    HOST: z.string().default('127.0.0.1').describe('Address of the health endpoints.'),
    HEALTH_PORT: portFromEnv(3002).describe('Port of /healthz, /readyz and /metrics.'),
    GRPC_BIND: z
      .string()
      .regex(/^.+:\d{1,5}$/, 'must be host:port')
      .default('127.0.0.1:50051')
      .describe('host:port of the gRPC service.'),
    ...grpcTlsEnvironment,
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
      .default('info')
      .describe('Least severe line.'),
    ...signingEnvironment,
    ...databaseEnvironment,
    ...elasticsearchEnvironment,
    ...embeddingsEnvironment,
  })
  .superRefine(requireWholeGrpcTls);
export type RetrievalConfig = z.output<typeof retrievalConfigSchema>;
