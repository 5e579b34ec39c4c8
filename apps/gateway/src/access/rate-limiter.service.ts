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

/** Requests a minute per (key, action), shared by all replicas through Redis; in memory without it and while it is down. */
export class RateLimiterService {
  private readonly limiters = new Map<number, RateLimiterAbstract>();

  constructor(private readonly store: RateLimitStore | null) {}

  async take(apiKeyId: string, action: string, limit: number): Promise<RateLimitState> {
    try {
      const state = await this.limiterOf(limit).consume(`${apiKeyId}-${action}`);
      return toState(state, limit, true);
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return toState(refusal, limit, false);
      throw refusal;
    }
  }

  private limiterOf(limit: number): RateLimiterAbstract {
    const existing = this.limiters.get(limit);
    if (existing) return existing;
    const options = { points: limit, duration: WINDOW_SECONDS, keyPrefix: `candor-rate-${limit}` };
    const inMemory = new RateLimiterMemory(options);
    const limiter = this.store
      ? new RateLimiterRedis({
          ...options,
          storeClient: this.store,
          insuranceLimiter: inMemory,
          rejectIfRedisNotReady: true,
        })
      : inMemory;
    this.limiters.set(limit, limiter);
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
