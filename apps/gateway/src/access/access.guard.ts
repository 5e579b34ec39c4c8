import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { AppError } from '@candor/contracts';
import { isOperational, routeOf } from '@candor/runtime';
import { AdmissionService } from './admission.service.js';
import { requireCaller } from './caller.js';

/** Whether the caller's key allows the route's action, and whether there is room; before any input is checked. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly admission: AdmissionService) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    if (isOperational(execution)) return true;
    const route = routeOf(execution);
    // Fail closed: a handler that nobody gave a contract is nobody's.
    if (!route) throw new AppError('REQUEST.UNKNOWN_ROUTE');
    // Its handler checks the signature before anything else.
    if (route.action === 'signed') return true;
    const response = execution.switchToHttp().getResponse<Response>();
    await this.admission.admit(requireCaller(), route, ({ limit, remaining, resetSeconds }) => {
      response.setHeader('X-RateLimit-Limit', String(limit));
      response.setHeader('X-RateLimit-Remaining', String(remaining));
      response.setHeader('X-RateLimit-Reset', String(resetSeconds));
    });
    return true;
  }
}
