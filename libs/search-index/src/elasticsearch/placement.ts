import { createHash } from 'node:crypto';
import type { Client, estypes } from '@elastic/elasticsearch';
import { AppError } from '@candor/contracts';
import type { IndexAddress } from '../search-index.port.js';
import { mappedDimensions } from './index-mapping.js';
import type { IndexNames } from './index-names.js';
import { isIndexMissing } from './map-elasticsearch-error.js';

/** Small tenants share indices, because a cluster holds about a thousand shards a node. */
export interface PoolSettings {
  /** Indices that small tenants are spread over; 0 = each generation has its own. */
  count: number;
  /** A tenant with more chunks gets indices of its own with its next generation. */
  maxChunks: number;
}

export const NO_POOLS: PoolSettings = { count: 0, maxChunks: 50_000 };

/** What one shard holds well: its graph of vectors is merged as a whole, and a shard is read on one node alone. */
export const DEFAULT_CHUNKS_PER_SHARD = 5_000_000;
/** Each search asks every shard. */
export const MOST_SHARDS = 256;

/** Primary shards of an index that is made for so many chunks. */
export function shardsFor(chunks: number, chunksPerShard: number): number {
  return Math.min(MOST_SHARDS, Math.max(1, Math.ceil(chunks / chunksPerShard)));
}

/** Where a generation's chunks really lie: in indices of its own, or in a pool's, where aliases show its part alone. */
export interface Placement {
  live: string;
  history: string;
  isPooled: boolean;
  dimensions: number;
}

/** Null when the index was never made, or was dropped. */
export async function findPlacement(client: Client, names: IndexNames): Promise<Placement | null> {
  const mappings = await client.indices.getMapping({ index: names.live }).catch((error: unknown) => {
    if (isIndexMissing(error)) return {};
    throw error;
  });
  const [live, entry] = Object.entries(mappings)[0] ?? [];
  if (live === undefined) return null;
  const dimensions = mappedDimensions(entry?.mappings);
  if (dimensions === null) throw new AppError('INTERNAL.UNEXPECTED', { cause: new Error(`${live} has no vectors`) });
  return { live, history: `${live}-history`, isPooled: live !== names.live, dimensions };
}

/** By its id, so that every worker finds the same one; with more pools, those that have a place keep it. */
export function poolOf({ tenantId }: IndexAddress, dimensions: number, { count }: PoolSettings): Placement {
  const number = createHash('sha256').update(tenantId).digest().readUInt32BE() % count;
  const live = `candor-pool-${dimensions}-${number}`;
  return { live, history: `${live}-history`, isPooled: true, dimensions };
}

/** What is a generation's in a pool; searches name the tenant once more. */
export function ownPart({ tenantId, generation }: IndexAddress): estypes.QueryDslQueryContainer {
  return { bool: { filter: [{ term: { tenantId } }, { term: { generation } }] } };
}

/** Of a chunk as a document: a pool holds the same chunk once for each generation. */
export function documentId(address: IndexAddress, { isPooled }: Placement, chunkId: string): string {
  return isPooled ? `${address.tenantId}/${address.generation}/${chunkId}` : chunkId;
}
