import { AppError, invalidField } from '@candor/contracts';
import type { IndexAddress, IndexOperation } from './search-index.port.js';

/** Refuses a chunk that would end in another tenant's, item's or model's place before anything is written. */
export function assertOperations(
  address: IndexAddress,
  operations: readonly IndexOperation[],
  dimensions: number,
): void {
  for (const operation of operations) {
    if (operation.kind !== 'put-version' && operation.kind !== 'put-superseded') continue;
    for (const chunk of operation.chunks) {
      if (chunk.tenantId !== address.tenantId) throw invalidField('chunks.tenantId', 'must be the index tenant');
      if (chunk.itemId !== operation.itemId) throw invalidField('chunks.itemId', 'must be the operation item');
      if (chunk.version !== operation.version) throw invalidField('chunks.version', 'must be the operation version');
      if (chunk.vector.length !== dimensions) throw profileMismatch(dimensions, chunk.vector.length);
    }
  }
}

export function profileMismatch(expected: number, given: number): AppError {
  return new AppError('EMBEDDINGS.PROFILE_MISMATCH', { details: { expected, given } });
}

/** `apply` and queries on an index that `ensureIndex` never made, or that was dropped. */
export function missingIndex(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', { message: 'The search index does not exist.' });
}
