import {
  applyDecorators,
  HttpCode,
  RequestMapping,
  RequestMethod,
  SetMetadata,
  UseInterceptors,
  type ExecutionContext,
} from '@nestjs/common';
import type { HttpMethod, RouteContract } from '@candor/contracts';
import { ContractInputInterceptor, takesContractInput } from './contract-input.js';

/** Any route, whatever its schemas. */
export type AnyRoute = RouteContract;

const ROUTE_METADATA = 'candor:route';
const READS_REQUEST_METADATA = 'candor:reads-request';
const OPERATIONAL_METADATA = 'candor:operational';

const NEST_METHODS: Record<HttpMethod, RequestMethod> = {
  GET: RequestMethod.GET,
  POST: RequestMethod.POST,
  PATCH: RequestMethod.PATCH,
  PUT: RequestMethod.PUT,
  DELETE: RequestMethod.DELETE,
};

interface ContractOptions {
  /** The handler reads and checks the request by itself: another protocol than the API's, or a signature over its bytes. */
  readsRequest?: boolean;
}

/**
 * Binds a handler to a route contract: method, path, status of success, the check of its input, and what guards and
 * interceptors need to know. The only way to make an endpoint, so that none ships without an action, an audit action and a
 * response schema, or takes what it doesn't know.
 */
export function Contract(route: AnyRoute, { readsRequest = false }: ContractOptions = {}): MethodDecorator {
  return applyDecorators(
    RequestMapping({ method: NEST_METHODS[route.method], path: route.path }),
    HttpCode(route.status),
    SetMetadata(ROUTE_METADATA, route),
    SetMetadata(READS_REQUEST_METADATA, readsRequest),
    readsRequest ? refuseContractInput(route) : UseInterceptors(new ContractInputInterceptor(route)),
  );
}

/** At the start rather than at the first request: what nobody checked can't be handed over as checked. */
function refuseContractInput({ method, path }: AnyRoute): MethodDecorator {
  return (controller, handler) => {
    if (takesContractInput(controller, handler))
      throw new Error(`${method} ${path}: @ContractInput() has nothing to give with \`readsRequest\``);
  };
}

/** Marks a controller whose endpoints serve the operator (health, metrics) and take no API key. */
export function Operational(): ClassDecorator {
  return SetMetadata(OPERATIONAL_METADATA, true);
}

/** The contract of the handler about to run; undefined for endpoints without one. */
export function routeOf(context: ExecutionContext): AnyRoute | undefined {
  return routeOfHandler(context.getHandler());
}

export function isOperational(context: ExecutionContext): boolean {
  return Reflect.getMetadata(OPERATIONAL_METADATA, context.getClass()) === true;
}

export function routeOfHandler(handler: object): AnyRoute | undefined {
  return Reflect.getMetadata(ROUTE_METADATA, handler) as AnyRoute | undefined;
}

/** Whether nothing checks the request before this handler does. */
export function readsRequestItself(handler: object): boolean {
  return Reflect.getMetadata(READS_REQUEST_METADATA, handler) === true;
}
