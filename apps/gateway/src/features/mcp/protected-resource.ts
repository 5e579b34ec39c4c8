import type { Request } from 'express';
import { ACTIONS } from '@candor/contracts';
import type { McpAddress } from './mcp-environment.js';

export const METADATA_PATH = '/.well-known/oauth-protected-resource';
const MCP_PATH = /^\/mcp\/?$/i;
const METADATA_PATHS = /^\/\.well-known\/oauth-protected-resource(\/mcp)?\/?$/i;

export function isMcpPath(path: string): boolean {
  return MCP_PATH.test(path);
}

export function isMetadataPath(path: string): boolean {
  return METADATA_PATHS.test(path);
}

/** Where the client finds this gateway: as configured, else as it called it. */
function baseUrlOf(request: Request, { publicUrl }: McpAddress): string {
  if (publicUrl !== null) return publicUrl;
  const host = request.headers.host ?? '';
  // What is no host is not repeated.
  return `${request.protocol}://${/^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host) ? host : 'localhost'}`;
}

/**
 * RFC 9728. No authorization server is named, since there is none: keys are made by the people who run the gateway
 * (`POST /v1/api-keys`) and sent as bearer tokens.
 */
export function describeProtectedResource(request: Request, address: McpAddress): Record<string, unknown> {
  const base = baseUrlOf(request, address);
  return {
    resource: `${base}/mcp`,
    resource_name: 'Candor',
    resource_documentation: `${base}/docs`,
    bearer_methods_supported: ['header'],
    scopes_supported: ACTIONS,
  };
}

/** The `WWW-Authenticate` of a 401 of the MCP endpoint (RFC 9728, section 5.1). */
export function challengeOf(request: Request, address: McpAddress): string {
  const parts = [`resource_metadata="${baseUrlOf(request, address)}${METADATA_PATH}/mcp"`];
  if (request.headers.authorization !== undefined) parts.unshift('error="invalid_token"');
  return `Bearer ${parts.join(', ')}`;
}
