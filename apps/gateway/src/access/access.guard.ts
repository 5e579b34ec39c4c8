import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { allowsAction, AppError, type Action, type RouteContract } from '@candor/contracts';
import { isOperational, routeOf } from '@candor/runtime';
import { requireCaller, type Caller } from './caller.js';
import { RateLimiterService } from './rate-limiter.service.js';

/** Whether the caller's key allows the route's action, and whether there is room; before any input is checked. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly rateLimiter: RateLimiterService) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    if (isOperational(execution)) return true;
    const route = routeOf(execution);
    // Fail closed: a handler that nobody gave a contract is nobody's.
    if (!route) throw new AppError('REQUEST.UNKNOWN_ROUTE');
    // Its handler checks the signature before anything else.
    if (route.action === 'signed') return true;
    const caller = requireCaller();
    this.requireAction(caller, route.action);
    await this.requireRoom(caller, route, execution.switchToHttp().getResponse<Response>());
    return true;
  }

  private requireAction(caller: Caller, action: Action | 'authenticated'): void {
    if (action === 'authenticated' || allowsAction(caller.scope, action)) return;
    throw new AppError('AUTH.ACTION_NOT_ALLOWED', {
      message: `The API key does not allow the action "${action}".`,
      details: { action },
    });
  }

  private async requireRoom(caller: Caller, route: RouteContract, response: Response): Promise<void> {
    const limit = caller.apiKey.rateLimitPerMinute;
    if (limit === null || caller.apiKey.isInstallationKey || route.rateLimited === false) return;
    const state = await this.rateLimiter.take(caller.apiKey.id, route.action, limit);
    response.setHeader('X-RateLimit-Limit', String(state.limit));
    response.setHeader('X-RateLimit-Remaining', String(state.remaining));
    response.setHeader('X-RateLimit-Reset', String(state.resetSeconds));
    if (state.allowed) return;
    throw new AppError('RATE_LIMIT.EXCEEDED', {
      message: `This key may make ${state.limit} "${route.action}" requests a minute.`,
      details: { action: route.action, limit: state.limit },
      retryAfterSeconds: state.resetSeconds,
    });
  }
}
