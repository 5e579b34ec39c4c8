import { DEFAULT_BODY_LIMIT_BYTES, type HttpMethod } from '@candor/contracts';
import { matchRoute } from './match-route.js';

const limitOf = matchRoute(({ bodyLimitBytes }) => bodyLimitBytes);

/** Largest body in bytes, for a path as sent. */
export function bodyLimit(method: HttpMethod, path: string): number {
  return limitOf(method, path) ?? DEFAULT_BODY_LIMIT_BYTES;
}
