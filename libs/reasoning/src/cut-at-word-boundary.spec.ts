import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutAtWordBoundary } from './cut-at-word-boundary.js';

const cutTo = (text: string, length: number) => cutAtWordBoundary(text, (prefix) => prefix.length <= length);

describe('cutAtWordBoundary', () => {
  it('keeps whole words, hyphenated ones too', () => {
    expect(cutTo('a well-known fact', 9)).toBe('a');
    expect(cutTo('a well-known fact', 12)).toBe('a well-known');
  });

  it('takes nothing when the first word does not fit', () => {
    expect(cutTo('immediately', 5)).toBeNull();
    expect(cutTo('   ', 5)).toBeNull();
  });

  it('cuts inside a run without spaces at the end of a word', () => {
    const cut = cutTo('证据包的预算包括标题和正文'.repeat(10), 21) ?? '';
    expect(cut.length).toBeGreaterThan(15);
    expect(cut.length).toBeLessThanOrEqual(21);
  });

  it('gives the longest prefix that fits and never splits a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat(300), (text, length) => {
        const cut = cutTo(text, length);
        if (cut === null) return;
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(length);
        // Half a surrogate pair at the end would be half a character.
        expect(cut).not.toMatch(/[\ud800-\udbff]$/);
      }),
    );
  });
});
