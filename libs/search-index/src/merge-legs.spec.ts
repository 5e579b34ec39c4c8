import { buildChunk, unitVector } from './conformance/chunk-builder.js';
import { cosineOf, mergeLegs } from './merge-legs.js';

const chunkOf = (chunkId: string, ...numbers: number[]) =>
  buildChunk('tenant', { chunkId, vector: unitVector(...numbers) });

describe('cosineOf', () => {
  it('does not need unit vectors', () => {
    expect(cosineOf(Float32Array.of(3, 0), Float32Array.of(5, 5))).toBeCloseTo(Math.SQRT1_2, 12);
  });
  it('is 0 without a direction', () => {
    expect(cosineOf(Float32Array.of(0, 0), Float32Array.of(1, 0))).toBe(0);
  });
});

describe('mergeLegs', () => {
  const query = unitVector(1);

  it('ranks the dense leg by exact cosine, whatever order the engine gave', () => {
    const hits = [
      { chunk: chunkOf('far', 1, 2), score: 0.9 },
      { chunk: chunkOf('near', 1, 0.1), score: 0.8 },
    ];
    const candidates = mergeLegs(query, hits, []);
    expect(candidates.map(({ chunk, denseRank }) => [chunk.chunkId, denseRank])).toEqual([
      ['far', 2],
      ['near', 1],
    ]);
  });

  it('joins both legs by chunk and computes a cosine for all', () => {
    const both = chunkOf('both', 1, 1);
    const lexicalOnly = chunkOf('words', -1);
    const candidates = mergeLegs(
      query,
      [{ chunk: both, score: 1 }],
      [
        { chunk: lexicalOnly, score: 7 },
        { chunk: { ...both }, score: 3 },
      ],
    );
    expect(candidates).toEqual([
      { chunk: both, cosine: expect.closeTo(Math.SQRT1_2, 6), denseRank: 1, lexicalRank: 2, lexicalScore: 3 },
      { chunk: lexicalOnly, cosine: expect.closeTo(-1, 6), denseRank: null, lexicalRank: 1, lexicalScore: 7 },
    ]);
  });

  it('breaks ties by chunk id', () => {
    const hits = ['c', 'a', 'b'].map((chunkId) => ({ chunk: chunkOf(chunkId, 1), score: 1 }));
    const ranks = (candidates: ReturnType<typeof mergeLegs>) =>
      Object.fromEntries(
        candidates.map(({ chunk, denseRank, lexicalRank }) => [chunk.chunkId, denseRank ?? lexicalRank]),
      );
    expect(ranks(mergeLegs(query, hits, []))).toEqual({ a: 1, b: 2, c: 3 });
    expect(ranks(mergeLegs(query, [], hits))).toEqual({ a: 1, b: 2, c: 3 });
  });
});
