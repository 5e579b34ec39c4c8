import { Client } from '@elastic/elasticsearch';
import { measureRequests } from './measure-requests.js';
import type { PoolSettings } from './placement.js';

type ClientOptions = ConstructorParameters<typeof Client>[0];

export interface ElasticsearchOptions {
  url: string;
  auth?: { apiKey: string } | { username: string; password: string };
  /** PEM of a private certificate authority. */
  certificateAuthority?: string;
  /** Copies of each index; 0 on a single node. Default 0. */
  replicas?: number;
  /** Whether small tenants share indices; only the writer asks. Default: they don't. */
  pools?: PoolSettings;
  /** A tenant with more chunks has more shards; only the writer asks. Default 5 million. */
  chunksPerShard?: number;
  /** Milliseconds a search may take. Default 10,000. */
  searchTimeoutMs?: number;
  /** Milliseconds after which a server that didn't answer is asked again. Default 2,000. */
  circuitResetMs?: number;
  /** Milliseconds a write may take. Default 60,000. */
  writeTimeoutMs?: number;
}

const DEFAULT_SEARCH_TIMEOUT_MS = 10_000;
const DEFAULT_WRITE_TIMEOUT_MS = 60_000;

/** No retries: the caller's own deadline and the next node's turn are better judges of a slow search. */
export function createSearchClient(options: ElasticsearchOptions): { client: Client; timeoutMs: number } {
  const timeoutMs = options.searchTimeoutMs ?? DEFAULT_SEARCH_TIMEOUT_MS;
  const client = new Client({ ...clientOptions(options), maxRetries: 0, requestTimeout: timeoutMs });
  return { client: measureRequests(client), timeoutMs };
}

/** Every write is idempotent (ids are given), so a lost connection may be tried again. */
export function createWriteClient(options: ElasticsearchOptions): Client {
  const requestTimeout = options.writeTimeoutMs ?? DEFAULT_WRITE_TIMEOUT_MS;
  return measureRequests(new Client({ ...clientOptions(options), maxRetries: 2, requestTimeout }));
}

function clientOptions(options: ElasticsearchOptions): ClientOptions {
  return {
    node: options.url,
    ...(options.auth ? { auth: options.auth } : {}),
    ...(options.certificateAuthority ? { tls: { ca: options.certificateAuthority } } : {}),
  };
}
