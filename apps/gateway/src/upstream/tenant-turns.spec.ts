import { describe, expect, it } from '@jest/globals';
import { TenantTurns } from './tenant-turns.js';

describe('TenantTurns', () => {
  it('counts what a tenant has under way, each tenant by itself', () => {
    const turns = new TenantTurns();
    expect([turns.enter('a'), turns.enter('a'), turns.enter('b'), turns.enter('a')]).toEqual([0, 1, 0, 2]);
    turns.leave('a');
    expect(turns.enter('a')).toBe(2);
  });

  it('starts anew when all have left, also when one leaves too often', () => {
    const turns = new TenantTurns();
    turns.enter('a');
    turns.leave('a');
    turns.leave('a');
    expect(turns.enter('a')).toBe(0);
  });
});
