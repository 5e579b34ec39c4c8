import { describe, expect, it } from '@jest/globals';
import { cutQuery } from './cut-query.js';

describe('cutQuery', () => {
  it.each(['', ' ', '"(( AND', 'Wann fährt der Aufzug?', 'word '.repeat(300), '租'.repeat(300)])(
    'leaves a query of a usual length as it is',
    (text) => {
      expect(cutQuery(text)).toBe(text);
    },
  );

  it('keeps the first 300 words of a longer one', () => {
    const words = Array.from({ length: 400 }, (_, number) => `w${number}`);
    expect(cutQuery(words.join(', '))).toBe(`${words.slice(0, 300).join(', ')}, `);
  });

  it('counts each character of a script without spaces, and each emoji', () => {
    expect(cutQuery('租赁'.repeat(200))).toBe('租赁'.repeat(150));
    expect(cutQuery('a'.repeat(2_000))).toHaveLength(2_000);
    expect(cutQuery('🎉'.repeat(301))).toBe('🎉'.repeat(300));
  });
});
