import type { SearchIndexReader, SearchIndexWriter } from '../search-index.port.js';
import type { ElasticsearchOptions } from './elasticsearch-client.js';
import { ElasticsearchReader } from './elasticsearch-reader.js';
import { ElasticsearchWriter } from './elasticsearch-writer.js';

/** Both sides, for tests and for processes that read and write. */
export function createElasticsearchIndex(options: ElasticsearchOptions): {
  reader: SearchIndexReader;
  writer: SearchIndexWriter;
} {
  return { reader: new ElasticsearchReader(options), writer: new ElasticsearchWriter(options) };
}
