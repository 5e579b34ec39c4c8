import type { ModulesContainer } from '@nestjs/core';
import { readsRequestItself, routeOfHandler, type AnyRoute } from './contract.decorator.js';

export interface RouteHandler {
  route: AnyRoute;
  /** `Controller.method`, for messages. */
  name: string;
  /** How many parameters the method declares. */
  parameters: number;
  /** Nothing checks the request before it. */
  readsRequest: boolean;
  /** The bare method on its instance: no guard, no interceptor, no parsing. */
  call: (input: unknown) => unknown;
}

/** Every method of the modules' controllers that has a `@Contract`, own and inherited; each controller once. */
export function findRouteHandlers(modules: ModulesContainer): RouteHandler[] {
  const controllers = new Map<object, object>();
  for (const module of modules.values()) {
    for (const { metatype, instance } of module.controllers.values())
      if (typeof metatype === 'function') controllers.set(metatype.prototype as object, instance);
  }
  return [...controllers].flatMap(([prototype, instance]) =>
    methodsOf(prototype).flatMap(([name, method]) => {
      const route = routeOfHandler(method);
      if (!route) return [];
      const call = (input: unknown): unknown => method.call(instance, input);
      const readsRequest = readsRequestItself(method);
      return [{ route, name: `${prototype.constructor.name}.${name}`, parameters: method.length, readsRequest, call }];
    }),
  );
}

type Method = (input: unknown) => unknown;

/** Own and inherited methods; an override hides what it overrides. */
function methodsOf(prototype: object): [string, Method][] {
  const methods = new Map<string, Method>();
  for (
    let level: object | null = prototype;
    level && level !== Object.prototype;
    level = Object.getPrototypeOf(level) as object | null
  ) {
    for (const [name, { value }] of Object.entries<PropertyDescriptor>(Object.getOwnPropertyDescriptors(level))) {
      if (typeof value === 'function' && name !== 'constructor' && !methods.has(name))
        methods.set(name, value as Method);
    }
  }
  return [...methods];
}
