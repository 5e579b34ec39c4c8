import { invalidField } from '@candor/contracts';
import type { CandidateQuery, ChunkFilter } from './search-index.port.js';

/** Elasticsearch's bound on `k` and `num_candidates`; the same for every adapter. */
export const MAX_CANDIDATES = 10_000;

/** True when no chunk can pass, so no engine has to be asked. */
export function matchesNothing(filter: ChunkFilter): boolean {
  return filter.providers?.length === 0 || filter.itemIds?.length === 0;
}

/** Milliseconds since the epoch; REQUEST.INVALID when it is not an instant. */
export function instantToMillis(instant: string, field: string): number {
  const millis = Date.parse(instant);
  if (Number.isNaN(millis)) throw invalidField(field, 'must be an ISO 8601 timestamp');
  return millis;
}

export function assertCandidateQuery(query: CandidateQuery): void {
  if (!Number.isInteger(query.k) || query.k < 1 || query.k > MAX_CANDIDATES) {
    throw invalidField('k', `must be an integer from 1 to ${MAX_CANDIDATES}`);
  }
}
