import {
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterAbstract,
  type RateLimiterRes,
} from 'rate-limiter-flexible';

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
/** The library only counts here: the limit comes with each request. */
const ANY_NUMBER = 1_000_000_000;

/** Requests in a window, shared by all replicas through Redis; in memory without it and while it is down. */
export class RateLimiterService {
  private readonly limiters = new Map<number, RateLimiterAbstract>();

  constructor(private readonly store: RateLimitStore | null) {}

  /** Of a key and action, a minute. */
  take(apiKeyId: string, action: string, limit: number): Promise<RateLimitState> {
    return this.takeFrom(`${apiKeyId}-${action}`, limit, WINDOW_SECONDS);
  }

  /**
   * A limit of 0 allows nothing. What is refused doesn't count, and a limit that changes finds what was used before it.
   */
  async takeFrom(key: string, limit: number, windowSeconds: number): Promise<RateLimitState> {
    const limiter = this.limiterOf(windowSeconds);
    const state = await limiter.consume(key);
    const allowed = state.consumedPoints <= limit;
    if (!allowed) await limiter.reward(key);
    return toState(state, limit, allowed);
  }

  /** What was taken so far; nothing is counted where there is no limit. */
  async peek(
    key: string,
    limit: number | null,
    windowSeconds: number,
  ): Promise<{ used: number; resetAt: string | null }> {
    const state = limit === null ? null : await this.limiterOf(windowSeconds).get(key);
    if (limit === null || !state || state.consumedPoints <= 0) return { used: 0, resetAt: null };
    return {
      used: Math.min(limit, state.consumedPoints),
      resetAt: new Date(Date.now() + Math.max(0, state.msBeforeNext)).toISOString(),
    };
  }

  private limiterOf(windowSeconds: number): RateLimiterAbstract {
    const existing = this.limiters.get(windowSeconds);
    if (existing) return existing;
    const options = { points: ANY_NUMBER, duration: windowSeconds, keyPrefix: `candor-rate-${windowSeconds}` };
    const inMemory = new RateLimiterMemory(options);
    const limiter = this.store
      ? new RateLimiterRedis({
          ...options,
          storeClient: this.store,
          insuranceLimiter: inMemory,
          rejectIfRedisNotReady: true,
        })
      : inMemory;
    this.limiters.set(windowSeconds, limiter);
    return limiter;
  }
}

function toState(state: RateLimiterRes, limit: number, allowed: boolean): RateLimitState {
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - state.consumedPoints),
    resetSeconds: Math.max(1, Math.ceil(state.msBeforeNext / 1000)),
  };
}
