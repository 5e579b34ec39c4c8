import { countChunksUpTo, type Database } from '@candor/persistence';
import type { CountChunks } from '@candor/search-index/write';

/** For an index that is to be made: a small tenant's may share its place with others. */
export function chunkCounter(database: Database, tenantId: string): CountChunks {
  return (upTo) => database.forTenants([tenantId]).read((manager) => countChunksUpTo(manager, tenantId, upTo));
}
