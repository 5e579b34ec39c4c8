import { z } from 'zod';
import type { ElasticsearchOptions } from './elasticsearch-client.js';
import { DEFAULT_CHUNKS_PER_SHARD, NO_POOLS } from './placement.js';

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
export const indexPlacementEnvironment = {
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
  ELASTICSEARCH_CHUNKS_PER_SHARD: z.coerce
    .number()
    .int()
    .min(10_000)
    .default(DEFAULT_CHUNKS_PER_SHARD)
    .describe('For each so many chunks a tenant gets a primary shard with its next generation.'),
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

export function placementOptionsFrom(
  config: z.output<z.ZodObject<typeof indexPlacementEnvironment>>,
): Pick<ElasticsearchOptions, 'pools' | 'chunksPerShard'> {
  return {
    pools: { count: config.ELASTICSEARCH_POOLS, maxChunks: config.ELASTICSEARCH_POOLED_CHUNKS },
    chunksPerShard: config.ELASTICSEARCH_CHUNKS_PER_SHARD,
  };
}

function authOf(config: ElasticsearchEnvironment): Pick<ElasticsearchOptions, 'auth'> {
  const { ELASTICSEARCH_API_KEY: apiKey, ELASTICSEARCH_USERNAME: username, ELASTICSEARCH_PASSWORD: password } = config;
  if (apiKey !== undefined) return { auth: { apiKey } };
  return username !== undefined && password !== undefined ? { auth: { username, password } } : {};
}
