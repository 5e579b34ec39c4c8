import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { allowsAction, AppError, type RouteContract } from '@candor/contracts';
import { isOperational, requireRequestContext, routeOf } from '@candor/runtime';
import { AuthenticatorService } from './authenticator.service.js';
import type { Caller } from './caller.js';
import { countFailedAuthentication } from './failed-authentications.metric.js';
import { RateLimiterService } from './rate-limiter.service.js';

/** Who calls, whether the key allows the route's action, whether there is room. In this order, before any input is read. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly authenticator: AuthenticatorService,
    private readonly rateLimiter: RateLimiterService,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    if (isOperational(execution)) return true;
    const route = routeOf(execution);
    // Fail closed: a handler that nobody gave a contract is nobody's.
    if (!route) throw new AppError('REQUEST.UNKNOWN_ROUTE');
    const request = execution.switchToHttp().getRequest<Request>();
    const caller = await this.authenticate(request);
    const context = requireRequestContext();
    context.apiKey = caller;
    context.caller = caller.scope;
    this.requireAction(caller, route);
    await this.requireRoom(caller, route, execution.switchToHttp().getResponse<Response>());
    return true;
  }

  private async authenticate(request: Request): Promise<Caller> {
    try {
      return await this.authenticator.authenticate(request.headers.authorization);
    } catch (error) {
      if (error instanceof AppError && error.status === 401) countFailedAuthentication(error.code);
      throw error;
    }
  }

  private requireAction(caller: Caller, route: RouteContract): void {
    if (route.action === 'authenticated' || allowsAction(caller.scope, route.action)) return;
    throw new AppError('AUTH.ACTION_NOT_ALLOWED', {
      message: `The API key does not allow the action "${route.action}".`,
      details: { action: route.action },
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
