import { describe, expect, it } from '@jest/globals';
import { collectQueries, digestQueries, type LabelledQuery } from './collect-queries.js';

const many = (count: number, answerable: boolean): LabelledQuery[] =>
  Array.from({ length: count }, (_, index) => ({ query: `${answerable ? 'yes' : 'no'} ${index}`, answerable }));

describe('collectQueries', () => {
  it('takes each query once, the caller’s label first', () => {
    const own = [...many(20, true), ...many(20, false), { query: 'yes 0', answerable: true }];
    const queries = collectQueries(own, [
      { query: 'yes 0', answerable: false },
      { query: 'told', answerable: true },
    ]);
    expect(queries).toHaveLength(41);
    expect(queries.find(({ query }) => query === 'yes 0')).toEqual({ query: 'yes 0', answerable: true });
  });

  it.each([
    [many(19, true), many(20, false)],
    [many(20, true), many(19, false)],
  ])('needs twenty of each kind', (left, right) => {
    expect(() => collectQueries([...left, ...right], [])).toThrow(/must hold at least 20 answerable and 20/);
    expect(() => collectQueries(left, right)).toThrow(/must hold at least 20/);
  });

  it('refuses a query with two labels, naming its place', () => {
    expect(() => collectQueries([...many(1, true), { query: 'yes 0', answerable: false }], [])).toThrow(/queries\[1\]/);
  });

  it('digests the set, not its order', () => {
    const queries = many(3, true);
    expect(digestQueries(queries)).toBe(digestQueries(queries.toReversed()));
    expect(digestQueries(queries)).not.toBe(digestQueries(many(3, false)));
    expect(digestQueries(queries)).toMatch(/^[0-9a-f]{64}$/);
  });
});
