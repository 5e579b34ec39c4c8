import { Inject, Injectable } from '@nestjs/common';
import { allowsAction, AppError, type RouteContract } from '@candor/contracts';
import { limitOf } from '@candor/persistence';
import type { GatewayLimits } from '../config.js';
import { GATEWAY_LIMITS } from '../tokens.js';
import type { Caller } from './caller.js';
import { RateLimiterService, type RateLimitState } from './rate-limiter.service.js';
import { rateKeyOf, rateQuotasOf, RATE_WINDOWS } from './rate-quotas.js';

/** Of a message that is no route of its own, only what it needs is known. */
type LimitedRoute = Pick<RouteContract, 'action' | 'rateLimited'> & Partial<Pick<RouteContract, 'path'>>;

/** Whether a caller may make the request that a route stands for. Every door to a route's handler asks here. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly rateLimiter: RateLimiterService,
    @Inject(GATEWAY_LIMITS) private readonly limits: GatewayLimits,
  ) {}

  /**
   * Errors: AUTH.ACTION_NOT_ALLOWED, RATE_LIMIT.EXCEEDED, QUOTA.RATE_EXCEEDED.
   * `onRoom` hears how much room the caller has left, also when there is none; never for what isn't limited.
   */
  async admit(caller: Caller, route: LimitedRoute, onRoom: (state: RateLimitState) => void): Promise<void> {
    requireAction(caller, route.action);
    await this.requireKeyRoom(caller, route, onRoom);
    await this.requireTenantRoom(caller, route);
  }

  private async requireKeyRoom(
    caller: Caller,
    route: LimitedRoute,
    onRoom: (state: RateLimitState) => void,
  ): Promise<void> {
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

  /** After the key's own limit: what a key is refused must not use up what the others have. */
  private async requireTenantRoom(caller: Caller, route: LimitedRoute): Promise<void> {
    if (caller.apiKey.isInstallationKey) return;
    const tenantId = caller.scope.tenantId;
    for (const quota of rateQuotasOf(route)) {
      const limit = limitOf(quota, caller.tenant.quotas, this.limits.quotas ?? {});
      if (limit === null) continue;
      const state = await this.rateLimiter.takeFrom(rateKeyOf(tenantId, quota), limit, RATE_WINDOWS[quota]);
      if (state.allowed) continue;
      throw new AppError('QUOTA.RATE_EXCEEDED', {
        message: `The tenant's quota "${quota}" of ${limit} is used up.`,
        details: {
          quota,
          limit,
          used: limit,
          resetAt: new Date(Date.now() + state.resetSeconds * 1_000).toISOString(),
        },
        retryAfterSeconds: state.resetSeconds,
      });
    }
  }
}

/** Errors: AUTH.ACTION_NOT_ALLOWED. */
export function requireAction({ scope }: Pick<Caller, 'scope'>, action: RouteContract['action']): void {
  if (action === 'authenticated') return;
  if (action !== 'signed' && allowsAction(scope, action)) return;
  throw new AppError('AUTH.ACTION_NOT_ALLOWED', {
    message: `The API key does not allow the action "${action}".`,
    details: { action },
  });
}
