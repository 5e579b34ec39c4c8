import { Injectable } from '@nestjs/common';
import { allowsAction, AppError, type Action, type RouteContract } from '@candor/contracts';
import type { Caller } from './caller.js';
import { RateLimiterService, type RateLimitState } from './rate-limiter.service.js';

/** Whether a caller may make the request that a route stands for. Every door to a route's handler asks here. */
@Injectable()
export class AdmissionService {
  constructor(private readonly rateLimiter: RateLimiterService) {}

  /**
   * Errors: AUTH.ACTION_NOT_ALLOWED, RATE_LIMIT.EXCEEDED.
   * `onRoom` hears how much room the caller has left, also when there is none; never for what isn't limited.
   */
  async admit(
    caller: Caller,
    route: Pick<RouteContract, 'action' | 'rateLimited'>,
    onRoom: (state: RateLimitState) => void,
  ): Promise<void> {
    this.requireAction(caller, route.action);
    const limit = caller.apiKey.rateLimitPerMinute;
    if (limit === null || caller.apiKey.isInstallationKey || route.rateLimited === false) return;
    const state = await this.rateLimiter.take(caller.apiKey.id, route.action, limit);
    onRoom(state);
    if (state.allowed) return;
    throw new AppError('RATE_LIMIT.EXCEEDED', {
      message: `This key may make ${state.limit} "${route.action}" requests a minute.`,
      details: { action: route.action, limit: state.limit },
      retryAfterSeconds: state.resetSeconds,
    });
  }

  private requireAction(caller: Caller, action: Action | 'authenticated' | 'signed'): void {
    if (action === 'authenticated') return;
    if (action !== 'signed' && allowsAction(caller.scope, action)) return;
    throw new AppError('AUTH.ACTION_NOT_ALLOWED', {
      message: `The API key does not allow the action "${action}".`,
      details: { action },
    });
  }
}
