import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';

/** A Redis client; rate-limiter-flexible itself types it as `any`. */
export type RateLimitStore = object;

export interface RateLimitState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the window starts anew. */
  resetSeconds: number;
}

const WINDOW_SECONDS = 60;

/** Requests in a window, shared by all replicas through Redis; in memory without it and while it is down. */
export class RateLimiterService {
  private readonly limiters = new Map<string, RateLimiterAbstract>();

  constructor(private readonly store: RateLimitStore | null) {}

  /** Of a key and action, a minute. */
  take(apiKeyId: string, action: string, limit: number): Promise<RateLimitState> {
    return this.takeFrom(`${apiKeyId}-${action}`, limit, WINDOW_SECONDS);
  }

  /** A limit of 0 allows nothing. */
  async takeFrom(key: string, limit: number, windowSeconds: number): Promise<RateLimitState> {
    try {
      const state = await this.limiterOf(limit, windowSeconds).consume(key);
      return toState(state, limit, true);
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return toState(refusal, limit, false);
      throw refusal;
    }
  }

  /** What was taken so far; nothing is counted where there is no limit. */
  async peek(
    key: string,
    limit: number | null,
    windowSeconds: number,
  ): Promise<{ used: number; resetAt: string | null }> {
    const state = limit === null ? null : await this.limiterOf(limit, windowSeconds).get(key);
    if (limit === null || !state || state.consumedPoints <= 0) return { used: 0, resetAt: null };
    return {
      used: Math.min(limit, state.consumedPoints),
      resetAt: new Date(Date.now() + Math.max(0, state.msBeforeNext)).toISOString(),
    };
  }

  private limiterOf(limit: number, windowSeconds: number): RateLimiterAbstract {
    const name = windowSeconds === WINDOW_SECONDS ? `${limit}` : `${limit}-${windowSeconds}`;
    const existing = this.limiters.get(name);
    if (existing) return existing;
    const options = { points: limit, duration: windowSeconds, keyPrefix: `candor-rate-${name}` };
    const inMemory = new RateLimiterMemory(options);
    const limiter = this.store
      ? new RateLimiterRedis({
          ...options,
          storeClient: this.store,
          insuranceLimiter: inMemory,
          rejectIfRedisNotReady: true,
        })
      : inMemory;
    this.limiters.set(name, limiter);
    return limiter;
  }
}

function toState(state: RateLimiterRes, limit: number, allowed: boolean): RateLimitState {
  return {
    allowed,
    limit,
    remaining: Math.max(0, state.remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(state.msBeforeNext / 1000)),
  };
}
