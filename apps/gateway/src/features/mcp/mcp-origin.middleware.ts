import type { RequestHandler } from 'express';
import { AppError } from '@candor/contracts';
import type { McpAddress } from './mcp-environment.js';
import { isMcpPath } from './protected-resource.js';

const LOOPBACK = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Refuses pages of other origins before anything else. A browser always says whose page calls, so a name that was
 * rebound to this machine (DNS rebinding) shows as the foreign origin that it is; programs send no origin.
 */
export function mcpOriginMiddleware(address: McpAddress, next: RequestHandler): RequestHandler {
  const allowed = new Set(address.origins);
  if (address.publicUrl !== null) allowed.add(new URL(address.publicUrl).origin);
  return (request, response, proceed) => {
    const { origin } = request.headers;
    if (isMcpPath(request.path) && origin !== undefined && !allowed.has(origin) && !LOOPBACK.test(origin))
      return proceed(new AppError('REQUEST.ORIGIN_NOT_ALLOWED'));
    return void next(request, response, proceed);
  };
}
