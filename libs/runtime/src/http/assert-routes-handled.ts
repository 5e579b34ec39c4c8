import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { type AnyRoute, routeOfHandler } from './contract.decorator.js';

/**
 * Startup proof: every contract has exactly one handler and no handler serves a contract outside of `routes`.
 * @throws Error that names each route and what is wrong with it.
 */
export function assertRoutesHandled(app: INestApplicationContext, routes: readonly AnyRoute[]): void {
  const handlers = new Map<AnyRoute, string[]>();
  for (const { controller, method, route } of findHandlers(app)) {
    handlers.set(route, [...(handlers.get(route) ?? []), `${controller}.${method}`]);
  }
  const problems = [
    ...routes
      .filter((route) => !handlers.has(route))
      .map((route) => `${nameOf(route)} has no handler: add @Contract(route) to a controller method`),
    ...[...handlers]
      .filter(([, names]) => names.length > 1)
      .map(([route, names]) => `${nameOf(route)} has ${names.length} handlers: ${names.join(', ')}`),
    ...[...handlers]
      .filter(([route]) => !routes.includes(route))
      .map(([route, names]) => `${nameOf(route)} (${names.join(', ')}) is not in the list of routes`),
  ];
  if (problems.length > 0) throw new Error(`Routes and handlers do not match:\n${problems.join('\n')}`);
}

interface FoundHandler {
  controller: string;
  method: string;
  route: AnyRoute;
}

function findHandlers(app: INestApplicationContext): FoundHandler[] {
  const controllers = new Set<object>();
  for (const module of app.get(ModulesContainer, { strict: false }).values()) {
    for (const { metatype } of module.controllers.values())
      if (typeof metatype === 'function') controllers.add(metatype.prototype as object);
  }
  return [...controllers].flatMap((prototype) =>
    methodsOf(prototype).flatMap(([method, handler]) => {
      const route = routeOfHandler(handler);
      return route ? [{ controller: prototype.constructor.name, method, route }] : [];
    }),
  );
}

/** Own and inherited methods; an override hides what it overrides. */
function methodsOf(prototype: object): [string, object][] {
  const methods = new Map<string, object>();
  for (
    let level: object | null = prototype;
    level && level !== Object.prototype;
    level = Object.getPrototypeOf(level) as object | null
  ) {
    for (const [name, { value }] of Object.entries<PropertyDescriptor>(Object.getOwnPropertyDescriptors(level))) {
      if (typeof value === 'function' && name !== 'constructor' && !methods.has(name))
        methods.set(name, value as object);
    }
  }
  return [...methods];
}

function nameOf(route: AnyRoute): string {
  return `${route.method} ${route.path}`;
}
