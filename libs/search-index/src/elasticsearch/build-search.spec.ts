import { openFilter, unitVector } from '../conformance/chunk-builder.js';
import { buildFilter } from './build-filter.js';
import { buildDenseSearch, buildLexicalSearch } from './build-search.js';

const query = { filter: openFilter('tenant', { providers: ['slack'] }), text: 'words', k: 7 };
const options = { vectorFormat: 'binary', timeoutMs: 1_000 } as const;

describe('the searches of both legs', () => {
  const dense = buildDenseSearch(query, unitVector(1), options);
  const lexical = buildLexicalSearch(query, options);

  it('have the same filter, the dense one inside knn', () => {
    const filter = buildFilter(query.filter);
    expect(dense.knn).toMatchObject({ filter, k: 7, num_candidates: 400 });
    expect(dense.query).toBeUndefined();
    expect(lexical.query).toMatchObject({ bool: { filter } });
  });

  it('ask for pages without totals, with a timeout', () => {
    for (const body of [dense, lexical]) {
      expect(body).toMatchObject({ size: 7, track_total_hits: false, timeout: '1000ms', _source: true });
    }
  });

  it('leave no vector out: exact scores in the dense leg, vectors in the lexical one', () => {
    expect(dense.knn).toMatchObject({ rescore_vector: { oversample: 1 } });
    expect(dense.docvalue_fields).toBeUndefined();
    expect(lexical.docvalue_fields).toEqual([{ field: 'vector', format: 'binary' }]);
  });

  it('keep the vector out of the source of servers that would send it', () => {
    const older = { ...options, vectorFormat: 'array' } as const;
    for (const body of [buildDenseSearch(query, unitVector(1), older), buildLexicalSearch(query, older)]) {
      expect(body._source).toEqual({ excludes: ['vector'] });
    }
  });

  it('explore twice k, within what the server allows', () => {
    const knnAt = (k: number): unknown => buildDenseSearch({ ...query, k }, unitVector(1), options).knn;
    expect(knnAt(300)).toMatchObject({ num_candidates: 600 });
    expect(knnAt(9_000)).toMatchObject({ k: 9_000, num_candidates: 10_000 });
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
