import { ElasticsearchReader } from './elasticsearch/elasticsearch-reader.js';
import type { ElasticsearchOptions } from './elasticsearch/elasticsearch-client.js';
import { LanceDbReader } from './lancedb/lancedb-reader.js';
import type { LanceDbOptions } from './lancedb/lancedb-store.js';
import type { SearchIndexReader } from './search-index.port.js';

export { MAX_CANDIDATES } from './chunk-filter.js';
export type { ElasticsearchOptions } from './elasticsearch/elasticsearch-client.js';
export type { LanceDbOptions } from './lancedb/lancedb-store.js';
export { SEARCH_INDEX_READER } from './search-index.port.js';
export type {
  Candidate,
  CandidateQuery,
  CandidateResult,
  ChunkDocument,
  ChunkFilter,
  FoundChunk,
  IndexAddress,
  SearchIndexReader,
} from './search-index.port.js';

export function createElasticsearchReader(options: ElasticsearchOptions): SearchIndexReader {
  return new ElasticsearchReader(options);
}

/** Shares its tables with every reader and writer of the same directory in this process. */
export function createLanceDbReader(options: LanceDbOptions): SearchIndexReader {
  return new LanceDbReader(options);
}
export { elasticsearchEnvironment, elasticsearchOptionsFrom } from './elasticsearch/elasticsearch-environment.js';
