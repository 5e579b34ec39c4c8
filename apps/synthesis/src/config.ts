import { z } from 'zod';
import { LONGEST_RUN_MS } from '@candor/contracts';
import { embeddingsEnvironment } from '@candor/embeddings';
import { grpcTlsEnvironment, portFromEnv, requireWholeGrpcTls } from '@candor/runtime';

/** How answers are made; with `LLM_BASE_URL` by an OpenAI-compatible model, else by quoting whole sentences. No other switch. */
export const answerProviderEnvironment = {
  LLM_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('OpenAI-compatible endpoint up to and including /v1; without it the extractive provider answers.'),
  LLM_MODEL: z.string().optional().describe('Model name, with LLM_BASE_URL.'),
  LLM_API_KEY: z.string().optional().describe('Key of the endpoint.'),
  LLM_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(LONGEST_RUN_MS)
    .default(45_000)
    .describe('Longest time of the one call, ms.'),
  LLM_MAX_OUTPUT_TOKENS: z.coerce.number().int().min(16).max(100_000).default(2_000).describe('Longest output.'),
};

export type AnswerProviderEnvironment = z.output<z.ZodObject<typeof answerProviderEnvironment>>;

/** What synthesis reads from the environment; nothing else. */
export const synthesisConfigSchema = z
  .object({
    HOST: z.string().default('127.0.0.1').describe('Address of the health endpoints.'),
    HEALTH_PORT: portFromEnv(3003).describe('Port of /healthz, /readyz and /metrics.'),
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
      .default('info')
      .describe('Least severe line.'),
    REDIS_URL: z.url({ protocol: /^rediss?$/ }).describe('Redis of the queue and the reply channel.'),
    RETRIEVAL_URL: z.string().min(1).describe('gRPC target of retrieval, e.g. dns:///retrieval:50051.'),
    REASON_CONCURRENCY: z.coerce.number().int().min(1).max(256).default(8).describe('Questions at the same time.'),
    ...answerProviderEnvironment,
    ...embeddingsEnvironment,
    ...grpcTlsEnvironment,
  })
  .superRefine(requireWholeGrpcTls)
  .superRefine((config, context) => {
    if (config.LLM_BASE_URL !== undefined && config.LLM_MODEL === undefined)
      context.addIssue({ code: 'custom', path: ['LLM_MODEL'], message: 'must be set together with LLM_BASE_URL' });
  });
export type SynthesisConfig = z.output<typeof synthesisConfigSchema>;
