import { ROUTES, type RouteContract } from '@candor/contracts';

/**
 * What `pick` says of the route that a path as sent leads to, for what is decided before the router has looked at it. Paths
 * are matched as the router does: in either case, with or without a slash at the end.
 */
export function matchRoute<Value>(
  pick: (route: RouteContract) => Value | undefined,
): (method: string, path: string) => Value | undefined {
  const known = ROUTES.flatMap((route) => {
    const value = pick(route);
    return value === undefined ? [] : [{ method: route.method, pattern: patternOf(route.path), value }];
  });
  return (method, path) => known.find((route) => route.method === method && route.pattern.test(path))?.value;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`, 'i');
}
