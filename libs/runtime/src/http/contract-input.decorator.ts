import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { routeOf } from './contract.decorator.js';
import { parseRouteInput } from './parse-route-input.js';

/** `{body, query, params}` of the request, checked against the handler's `@Contract`; type it as `InputOf<typeof route>`. */
export const ContractInput = createParamDecorator((_: undefined, context: ExecutionContext) => {
  const route = routeOf(context);
  if (!route) throw new Error('@ContractInput() needs @Contract() on the same handler');
  const request = context.switchToHttp().getRequest<Request>();
  return parseRouteInput(route, { body: request.body as unknown, query: request.query, params: request.params });
});
