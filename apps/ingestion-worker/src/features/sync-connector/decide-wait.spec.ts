import { describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import type { SyncPhase } from '@candor/persistence';
import { decideWait } from './decide-wait.js';
import { DEFAULT_SYNC_LIMITS } from './sync-limits.js';

const wait = (error: AppError, retries: number, phase: SyncPhase = 'changes') =>
  decideWait(error, { retries, phase }, DEFAULT_SYNC_LIMITS);
const unavailable = (retryAfterSeconds?: number) =>
  new AppError('CONNECTOR.UNAVAILABLE', retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
const rateLimited = (retryAfterSeconds?: number) =>
  new AppError('CONNECTOR.RATE_LIMITED', retryAfterSeconds === undefined ? {} : { retryAfterSeconds });

describe('decideWait', () => {
  it('is over for what another try cannot mend', () => {
    expect(wait(new AppError('CONNECTOR.CREDENTIALS_REJECTED'), 0)).toBeNull();
    expect(wait(new AppError('CONNECTOR.LISTING_REFUSED'), 0)).toBeNull();
  });

  it('waits longer each time for a provider that cannot be reached, and gives up', () => {
    expect([0, 1, 2, 6, 7].map((retries) => wait(unavailable(), retries))).toEqual([10, 20, 40, 600, 600]);
    expect(wait(unavailable(), DEFAULT_SYNC_LIMITS.maxRetries)).toBeNull();
    expect(wait(unavailable(120), 0)).toBe(120);
  });

  it('waits as long as a provider asks for, however often, and a day at most', () => {
    expect(wait(rateLimited(7), 1_000)).toBe(7);
    expect(wait(rateLimited(0), 0)).toBe(0);
    expect(wait(rateLimited(1e9), 0)).toBe(86_400);
    expect(wait(rateLimited(), 1_000)).toBe(600);
  });

  it('gives up on a listing that is rate limited again and again, which begins anew each time', () => {
    expect(wait(rateLimited(900), 0, 'compare')).toBe(900);
    expect(wait(rateLimited(1), 0, 'compare')).toBe(10);
    expect(wait(rateLimited(7), DEFAULT_SYNC_LIMITS.maxRetries, 'compare')).toBeNull();
  });
});
