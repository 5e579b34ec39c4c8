import { z } from 'zod';
import { defineRoute } from './define-route.js';

/**
 * The MCP endpoint, beside the REST API: JSON-RPC over streamable HTTP. Calls of tools, reads of resources and of prompts
 * are held to the route that they stand for: its action, its rate limit, its audit event. What is left (introductions,
 * lists of tools) needs any valid key.
 */
export const mcpRoute = defineRoute({
  method: 'POST',
  path: '/mcp',
  summary: 'Model Context Protocol',
  action: 'authenticated',
  audit: 'mcp.message',
  body: z.unknown(),
  response: z.unknown(),
  status: 200,
  // By the message: a call counts as its route.
  rateLimited: false,
});

/** No stream of the server's own: 405, as the protocol wants it said. */
export const mcpStreamRoute = defineRoute({
  method: 'GET',
  path: '/mcp',
  summary: 'Refused with 405',
  action: 'authenticated',
  audit: 'mcp.message',
  response: z.unknown(),
  status: 200,
  rateLimited: false,
});

/** There is no session to end: 405. */
export const mcpEndRoute = defineRoute({
  method: 'DELETE',
  path: '/mcp',
  summary: 'Refused with 405',
  action: 'authenticated',
  audit: 'mcp.message',
  response: z.unknown(),
  status: 200,
  rateLimited: false,
});

/** Handled by the gateway, and no part of the REST API's description. */
export const MCP_ROUTES = [mcpRoute, mcpStreamRoute, mcpEndRoute] as const;

/** Gateway → every gateway: the caller has cancelled a call that may run at any of them. */
export const MCP_CANCEL_CHANNEL = 'candor.mcp.cancel';
export const mcpCancellationSchema = z.strictObject({
  apiKeyId: z.guid(),
  sessionId: z.string().min(1).max(100),
  /** The JSON-RPC id. */
  callId: z.union([z.string(), z.number()]),
});
export type McpCancellation = z.infer<typeof mcpCancellationSchema>;
