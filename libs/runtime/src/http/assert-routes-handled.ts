import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { AnyRoute } from './contract.decorator.js';
import { findRouteHandlers } from './find-route-handlers.js';

/**
 * Startup proof: every contract has exactly one handler and no handler serves a contract outside of `routes`.
 * @throws Error that names each route and what is wrong with it.
 */
export function assertRoutesHandled(app: INestApplicationContext, routes: readonly AnyRoute[]): void {
  const handlers = new Map<AnyRoute, string[]>();
  for (const { name, route } of findRouteHandlers(app.get(ModulesContainer, { strict: false }))) {
    handlers.set(route, [...(handlers.get(route) ?? []), name]);
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

function nameOf(route: AnyRoute): string {
  return `${route.method} ${route.path}`;
}
