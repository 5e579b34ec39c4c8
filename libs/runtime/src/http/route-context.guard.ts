import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { routeOf } from './contract.decorator.js';
import { requestContextOf } from './request-context.middleware.js';

/** Notes the matched route in the request's context before any other guard; lets everything pass. */
export class RouteContextGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const route = routeOf(context);
    if (route) requestContextOf(context.switchToHttp().getRequest<Request>()).route = route;
    return true;
  }
}
