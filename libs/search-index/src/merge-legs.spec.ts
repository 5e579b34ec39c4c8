import { buildChunk } from './conformance/chunk-builder.js';
import { cosineOf, mergeLegs } from './merge-legs.js';

const chunkOf = (chunkId: string) => buildChunk('tenant', { chunkId });

describe('cosineOf', () => {
  it('does not need unit vectors', () => {
    expect(cosineOf(Float32Array.of(3, 0), Float32Array.of(5, 5))).toBeCloseTo(Math.SQRT1_2, 12);
  });
  it('is 0 without a direction', () => {
    expect(cosineOf(Float32Array.of(0, 0), Float32Array.of(1, 0))).toBe(0);
  });
});

describe('mergeLegs', () => {
  it('ranks the dense leg by exact cosine, whatever order the engine gave', () => {
    const hits = [
      { chunk: chunkOf('far'), cosine: 0.4 },
      { chunk: chunkOf('near'), cosine: 0.9 },
    ];
    const candidates = mergeLegs(hits, []);
    expect(candidates.map(({ chunk, denseRank }) => [chunk.chunkId, denseRank])).toEqual([
      ['far', 2],
      ['near', 1],
    ]);
  });

  it('joins both legs by chunk, with a cosine for all', () => {
    const both = chunkOf('both');
    const lexicalOnly = chunkOf('words');
    const candidates = mergeLegs(
      [{ chunk: both, cosine: 0.7 }],
      [
        { chunk: lexicalOnly, cosine: -1, score: 7 },
        { chunk: { ...both }, cosine: 0.7, score: 3 },
      ],
    );
    expect(candidates).toEqual([
      { chunk: both, cosine: 0.7, denseRank: 1, lexicalRank: 2, lexicalScore: 3 },
      { chunk: lexicalOnly, cosine: -1, denseRank: null, lexicalRank: 1, lexicalScore: 7 },
    ]);
  });

  it('breaks ties by chunk id', () => {
    const hits = ['c', 'a', 'b'].map((chunkId) => ({ chunk: chunkOf(chunkId), cosine: 1, score: 1 }));
    const ranks = (candidates: ReturnType<typeof mergeLegs>) =>
      Object.fromEntries(
        candidates.map(({ chunk, denseRank, lexicalRank }) => [chunk.chunkId, denseRank ?? lexicalRank]),
      );
    expect(ranks(mergeLegs(hits, []))).toEqual({ a: 1, b: 2, c: 3 });
    expect(ranks(mergeLegs([], hits))).toEqual({ a: 1, b: 2, c: 3 });
  });
});
