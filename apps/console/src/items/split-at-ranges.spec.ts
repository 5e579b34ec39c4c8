import fc from 'fast-check';
import { splitAtRanges } from './split-at-ranges.js';

const LONE_SURROGATE = /\p{Surrogate}/u;
const marked = (text: string, ...ranges: [number, number][]): string[] =>
  splitAtRanges(
    text,
    ranges.map(([start, end]) => ({ start, end })),
  )
    .filter((part) => part.marked)
    .map((part) => part.text);

describe('splitAtRanges', () => {
  it('marks exactly what lies between the offsets', () => {
    expect(splitAtRanges('We keep lime-green.', [{ start: 8, end: 18 }])).toEqual([
      { text: 'We keep ', marked: false },
      { text: 'lime-green', marked: true },
      { text: '.', marked: false },
    ]);
  });

  it('counts UTF-16 units: what stands before may be outside of the basic plane', () => {
    const text = '🎨🎨 lime 👩‍🎨';
    const start = text.indexOf('lime');
    expect(start).toBe(5);
    expect(marked(text, [start, start + 4])).toEqual(['lime']);
  });

  it('never shows half a surrogate pair', () => {
    expect(marked('a🎨b', [2, 3])).toEqual(['🎨']);
    expect(marked('a🎨b', [0, 2])).toEqual(['a🎨']);
  });

  it('joins ranges that overlap or touch, and cuts what reaches out of the text', () => {
    expect(marked('abcdef', [1, 3], [2, 4], [4, 5])).toEqual(['bcde']);
    expect(marked('abc', [-5, 1], [2, 99])).toEqual(['a', 'c']);
  });

  it('marks nothing for empty, reversed or foreign ranges', () => {
    expect(marked('abc', [1, 1], [2, 1], [7, 9])).toEqual([]);
    expect(splitAtRanges('', [{ start: 0, end: 1 }])).toEqual([]);
  });

  it('adds up to the text, whatever the ranges, and keeps every character whole', () => {
    const range = fc.record({ start: fc.integer({ min: -3, max: 40 }), end: fc.integer({ min: -3, max: 40 }) });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.array(range, { maxLength: 5 }), (text, ranges) => {
        const parts = splitAtRanges(text, ranges);
        expect(parts.map((part) => part.text).join('')).toBe(text);
        for (const part of parts) expect(part.text).not.toMatch(LONE_SURROGATE);
      }),
    );
  });
});
