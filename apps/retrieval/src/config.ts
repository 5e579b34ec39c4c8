import { z } from 'zod';
import { portFromEnv } from '@candor/runtime';

/** Files of a secret or certificate may be given as NAME_FILE. */
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
    ELASTICSEARCH_URL: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Elasticsearch.'),
    ELASTICSEARCH_API_KEY: z.string().optional().describe('Encoded API key; else a user and a password, or nothing.'),
    ELASTICSEARCH_USERNAME: z.string().optional(),
    ELASTICSEARCH_PASSWORD: z.string().optional(),
    ELASTICSEARCH_CA: z.string().optional().describe('PEM of a private certificate authority.'),
    LANCEDB_DIR: z.string().optional().describe('Embedded index of one machine, instead of Elasticsearch.'),
    EMBEDDINGS: z
      .enum(['onnx', 'openai-compatible', 'hashing'])
      .default('onnx')
      .describe('Must be what the index was built with.'),
    EMBEDDINGS_MODEL: z.string().default('bge-small-en-v1.5-q').describe('Model name.'),
    CANDOR_MODEL_DIR: z.string().optional().describe('Folder with model.onnx and tokenizer.json, for onnx.'),
    EMBEDDINGS_URL: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Up to and including /v1, for openai-compatible.'),
    EMBEDDINGS_API_KEY: z.string().optional(),
    EMBEDDINGS_REVISION: z.string().optional().describe('Names the weights behind the model name.'),
    EMBEDDINGS_DIMENSIONS: z.coerce.number().int().positive().optional(),
    EMBEDDINGS_QUERY_PREFIX: z.string().optional(),
    EMBEDDINGS_PASSAGE_PREFIX: z.string().optional(),
  })
  .superRefine((config, context) => {
    const refuse = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message });
    if ((config.ELASTICSEARCH_URL === undefined) === (config.LANCEDB_DIR === undefined)) {
      refuse('ELASTICSEARCH_URL', 'must be set, or LANCEDB_DIR, and not both');
    }
    if (config.EMBEDDINGS === 'onnx' && config.CANDOR_MODEL_DIR === undefined) {
      refuse('CANDOR_MODEL_DIR', 'must be set for onnx embeddings');
    }
    if (config.EMBEDDINGS === 'openai-compatible' && config.EMBEDDINGS_URL === undefined) {
      refuse('EMBEDDINGS_URL', 'must be set for openai-compatible embeddings');
    }
    const tls = [config.GRPC_TLS_CA, config.GRPC_TLS_CERT, config.GRPC_TLS_KEY].filter((part) => part !== undefined);
    if (tls.length % 3 !== 0) refuse('GRPC_TLS_CA', 'must be set together with GRPC_TLS_CERT and GRPC_TLS_KEY');
  });
export type RetrievalConfig = z.output<typeof retrievalConfigSchema>;
