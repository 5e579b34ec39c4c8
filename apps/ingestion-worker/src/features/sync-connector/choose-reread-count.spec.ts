import { describe, expect, it } from '@jest/globals';
import { chooseRereadCount } from './choose-reread-count.js';
import { DEFAULT_SYNC_LIMITS } from './sync-limits.js';

const counts = (limits = DEFAULT_SYNC_LIMITS): number[] =>
  Array.from({ length: 10 }, (_, retries) => chooseRereadCount({ retries }, limits));

describe('chooseRereadCount', () => {
  it('is the same until patience with an item is over, and less with each further wait', () => {
    expect(counts()).toEqual([20, 20, 20, 20, 10, 5, 2, 1, 1, 1]);
  });

  it('comes down to one before the run gives up, whatever the limits', () => {
    expect(counts({ ...DEFAULT_SYNC_LIMITS, rereadBatch: 1_000, maxRetries: 5 })).toEqual([
      1_000, 1_000, 1_000, 1_000, 500, 1, 1, 1, 1, 1,
    ]);
  });
});
