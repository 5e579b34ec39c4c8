import { z } from 'zod';
import type { ElasticsearchOptions } from './elasticsearch-client.js';
import { NO_POOLS, type PoolSettings } from './placement.js';

/** The variables by which a service reaches Elasticsearch. */
export const elasticsearchEnvironment = {
  ELASTICSEARCH_URL: z.url({ protocol: /^https?$/ }).describe('Elasticsearch.'),
  ELASTICSEARCH_API_KEY: z.string().optional().describe('Encoded API key; else user and password, or nothing.'),
  ELASTICSEARCH_USERNAME: z.string().optional().describe('User, together with the password.'),
  ELASTICSEARCH_PASSWORD: z.string().optional().describe('Password, together with the user.'),
  ELASTICSEARCH_CA: z.string().optional().describe('PEM of a private certificate authority.'),
  ELASTICSEARCH_REPLICAS: z.coerce.number().int().min(0).max(10).default(0).describe('Copies of each new index.'),
};

/** Of the one that writes. */
export const indexPoolEnvironment = {
  ELASTICSEARCH_POOLS: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000)
    .default(NO_POOLS.count)
    .describe('Indices that small tenants share, for thousands of tenants; 0 = each tenant has its own.'),
  ELASTICSEARCH_POOLED_CHUNKS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000_000)
    .default(NO_POOLS.maxChunks)
    .describe('A tenant with more chunks gets indices of its own with its next generation.'),
};

export type ElasticsearchEnvironment = z.output<z.ZodObject<typeof elasticsearchEnvironment>>;

export function elasticsearchOptionsFrom(config: ElasticsearchEnvironment): ElasticsearchOptions {
  return {
    url: config.ELASTICSEARCH_URL,
    replicas: config.ELASTICSEARCH_REPLICAS,
    ...authOf(config),
    ...(config.ELASTICSEARCH_CA === undefined ? {} : { certificateAuthority: config.ELASTICSEARCH_CA }),
  };
}

export function poolSettingsFrom(config: z.output<z.ZodObject<typeof indexPoolEnvironment>>): PoolSettings {
  return { count: config.ELASTICSEARCH_POOLS, maxChunks: config.ELASTICSEARCH_POOLED_CHUNKS };
}

function authOf(config: ElasticsearchEnvironment): Pick<ElasticsearchOptions, 'auth'> {
  const { ELASTICSEARCH_API_KEY: apiKey, ELASTICSEARCH_USERNAME: username, ELASTICSEARCH_PASSWORD: password } = config;
  if (apiKey !== undefined) return { auth: { apiKey } };
  return username !== undefined && password !== undefined ? { auth: { username, password } } : {};
}
