import { openFilter, unitVector } from '../conformance/chunk-builder.js';
import { buildFilter } from './build-filter.js';
import { buildSearches } from './build-search.js';

const query = { filter: openFilter('tenant', { providers: ['slack'] }), vector: unitVector(1), text: 'words', k: 7 };

describe('buildSearches', () => {
  const [dense, lexical] = buildSearches(query, { vectorFormat: 'binary', timeoutMs: 1_000 });

  it('gives both legs the same filter, the dense one inside knn', () => {
    const filter = buildFilter(query.filter);
    expect(dense!.knn).toMatchObject({ filter, k: 7, num_candidates: 100 });
    expect(dense!.query).toBeUndefined();
    expect(lexical!.query).toMatchObject({ bool: { filter } });
  });

  it('asks for pages without totals, with a timeout, and with vectors apart from the source', () => {
    for (const body of [dense!, lexical!]) {
      expect(body).toMatchObject({
        size: 7,
        track_total_hits: false,
        timeout: '1000ms',
        _source: { excludes: ['vector'] },
        docvalue_fields: [{ field: 'vector', format: 'binary' }],
      });
    }
  });

  it('explores twice k, within what the server allows', () => {
    const candidatesAt = (k: number): unknown =>
      buildSearches({ ...query, k }, { vectorFormat: 'array', timeoutMs: 1 })[0]!.knn;
    expect(candidatesAt(80)).toMatchObject({ num_candidates: 160 });
    expect(candidatesAt(9_000)).toMatchObject({ k: 9_000, num_candidates: 10_000 });
  });
});

describe('buildFilter', () => {
  it('always names the tenant', () => {
    expect(buildFilter(openFilter('tenant'))).toEqual([{ term: { tenantId: 'tenant' } }]);
  });

  it('never lets raw text reach the server as date math', () => {
    const filter = openFilter('tenant', { updatedAfter: '2024-01-01T02:00:00+02:00' });
    expect(buildFilter(filter)[1]).toEqual({ range: { sourceUpdatedAt: { gte: '2024-01-01T00:00:00.000Z' } } });
    expect(() => buildFilter(openFilter('tenant', { updatedAfter: 'now-1d' }))).toThrow('updatedAfter');
  });
});
