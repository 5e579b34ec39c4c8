import { z } from 'zod';
import { LONGEST_RUN_MS, type QuotaLimits } from '@candor/contracts';
import { databaseEnvironment, quotaEnvironment } from '@candor/persistence';
import {
  booleanFromEnv,
  encryptionEnvironment,
  grpcTlsEnvironment,
  portFromEnv,
  requireWholeGrpcTls,
  signingEnvironment,
} from '@candor/runtime';
import { API_KEY_PATTERN } from './access/api-key-secret.js';
import { corsEnvironment } from './access/cors.middleware.js';
import { mcpEnvironment } from './features/mcp/mcp-environment.js';
import { uploadsEnvironment } from './uploads/uploads-environment.js';

const milliseconds = (fallback: number) => z.coerce.number().int().min(100).max(LONGEST_RUN_MS).default(fallback);

/** What the gateway reads from the environment; nothing else. */
export const gatewayConfigSchema = z
  .object({
    HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
    PORT: portFromEnv(3000).describe('Port of the public API.'),
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
      .default('info')
      .describe('Least severe line.'),
    ...databaseEnvironment,
    REDIS_URL: z.url({ protocol: /^rediss?$/ }).describe('Redis of the queues, the reply channel and the rate limits.'),
    RETRIEVAL_URL: z.string().min(1).describe('gRPC target of retrieval, e.g. dns:///retrieval:50051.'),
    ...signingEnvironment,
    CANDOR_BOOTSTRAP_KEY: z
      .string()
      .regex(API_KEY_PATTERN, 'must look like gm_<publicId>_<secret>')
      .optional()
      .describe("The installation's first key, made on the first start."),
    READY_FILE: z.string().optional().describe('Not ready until this file exists; for launchers that load data first.'),
    SEARCH_DEADLINE_MS: milliseconds(10_000).describe('Longest time of a search, ms.'),
    REASON_DEADLINE_MS: milliseconds(60_000).describe(
      'Longest time of a reason request, ms. A gateway that is told to end goes on for as long: whoever runs it must not kill it before.',
    ),
    ...encryptionEnvironment,
    CANDOR_ALLOW_PRIVATE_CONNECTORS: booleanFromEnv(false).describe(
      'Sources may have private addresses, and addresses without TLS.',
    ),
    ...uploadsEnvironment,
    ...quotaEnvironment,
    ...corsEnvironment,
    ...mcpEnvironment,
    ...grpcTlsEnvironment,
  })
  .superRefine(requireWholeGrpcTls);
export type GatewayConfig = z.output<typeof gatewayConfigSchema>;

export interface GatewayLimits {
  searchDeadlineMs: number;
  reasonDeadlineMs: number;
  /** Of files that are received and stored at once; default: that of `UPLOADS_IN_FLIGHT_MIB`. */
  uploadBytes?: number;
  /** Of tenants that have no limits of their own; default: none. */
  quotas?: QuotaLimits;
}
