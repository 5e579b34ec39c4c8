import { describe, expect, it } from '@jest/globals';
import { LaneShares, type Lane } from './lane-shares.js';

const [small, large, other]: [Lane, Lane, Lane] = [
  { tenantId: 'a', lane: 'small' },
  { tenantId: 'a', lane: 'large' },
  { tenantId: 'b', lane: '' },
];
const record = (shares: LaneShares, lane: Lane, count: number): void => {
  for (let taken = 0; taken < count; taken += 1) shares.record(lane);
};

describe('LaneShares', () => {
  it('gives a tenant no more for having many lanes', () => {
    const lanes = [...Array.from({ length: 9 }, (_, index) => ({ tenantId: 'a', lane: String(index) })), other];
    const shares = new LaneShares().allocate(lanes, 100);
    expect(shares.at(-1)).toBe(50);
    expect(shares.slice(0, -1).reduce((sum, share) => sum + share)).toBe(50);
  });

  it('serves the lane that got little before the one that got much, within what the tenant gets', () => {
    const shares = new LaneShares(() => 0);
    record(shares, large, 1_000);
    expect(shares.allocate([large, small], 100)).toEqual([12, 88]);
    expect(shares.allocate([large, other], 100)).toEqual([12, 88]);
    expect(shares.allocate([large], 100)).toEqual([100]);
  });

  it('tells a heavy lane from a light one of a heavy tenant', () => {
    const shares = new LaneShares(() => 0);
    record(shares, large, 501);
    expect([large, small, other].map((lane) => shares.findHeavy(lane))).toEqual(['lane', 'tenant', null]);
  });
});
