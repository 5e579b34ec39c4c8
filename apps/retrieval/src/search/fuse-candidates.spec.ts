import fc from 'fast-check';
import { aCandidate, aChunk, idOf } from '../testing/builders.js';
import { fuseCandidates } from './fuse-candidates.js';

function candidate(number: number, cosine: number, lexicalScore: number | null = null) {
  return aCandidate({ chunk: aChunk({ chunkId: idOf(number) }), cosine, lexicalScore });
}
const idsOf = (candidates: readonly { chunk: { chunkId: string } }[]) => candidates.map(({ chunk }) => chunk.chunkId);

describe('fuseCandidates', () => {
  it('weighs both legs, each normalized to 0–1 over the set', () => {
    const fused = fuseCandidates([candidate(1, 0.9, 2), candidate(2, 0.5, 12), candidate(3, 0.7, 7)], 0.6);
    expect(fused.map(({ chunk, fused: score }) => [chunk.chunkId, Number(score.toFixed(6))])).toEqual([
      [idOf(1), 0.6],
      [idOf(3), 0.5],
      [idOf(2), 0.4],
    ]);
  });

  it('counts a lexical part of 0 for what only the dense leg found, and the true cosine for the opposite', () => {
    const [first, second] = fuseCandidates([candidate(1, 0.6), { ...candidate(2, 0.8, 5), denseRank: null }], 0.6);
    expect(first).toMatchObject({ chunk: { chunkId: idOf(2) }, fused: 1 });
    expect(second).toMatchObject({ chunk: { chunkId: idOf(1) }, fused: 0 });
  });

  it('gives all the full share when all scores are equal, and orders them by chunk id', () => {
    const fused = fuseCandidates([candidate(3, 0.4, 7), candidate(1, 0.4, 7), candidate(2, 0.4, 7)], 0.6);
    expect(idsOf(fused)).toEqual([idOf(1), idOf(2), idOf(3)]);
    expect(fused.map((entry) => entry.fused)).toEqual([1, 1, 1]);
  });

  it('breaks a tie by cosine', () => {
    // 0.5·1 + 0.5·0 = 0.5·0 + 0.5·1
    expect(idsOf(fuseCandidates([candidate(1, 0.2, 9), candidate(2, 0.8, 1)], 0.5))).toEqual([idOf(2), idOf(1)]);
  });

  it('takes nothing and one', () => {
    expect(fuseCandidates([])).toEqual([]);
    expect(fuseCandidates([candidate(1, -0.2)])).toHaveLength(1);
  });

  it('depends on the set and not on the order it comes in; scores stay within 0–1', () => {
    const scores = fc.record({
      cosine: fc.double({ min: -1, max: 1, noNaN: true }),
      lexicalScore: fc.option(fc.double({ min: 0, max: 60, noNaN: true })),
    });
    const shuffled = fc
      .array(scores, { maxLength: 30 })
      .map((list) => list.map(({ cosine, lexicalScore }, index) => candidate(index, cosine, lexicalScore)))
      .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        const fused = fuseCandidates(list);
        expect(fuseCandidates(other)).toEqual(fused);
        for (const entry of fused) {
          expect(entry.fused).toBeGreaterThanOrEqual(0);
          expect(entry.fused).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });

  it('never ranks a candidate below one that it beats in both legs', () => {
    const pair = fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: 0, max: 60, noNaN: true }));
    fc.assert(
      fc.property(fc.array(pair, { minLength: 2, maxLength: 20 }), (pairs) => {
        const fused = fuseCandidates(pairs.map(([cosine, lexical], index) => candidate(index, cosine, lexical)));
        fused.forEach((upper, index) => {
          for (const lower of fused.slice(index + 1)) {
            const beaten = lower.cosine > upper.cosine + 1e-6 && lower.lexicalScore! > upper.lexicalScore! + 1e-6;
            expect(beaten).toBe(false);
          }
        });
      }),
    );
  });
});
