import type { RequestHandler } from 'express';
import { AppError } from '@candor/contracts';
import { shareAnswers } from '../../access/cors.middleware.js';
import type { McpAddress } from './mcp-environment.js';
import { isMcpPath, isMetadataPath } from './protected-resource.js';

const LOOPBACK = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Refuses pages of other origins before anything else. A browser always says whose page calls, so a name that was
 * rebound to this machine (DNS rebinding) shows as the foreign origin that it is; programs send no origin. The pages that
 * may call read the answers, and the metadata that a 401 points to.
 */
export function mcpOriginMiddleware(address: McpAddress, next: RequestHandler): RequestHandler {
  const allowed = new Set(address.origins);
  if (address.publicUrl !== null) allowed.add(new URL(address.publicUrl).origin);
  const isAllowed = (origin: string): boolean => allowed.has(origin) || LOOPBACK.test(origin);
  return shareAnswers(
    {
      isShared: (path) => isMcpPath(path) || isMetadataPath(path),
      isAllowed,
      methods: ['GET', 'POST', 'DELETE'],
      allowedHeaders: [
        ...['Authorization', 'Content-Type', 'Accept', 'X-Request-Id'],
        ...['Mcp-Protocol-Version', 'Mcp-Session-Id', 'Last-Event-ID'],
      ],
      exposedHeaders: ['Mcp-Session-Id', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
    },
    (request, response, proceed) => {
      const { origin } = request.headers;
      if (isMcpPath(request.path) && origin !== undefined && !isAllowed(origin))
        return proceed(new AppError('REQUEST.ORIGIN_NOT_ALLOWED'));
      return void next(request, response, proceed);
    },
  );
}
