import { describe, expect, it } from '@jest/globals';
import { anyOf } from './any-of.js';

describe('anyOf', () => {
  const idsOf = (count: number): string[] => Array.from({ length: count }, (_, number) => `id${number}`);

  it('is one list as long as the server takes it', () => {
    expect(anyOf('itemId', [])).toEqual({ terms: { itemId: [] } });
    expect(anyOf('itemId', idsOf(65_536))).toEqual({ terms: { itemId: idsOf(65_536) } });
  });

  it('is several lists beyond that, of which one has to hold', () => {
    const ids = idsOf(140_000);
    const query = anyOf('itemId', ids);
    const lists = (query?.bool?.should as { terms: { itemId: string[] } }[]).map(({ terms }) => terms.itemId);
    expect(query?.bool?.minimum_should_match).toBe(1);
    expect(lists.map((list) => list.length)).toEqual([65_536, 65_536, 8_928]);
    expect(lists.flat()).toEqual(ids);
  });
});
