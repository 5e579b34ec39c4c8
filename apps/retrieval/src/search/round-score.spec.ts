import { roundScore } from './round-score.js';

describe('roundScore', () => {
  it.each([
    [0.843_249, 0.8432],
    [0.843_25, 0.8433],
    [1.000_000_2, 1],
    [-0.2, 0],
  ])('%p → %p', (cosine, score) => expect(roundScore(cosine)).toBe(score));
});
