import { describe, expect, it } from '@jest/globals';
import { chooseSeed, drawStorm } from './draw-storm.js';

const FAILURES = ['worker', 'gateway', 'redis', 'postgres', 'elasticsearch', 'retrieval'];

describe('drawStorm', () => {
  it('has every failure once, at a point within the batch', () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const storm = drawStorm(FAILURES, 200, seed);
      expect(storm.map(({ failure }) => failure).sort()).toEqual([...FAILURES].sort());
      for (const { after } of storm) expect([after >= 1, after <= 200]).toEqual([true, true]);
    }
  });

  it('strikes anywhere in the batch alike', () => {
    const points = Array.from({ length: 100 }, (_, seed) => drawStorm(FAILURES, 200, seed)).flat();
    for (const [from, to] of [
      [1, 50],
      [51, 100],
      [101, 150],
      [151, 200],
    ] as const) {
      const share = points.filter(({ after }) => after >= from && after <= to).length / points.length;
      expect([share > 0.15, share < 0.35]).toEqual([true, true]);
    }
  });

  it('is the same for the same seed, and another for most others', () => {
    expect(drawStorm(FAILURES, 200, 7)).toEqual(drawStorm(FAILURES, 200, 7));
    const storms = new Set(Array.from({ length: 50 }, (_, seed) => JSON.stringify(drawStorm(FAILURES, 200, seed))));
    expect(storms.size).toBeGreaterThan(45);
    const first = new Set(Array.from({ length: 50 }, (_, seed) => drawStorm(FAILURES, 200, seed)[0]?.failure));
    expect(first.size).toBe(FAILURES.length);
  });
});

describe('chooseSeed', () => {
  it('takes the given one, or any', () => {
    expect(chooseSeed('42')).toBe(42);
    for (const absent of [undefined, '']) expect(chooseSeed(absent)).toBeLessThan(2 ** 31);
  });

  it.each(['x', '-1', '1.5', '2147483648', ' 1'])('refuses %s', (given) => {
    expect(() => chooseSeed(given)).toThrow('CANDOR_FAULT_SEED must be a whole number from 0 to 2147483647');
  });
});
