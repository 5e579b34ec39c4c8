import type { SearchIndexReader, SearchIndexWriter } from '../search-index.port.js';
import { LanceDbReader } from './lancedb-reader.js';
import type { LanceDbOptions } from './lancedb-store.js';
import { LanceDbWriter } from './lancedb-writer.js';

/** Both sides, for tests and for processes that read and write. */
export function createLanceDbIndex(options: LanceDbOptions): { reader: SearchIndexReader; writer: SearchIndexWriter } {
  return { reader: new LanceDbReader(options), writer: new LanceDbWriter(options) };
}
