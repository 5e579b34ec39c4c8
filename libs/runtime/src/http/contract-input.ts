import { createParamDecorator, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { RouteContract } from '@candor/contracts';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { parseRouteInput, type InputOf } from './parse-route-input.js';

const inputs = new WeakMap<Request, InputOf<RouteContract>>();

/** Checks the request against its route, whether the handler takes anything of it or not: what doesn't belong there is refused. */
export class ContractInputInterceptor implements NestInterceptor {
  constructor(private readonly route: RouteContract) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const { query, params } = request;
    inputs.set(request, parseRouteInput(this.route, { body: request.body as unknown, query, params }));
    return next.handle();
  }
}

function readInput(_: undefined, context: ExecutionContext): InputOf<RouteContract> {
  const input = inputs.get(context.switchToHttp().getRequest<Request>());
  if (!input) throw new Error('@ContractInput() needs @Contract() on the same handler');
  return input;
}

/** `{body, query, params}` of the request, checked against the handler's `@Contract`; type it as `InputOf<typeof route>`. */
export const ContractInput = createParamDecorator(readInput);

/** Whether a handler takes `@ContractInput()`: known as soon as its parameters are decorated, which is before its method is. */
export function takesContractInput(controller: object, handler: string | symbol): boolean {
  const taken = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller.constructor, handler) as
    Record<string, { factory?: unknown }> | undefined;
  return Object.values(taken ?? {}).some(({ factory }) => factory === readInput);
}
