import type { SearchBody } from '@candor/contracts';
import type { ChunkQuery } from './retrieval-run.js';

export function toChunkQuery(body: SearchBody): ChunkQuery {
  return {
    text: body.query,
    sourceItemId: body.sourceItemId,
    collectionId: body.collectionId,
    providers: body.providers,
    updatedAfter: body.updatedAfter,
    updatedBefore: body.updatedBefore,
    knownAsOf: body.knownAsOf,
  };
}
