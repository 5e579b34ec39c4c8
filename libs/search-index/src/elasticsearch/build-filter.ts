import { ANYONE } from '@candor/contracts';
import type { estypes } from '@elastic/elasticsearch';
import { instantToMillis } from '../chunk-filter.js';
import type { ChunkFilter } from '../search-index.port.js';
import { anyOf } from './any-of.js';

type Query = estypes.QueryDslQueryContainer;

/** The caller's filter as ANDed clauses. Values only ever travel as JSON values, never inside a query string. */
export function buildFilter(filter: ChunkFilter): Query[] {
  const clauses: Query[] = [{ term: { tenantId: filter.tenantId } }];
  if (filter.providers) clauses.push({ terms: { provider: filter.providers } });
  if (filter.principals) clauses.push(visibleTo(filter.principals));
  if (filter.itemIds) clauses.push(anyOf('itemId', filter.itemIds));
  if (filter.excludeItemIds?.length) clauses.push(not(anyOf('itemId', filter.excludeItemIds)));
  if (filter.excludeChunkIds?.length) clauses.push(not(anyOf('chunkId', filter.excludeChunkIds)));
  if (filter.updatedAfter !== undefined) {
    clauses.push({ range: { sourceUpdatedAt: { gte: isoInstant(filter.updatedAfter, 'updatedAfter') } } });
  }
  if (filter.updatedBefore !== undefined) {
    clauses.push({ range: { sourceUpdatedAt: { lte: isoInstant(filter.updatedBefore, 'updatedBefore') } } });
  }
  if (filter.knownAsOf !== undefined) {
    const asOf = isoInstant(filter.knownAsOf, 'knownAsOf');
    clauses.push({ range: { recordedAt: { lte: asOf } } });
    clauses.push(not({ range: { supersededAt: { lte: asOf } } }));
  }
  return clauses;
}

function visibleTo(principals: readonly string[]): Query {
  return {
    bool: {
      should: [
        { term: { accessMode: 'provider_scope' } },
        { bool: { filter: [{ term: { accessMode: 'acl' } }, anyOf('principals', [...principals, ANYONE])] } },
      ],
      minimum_should_match: 1,
    },
  };
}

function not(query: Query): Query {
  return { bool: { must_not: [query] } };
}

/** Re-written, because Elasticsearch would take date math (`now-1d`, `||/d`) from a raw string. */
function isoInstant(instant: string, field: string): string {
  return new Date(instantToMillis(instant, field)).toISOString();
}
