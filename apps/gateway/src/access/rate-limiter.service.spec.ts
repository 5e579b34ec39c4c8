import { openRateLimitStore } from '@candor/queue';
import { RateLimiterService } from './rate-limiter.service.js';

describe('RateLimiterService', () => {
  it('counts per key and action, and says what is left', async () => {
    const limiter = new RateLimiterService(null);
    expect(await limiter.take('key-1', 'search', 2)).toMatchObject({ allowed: true, limit: 2, remaining: 1 });
    expect(await limiter.take('key-1', 'search', 2)).toMatchObject({ allowed: true, remaining: 0 });
    const refused = await limiter.take('key-1', 'search', 2);
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    expect(refused.resetSeconds).toBeGreaterThan(0);
    expect(refused.resetSeconds).toBeLessThanOrEqual(60);
    expect(await limiter.take('key-1', 'reason', 2)).toMatchObject({ allowed: true });
    expect(await limiter.take('key-2', 'search', 2)).toMatchObject({ allowed: true });
  });

  it('keeps what was used when the limit changes, and does not count what it refused', async () => {
    const limiter = new RateLimiterService(null);
    const take = (limit: number) => limiter.takeFrom('tenant-1', limit, 86_400);
    expect(await take(1)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await take(1)).toMatchObject({ allowed: false });
    expect(await take(1)).toMatchObject({ allowed: false });
    expect(await take(3)).toMatchObject({ allowed: true, remaining: 1 });
    expect(await limiter.peek('tenant-1', 3, 86_400)).toMatchObject({ used: 2 });
    expect(await take(1)).toMatchObject({ allowed: false, remaining: 0 });
    expect(await take(0)).toMatchObject({ allowed: false });
  });

  it('counts in memory while the store is down', async () => {
    const unreachable = openRateLimitStore('redis://127.0.0.1:1');
    const limiter = new RateLimiterService(unreachable);
    expect(await limiter.take('key-1', 'search', 1)).toMatchObject({ allowed: true });
    expect(await limiter.take('key-1', 'search', 1)).toMatchObject({ allowed: false });
    unreachable.disconnect();
  });
});
