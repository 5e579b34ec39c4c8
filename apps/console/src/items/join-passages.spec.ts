import type { ChunkReading } from '@candor/contracts';
import { joinPassages } from './join-passages.js';

const TEXT = '# Color\n\nWe keep lime-green.\n\nIt is never used for text.';
const passage = (start: number, end: number): ChunkReading =>
  ({ content: TEXT.slice(start, end), metadata: { startIndex: start, endIndex: end } }) as ChunkReading;

describe('joinPassages', () => {
  it('joins neighbours across the white space between them, in reading order', () => {
    expect(joinPassages([passage(30, 56), passage(9, 28)])).toEqual([{ start: 9, text: TEXT.slice(9, 56) }]);
  });

  it('shows what a section and its paragraph share once', () => {
    expect(joinPassages([passage(9, 28), passage(0, 28)])).toEqual([{ start: 0, text: TEXT.slice(0, 28) }]);
    expect(joinPassages([passage(0, 20), passage(9, 28)])).toEqual([{ start: 0, text: TEXT.slice(0, 28) }]);
  });

  it('keeps passages apart when text between them is missing', () => {
    expect(joinPassages([passage(0, 7), passage(30, 56)]).map(({ start }) => start)).toEqual([0, 30]);
  });
});
