import { ElasticsearchWriter } from './elasticsearch/elasticsearch-writer.js';
import type { ElasticsearchOptions } from './elasticsearch/elasticsearch-client.js';
import { LanceDbWriter } from './lancedb/lancedb-writer.js';
import type { LanceDbOptions } from './lancedb/lancedb-store.js';
import type { SearchIndexWriter } from './search-index.port.js';

export { BatchedIndexWriter, type BatchLimits } from './batched-writer.js';
export type { ElasticsearchOptions } from './elasticsearch/elasticsearch-client.js';
export { createElasticsearchIndex } from './elasticsearch/create-elasticsearch-index.js';
export { createLanceDbIndex } from './lancedb/create-lancedb-index.js';
export type { LanceDbOptions } from './lancedb/lancedb-store.js';
export { SEARCH_INDEX_WRITER } from './search-index.port.js';
export type {
  ChunkDocument,
  ChunkMetadata,
  CountChunks,
  IndexAddress,
  IndexOperation,
  SearchIndexWriter,
} from './search-index.port.js';

export function createElasticsearchWriter(options: ElasticsearchOptions): SearchIndexWriter {
  return new ElasticsearchWriter(options);
}

/** Shares its tables with every reader and writer of the same directory in this process. */
export function createLanceDbWriter(options: LanceDbOptions): SearchIndexWriter {
  return new LanceDbWriter(options);
}
export {
  elasticsearchEnvironment,
  elasticsearchOptionsFrom,
  indexPlacementEnvironment,
  placementOptionsFrom,
} from './elasticsearch/elasticsearch-environment.js';
