import { DEFAULT_CHUNKS_PER_SHARD, shardsFor } from '../../libs/search-index/dist/elasticsearch/placement.js';

const GiB = 2 ** 30;

/** Bytes beside the vectors, measured by `node tools/scaling/measure.mjs` (docs/scaling.md). */
export const BYTES = {
  /** Of one chunk in Elasticsearch, without its vectors: text, its inverted index, keyword fields, `_source`. */
  indexed: 1_700,
  /** Of one chunk in Postgres, tables and indices of all that an indexed document leaves behind, shared out over its chunks. */
  stored: 8_500,
  /** Of one search's or question's event in Postgres, tables and indices: 8 documents by their ids, and its place in the chain. */
  audited: 1_560,
  /** Of one waiting job in Redis. */
  queued: 1_234,
};

/** Neighbours of each vector in the graph: Elasticsearch's default, which the mapping keeps. */
const GRAPH_DEGREE = 16;

/**
 * What `chunks` need of an Elasticsearch cluster. By Elasticsearch's own formulas for `int8_hnsw`: a byte for each dimension
 * and 4 more a vector, and 4 bytes for each neighbour in the graph, should lie in the page cache; the full vectors (4 bytes a
 * dimension) are on disk, and are read for the few candidates that are rescored.
 */
export function sizeCluster({ chunks, dimensions, replicas = 1, nodeGiB = 64 }) {
  const hotBytes = chunks * (dimensions + 4 + GRAPH_DEGREE * 4);
  const diskBytes = chunks * (BYTES.indexed + dimensions * 4) + hotBytes;
  // Half of a node's memory is the heap (31 GiB at most), the rest is page cache; a tenth of it is for everything else.
  const cacheGiB = (nodeGiB - Math.min(31, nodeGiB / 2)) * 0.9;
  const copies = 1 + replicas;
  const shards = shardsFor(chunks, DEFAULT_CHUNKS_PER_SHARD);
  const nodes = Math.max(copies, Math.ceil((hotBytes * copies) / (cacheGiB * GiB)));
  return {
    hotGiB: (hotBytes * copies) / GiB,
    // Merges need room: at most 85 % full is Elasticsearch's own low watermark.
    diskGiB: (diskBytes * copies) / GiB / 0.85,
    // When all are one tenant's: its index of what is live and that of its history have as many each.
    primaryShards: { live: shards, history: shards },
    shardGiB: diskBytes / shards / GiB,
    nodes,
  };
}

/** Postgres for as many chunks, GiB, without the audit trail; a fifth more for what a vacuum has not given back yet. */
export function sizeDatabase(chunks) {
  return (chunks * BYTES.stored * 1.2) / GiB;
}

/** The audit trail of as many searches and questions, GiB. */
export function sizeAuditTrail(events) {
  return (events * BYTES.audited * 1.2) / GiB;
}

/**
 * Tenants with an index of their own: two indices each (live and history) of one shard, with copies, twice while a new
 * generation is built. Elasticsearch advises against more than 1,000 shards a node and refuses them by default.
 */
export function tenantsPerCluster({ nodes, replicas = 1, shardsPerNode = 1_000, rebuilding = 0.1 }) {
  const shardsPerTenant = 2 * (1 + replicas) * (1 + rebuilding);
  return Math.floor((nodes * shardsPerNode) / shardsPerTenant);
}
