import { Injectable, Logger } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { AppError, type RouteContract } from '@candor/contracts';
import {
  createRequestContext,
  findRouteHandlers,
  parseRouteInput,
  runInRequestContext,
  toAppError,
  type RawInput,
  type RequestContext,
  type RouteHandler,
} from '@candor/runtime';
import { AdmissionService } from '../access/admission.service.js';
import type { Caller } from '../access/caller.js';
import type { RateLimitState } from '../access/rate-limiter.service.js';
import { recordRefusal } from './record-refusal.js';
import { RequestTransaction } from './request-transaction.service.js';

export interface RouteCall {
  route: RouteContract;
  /** Called after admission; what it throws is the caller's mistake, and audited. */
  readInput: () => RawInput;
  caller: Caller;
  /** Of this call alone: its audit event and its answer carry it. */
  requestId: string;
  /** By which other door it came, for the audit event. */
  via: string;
  signal?: AbortSignal;
  /** Hears how much room the caller has left for the route's action. */
  onRoom?: (state: RateLimitState) => void;
  /** Hears what the audit event of a good answer says. */
  onFacts?: (facts: Readonly<Record<string, unknown>>) => void;
}

/**
 * Answers a route for another door than HTTP, in the process: the same admission, checks, handler and audit event as over
 * HTTP, hence the same answer. Routes that take uploads or an `Idempotency-Key` need HTTP for these.
 */
@Injectable()
export class RouteCallerService {
  private readonly logger = new Logger(RouteCallerService.name);
  private handlers: Map<RouteContract, RouteHandler> | undefined;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly admission: AdmissionService,
    private readonly requests: RequestTransaction,
  ) {}

  /** The response's body. Whatever goes wrong is thrown as an AppError, after its audit event was committed. */
  async call(call: RouteCall): Promise<unknown> {
    const { route, caller, signal } = call;
    const context = createRequestContext(call.requestId, {
      apiKey: caller,
      caller: caller.scope,
      route,
      audit: { metadata: { via: call.via }, committed: false },
      ...(signal ? { signal } : {}),
    });
    return runInRequestContext(context, async () => {
      try {
        return await this.answer(call, context);
      } catch (thrown) {
        throw await this.settle(toAppError(thrown), context);
      }
    });
  }

  /**
   * What one route's handler gives, as part of an answer of another route that was admitted and is audited: no admission
   * and no event of its own. The part's action must be that of the whole.
   */
  async callPart(call: RouteCall, whole: RouteContract): Promise<unknown> {
    if (call.route.action !== whole.action) throw new Error('A part needs the action of the whole.');
    const context = createRequestContext(call.requestId, {
      apiKey: call.caller,
      caller: call.caller.scope,
      route: call.route,
      ...(call.signal ? { signal: call.signal } : {}),
    });
    return runInRequestContext(context, async () =>
      this.handlerOf(call.route)(parseRouteInput(call.route, call.readInput())),
    );
  }

  /** Startup proof: each of the routes has a handler that can be called from here. */
  requireHandlers(routes: readonly RouteContract[]): void {
    for (const route of routes) this.handlerOf(route);
  }

  private async answer(call: RouteCall, { audit }: RequestContext): Promise<unknown> {
    await this.admission.admit(call.caller, call.route, call.onRoom ?? (() => undefined));
    const body = await this.handlerOf(call.route)(parseRouteInput(call.route, call.readInput()));
    if (!audit.committed) await this.requests.recordRead(audit.outcome ?? 'succeeded');
    call.onFacts?.(audit.metadata);
    return body;
  }

  /** As over HTTP: what can't be recorded is answered as the failure to record it. */
  private async settle(error: AppError, context: RequestContext): Promise<AppError> {
    if (error.status >= 500) this.logger.error(error.code, error);
    try {
      await recordRefusal(this.requests, context, error);
      return error;
    } catch (hookError) {
      return toAppError(hookError);
    }
  }

  private handlerOf(route: RouteContract): RouteHandler['call'] {
    this.handlers ??= new Map(findRouteHandlers(this.modules).map((handler) => [handler.route, handler]));
    const handler = this.handlers.get(route);
    if (!handler) throw new Error(`${route.method} ${route.path} has no handler`);
    // A second parameter would be something of the HTTP request, which isn't there.
    if (handler.parameters > 1) throw new Error(`${handler.name} takes more than its input`);
    return handler.call;
  }
}
