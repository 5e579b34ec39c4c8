import { z } from 'zod';
import { embeddingsEnvironment } from '@candor/embeddings';
import { portFromEnv } from '@candor/runtime';
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
    GRPC_TLS_CA: z.string().optional().describe('PEM: callers must show a certificate of this authority.'),
    GRPC_TLS_CERT: z.string().optional().describe("PEM: this service's certificate."),
    GRPC_TLS_KEY: z.string().optional().describe("PEM: the certificate's key."),
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
      .default('info')
      .describe('Least severe line.'),
    CANDOR_SIGNING_KEY: z
      .string()
      .min(32)
      .describe('Signs caller scopes in jobs and calls; the same for all services.'),
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).describe('Postgres; a role that may only read is enough.'),
    ...elasticsearchEnvironment,
    ...embeddingsEnvironment,
  })
  .superRefine((config, context) => {
    const tls = [config.GRPC_TLS_CA, config.GRPC_TLS_CERT, config.GRPC_TLS_KEY].filter((part) => part !== undefined);
    if (tls.length === 0 || tls.length === 3) return;
    const message = 'must be set together with GRPC_TLS_CERT and GRPC_TLS_KEY';
    context.addIssue({ code: 'custom', path: ['GRPC_TLS_CA'], message });
  });
export type RetrievalConfig = z.output<typeof retrievalConfigSchema>;
