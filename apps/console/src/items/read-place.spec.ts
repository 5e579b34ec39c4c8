import { readPlace } from './read-place.js';

const ID = 'a54d4559-3aec-55fa-9d6e-cafd1249999c';
const read = (query: string) => readPlace(new URLSearchParams(query));

describe('readPlace', () => {
  it('reads a chunk and its offsets', () => {
    expect(read(`chunkId=${ID}&start=12&end=40`)).toEqual({ chunkId: ID, ranges: [{ start: 12, end: 40 }] });
  });

  it('marks the whole chunk without offsets, and nothing without a chunk', () => {
    expect(read(`chunkId=${ID}&start=x&end=4`)).toEqual({ chunkId: ID, ranges: null });
    expect(read(`chunkId=../keys&start=1&end=2`)).toEqual({ chunkId: undefined, ranges: [] });
    expect(read('')).toEqual({ chunkId: undefined, ranges: [] });
  });
});
