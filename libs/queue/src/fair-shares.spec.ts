import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FairShares } from './fair-shares.js';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

describe('FairShares', () => {
  it('gives equals equal parts, and a lone tenant everything', () => {
    const shares = new FairShares();
    expect(shares.allocate(['a'], 100)).toEqual([100]);
    expect(shares.allocate(['a', 'b'], 100)).toEqual([50, 50]);
    expect(shares.allocate([], 100)).toEqual([]);
  });

  it('gives a newcomer all but the even part, until it has caught up', () => {
    const shares = new FairShares(() => 0);
    shares.record('big', 1_000);
    expect(shares.allocate(['big', 'small'], 100)).toEqual([12, 88]);
    shares.record('small', 950);
    expect(shares.allocate(['big', 'small'], 100)).toEqual([25, 75]);
    shares.record('small', 50);
    expect(shares.allocate(['big', 'small'], 100)).toEqual([50, 50]);
  });

  it('forgets with time', () => {
    let now = 0;
    const shares = new FairShares(() => now);
    shares.record('big', 100);
    now = 30_000;
    expect(shares.allocate(['big', 'small'], 100)).toEqual([25, 75]);
    now = 3_600_000;
    expect(shares.allocate(['big', 'small'], 100)).toEqual([50, 50]);
  });

  it('calls a tenant heavy for a while after it got much', () => {
    let now = 0;
    const shares = new FairShares(() => now);
    shares.record('big', 501);
    shares.record('small', 499);
    expect(['big', 'small', 'new'].map((tenantId) => shares.isHeavy(tenantId))).toEqual([true, false, false]);
    now = 60_000;
    expect(shares.isHeavy('big')).toBe(false);
  });

  it('serves those who got least when there are more tenants than places', () => {
    const shares = new FairShares(() => 0);
    shares.record('a', 5);
    expect(shares.allocate(['a', 'b', 'c'], 2)).toEqual([0, 1, 1]);
  });

  it('always gives out exactly what there is, and nobody less than the even part', () => {
    const usage = fc.array(fc.nat({ max: 10_000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(usage, fc.integer({ min: 1, max: 500 }), (amounts, limit) => {
        const shares = new FairShares(() => 0);
        amounts.forEach((amount, index) => shares.record(`t${index}`, amount));
        const allocated = shares.allocate(
          amounts.map((_amount, index) => `t${index}`),
          limit,
        );
        expect(sum(allocated)).toBe(limit);
        const even = Math.floor((limit * 0.25) / amounts.length);
        expect(allocated.every((share) => Number.isInteger(share) && share >= even)).toBe(true);
      }),
    );
  });
});
