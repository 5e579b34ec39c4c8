import { errors, type Client } from '@elastic/elasticsearch';
import type { VectorFormat } from './chunk-source.js';

/** Earlier servers take a vector as an array of numbers only, which each one takes. */
const BINARY_SINCE = [9, 3] as const;
/** A role without `monitor`, and services that keep their nodes to themselves. */
const UNTOLD_STATUSES = new Set([400, 403, 404, 405, 410]);

/**
 * How every node of the cluster takes vectors. The one that answers isn't the one that holds the shard: while a cluster is
 * upgraded node by node, the oldest decides. A node older than all others can't join later.
 */
export async function findVectorFormat(client: Client): Promise<VectorFormat> {
  const versions = await listNodeVersions(client);
  return versions.length > 0 && versions.every(takesBinary) ? 'binary' : 'array';
}

/** [] = the server doesn't say. */
async function listNodeVersions(client: Client): Promise<string[]> {
  try {
    const answer: { nodes?: Record<string, { version: string }> } = await client.nodes.info({
      node_id: '_all',
      metric: '_none',
      filter_path: ['nodes.*.version'],
    });
    return Object.values(answer.nodes ?? {}).map(({ version }) => version);
  } catch (error) {
    if (error instanceof errors.ResponseError && UNTOLD_STATUSES.has(error.statusCode ?? 0)) return [];
    throw error;
  }
}

function takesBinary(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [sinceMajor, sinceMinor] = BINARY_SINCE;
  return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor);
}
