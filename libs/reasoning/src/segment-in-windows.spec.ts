import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { segmentInWindows } from './segment-in-windows.js';

const words = new Intl.Segmenter('en', { granularity: 'word' });
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const whole = (segmenter: Intl.Segmenter, text: string) =>
  Array.from(segmenter.segment(text), ({ segment, index, isWordLike }) => ({
    segment,
    index,
    isWordLike: isWordLike === true,
  }));

describe('segmentInWindows', () => {
  it.each([
    ['words', words],
    ['sentences', sentences],
  ])('gives the %s of the whole text, wherever windows end', (_what, segmenter) => {
    const text = fc
      .array(fc.constantFrom('lime ', 'green. ', 'Teal, ', '3.14 ', 'e.g. ', '😀 ', "don't\n", 'É '), {
        minLength: 600,
        maxLength: 900,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (each) => {
        expect([...segmentInWindows(segmenter, each)]).toEqual(whole(segmenter, each));
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['nothing', ''],
    ['one word longer than a window', 'x'.repeat(5_000)],
    ['characters of two halves', '😀'.repeat(3_000)],
    ['text without spaces', '我们保留绿色'.repeat(1_000)],
  ])('loses nothing of %s', (_what, text) => {
    const segments = [...segmentInWindows(words, text)];
    expect(segments.map(({ segment }) => segment).join('')).toBe(text);
    expect(segments.every(({ segment, index }) => text.startsWith(segment, index))).toBe(true);
  });

  it('takes a time that grows with the text, and not with its square', () => {
    const timeOf = (length: number): number => {
      const text = 'The quick brown fox jumps over it. '.repeat(length / 35);
      const started = performance.now();
      expect([...segmentInWindows(words, text)].length).toBeGreaterThan(length / 10);
      return performance.now() - started;
    };
    timeOf(70_000);
    // 1,400,000 characters at once would take some ten minutes.
    expect(timeOf(1_400_000)).toBeLessThan(30_000);
  });
});
